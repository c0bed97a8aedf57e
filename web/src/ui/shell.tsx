/** The frame of every page: head, side bar, the way past both, and the keys that work everywhere. */
import { AppShell, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useArrival } from '../navigation.js';
import type { Session } from '../wire.js';
import { Header } from './header.js';
import { useKeys } from './keyboard.js';
import { ShortcutsHelp } from './shortcuts-help.js';
import { Sidebar } from './sidebar.js';

export function Shell({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const [isMenuOpen, menu] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  const main = useRef<HTMLElement>(null);
  const [location] = useLocation();
  useArrival(main);
  useKeys({ '?': help.open });
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the menu goes when a page is chosen
  useEffect(() => menu.close(), [location]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 248, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      {/* No link: its address would be a place to come back to. */}
      <UnstyledButton className="skip-link" onClick={() => main.current?.focus()}>
        Skip to content
      </UnstyledButton>
      <AppShell.Header>
        <Header session={session} isMenuOpen={isMenuOpen} onMenu={menu.toggle} onHelp={help.open} />
      </AppShell.Header>
      <AppShell.Navbar bg="var(--inlet-surface)">
        <Sidebar />
      </AppShell.Navbar>
      <AppShell.Main ref={main} tabIndex={-1} style={{ maxWidth: 1440 }}>
        {children}
      </AppShell.Main>
      <ShortcutsHelp opened={isHelpOpen} onClose={help.close} />
    </AppShell>
  );
}

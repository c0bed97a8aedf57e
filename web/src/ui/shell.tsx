/** The frame of every page: header, sidebar, phone bottom bar, skip link, and global shortcuts. */
import { UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useArrival } from '../navigation.js';
import type { Session } from '../wire.js';
import * as words from '../words/shell.js';
import { BottomBar } from './bottom-bar.js';
import { Header } from './header.js';
import { Hints } from './hints.js';
import { useKeys } from './keyboard.js';
import { lazyPart } from './lazy-part.js';
import { useSearch } from './search.js';
import { Sidebar } from './sidebar.js';

const HelpDialog = lazyPart(() => import('./help-dialog.js'), 'HelpDialog');

/** The time after `g` within which a second key selects the destination page. */
const secondKeyMs = 1_500;

export function Shell({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const [isMenuOpen, menu] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  const main = useRef<HTMLElement>(null);
  const [location, navigate] = useLocation();
  const search = useSearch(help.open);
  useArrival(main);
  const wentAt = useRef(Number.NEGATIVE_INFINITY);
  useKeys({
    '?': help.open,
    g: () => {
      wentAt.current = performance.now();
    },
    i: () => {
      if (performance.now() - wentAt.current < secondKeyMs) navigate('/inbox');
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the menu goes when a page is chosen
  useEffect(() => menu.close(), [location]);
  return (
    <>
      {/* A button, because a link would add a history entry. */}
      <UnstyledButton className="skip-link" onClick={() => main.current?.focus()}>
        {words.skipToContent}
      </UnstyledButton>
      <header className="header">
        <Header session={session} onSearch={search.open} onHelp={help.open} />
      </header>
      <nav className="sidebar" aria-label={words.allPages} data-open={isMenuOpen || undefined}>
        <Sidebar />
      </nav>
      <main ref={main} tabIndex={-1} className="main">
        <div className="page">{children}</div>
      </main>
      <nav className="bottom-bar" aria-label={words.mainPages}>
        <BottomBar isMenuOpen={isMenuOpen} onMenu={menu.toggle} onSearch={search.open} />
      </nav>
      {search.palette}
      <Hints />
      <Suspense fallback={null}>
        <HelpDialog opened={isHelpOpen} onClose={help.close} />
      </Suspense>
    </>
  );
}

/** The window's header: account, search, colour scheme, help. */
import { ActionIcon, Box, Group, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconHelp, IconUserCircle } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Session } from '../wire.js';
import * as common from '../words/common.js';
import * as words from '../words/shell.js';
import { shownCharacters } from './hidden-characters.js';
import { lazyPart } from './lazy-part.js';
import { Logo } from './logo.js';
import { MenuOnDemand } from './menu-on-demand.js';
import { SchemeSwitch } from './scheme-switch.js';
import { SearchButton } from './search.js';
import { Untrusted } from './untrusted.js';

interface HeaderProps {
  readonly session: Session;
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}

const AccountMenu = lazyPart(() => import('./account-menu.js'), 'AccountMenu');

const accountButton = ({ name }: Session['account']) => (
  <UnstyledButton aria-label={shownCharacters(words.account(name))} miw={0}>
    <Group gap={4} wrap="nowrap">
      <Box hiddenFrom="sm" lh={0}>
        <IconUserCircle />
      </Box>
      <Text size="sm" c="dimmed" className="line-clamp" maw="10rem" visibleFrom="sm">
        <Untrusted>{name}</Untrusted>
      </Text>
      <IconChevronDown color="var(--inlet-quiet-text)" />
    </Group>
  </UnstyledButton>
);

export function Header({ session, onSearch, onHelp }: HeaderProps) {
  const button = accountButton(session.account);
  return (
    <>
      <div className="header-start">
        <Link href="/" className="plain-link" aria-label={words.logo}>
          <Logo />
        </Link>
        <MenuOnDemand button={button}>
          <AccountMenu button={button} session={session} />
        </MenuOnDemand>
      </div>
      <div className="header-search">
        <SearchButton onOpen={onSearch} />
      </div>
      <div className="header-end">
        <SchemeSwitch />
        <Tooltip label={words.helpKey}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            onClick={onHelp}
            aria-label={common.help}
            visibleFrom="sm"
          >
            <IconHelp />
          </ActionIcon>
        </Tooltip>
      </div>
    </>
  );
}

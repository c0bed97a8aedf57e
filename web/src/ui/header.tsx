/** The head of the window: whose account, search, scheme, help. */
import { ActionIcon, Box, Group, Menu, Text, Tooltip, UnstyledButton } from '@mantine/core';
import {
  IconBook,
  IconChevronDown,
  IconHelp,
  IconLogout,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react';
import { Link } from 'wouter';
import { instancePath } from '../page-facts.js';
import type { Session } from '../wire.js';
import * as common from '../words/common.js';
import * as words from '../words/shell.js';
import { shownCharacters } from './hidden-characters.js';
import { Logo } from './logo.js';
import { SchemeSwitch } from './scheme-switch.js';
import { SearchButton } from './search.js';
import { useSigningOut } from './sign-out.js';
import { Untrusted } from './untrusted.js';

interface HeaderProps {
  readonly session: Session;
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}

export function Header({ session, onSearch, onHelp }: HeaderProps) {
  const signOut = useSigningOut();
  return (
    <>
      <div className="header-start">
        <Link href="/" className="plain-link" aria-label={words.logo}>
          <Logo />
        </Link>
        <Menu position="bottom-start" width={240} withinPortal>
          <Menu.Target>
            <UnstyledButton aria-label={shownCharacters(words.account(session.account.name))} miw={0}>
              <Group gap={4} wrap="nowrap">
                <Box hiddenFrom="sm" lh={0}>
                  <IconUserCircle />
                </Box>
                <Text size="sm" c="dimmed" className="line-clamp" maw="10rem" visibleFrom="sm">
                  <Untrusted>{session.account.name}</Untrusted>
                </Text>
                <IconChevronDown color="var(--inlet-quiet-text)" />
              </Group>
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{words.signedInAs(<Untrusted>{session.user.email}</Untrusted>)}</Menu.Label>
            <Menu.Item component={Link} href="/users" leftSection={<IconUsers />}>
              {words.usersAndPassword}
            </Menu.Item>
            <Menu.Item
              component="a"
              href={`${instancePath}/docs`}
              target="_blank"
              rel="noopener"
              leftSection={<IconBook />}
            >
              {words.apiReference}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item leftSection={<IconLogout />} onClick={signOut}>
              {common.signOut}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      <div className="header-search">
        <SearchButton onOpen={onSearch} />
      </div>
      <div className="header-end">
        <SchemeSwitch />
        <Tooltip label={words.keyboardShortcutsKey}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            onClick={onHelp}
            aria-label={common.keyboardShortcuts}
            visibleFrom="sm"
          >
            <IconHelp />
          </ActionIcon>
        </Tooltip>
      </div>
    </>
  );
}

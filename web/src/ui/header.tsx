/** The head of the window: whose account, search, scheme, help. */
import { ActionIcon, Box, Burger, Group, Menu, Text, Tooltip, UnstyledButton } from '@mantine/core';
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
import { shownCharacters } from './hidden-characters.js';
import { Logo } from './logo.js';
import { SchemeSwitch } from './scheme-switch.js';
import { Search } from './search.js';
import { useSigningOut } from './sign-out.js';
import { Untrusted } from './untrusted.js';

interface HeaderProps {
  readonly session: Session;
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
  readonly onHelp: () => void;
}

export function Header({ session, isMenuOpen, onMenu, onHelp }: HeaderProps) {
  const signOut = useSigningOut();
  return (
    <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
      <Group gap="xs" wrap="nowrap" style={{ flex: '0 0 auto' }} miw={{ sm: 216 }}>
        <Burger
          opened={isMenuOpen}
          onClick={onMenu}
          hiddenFrom="sm"
          size="sm"
          aria-label={isMenuOpen ? 'Close navigation' : 'Open navigation'}
        />
        <Link href="/" className="plain-link" aria-label="Inlet, overview">
          <Logo />
        </Link>
        <Menu position="bottom-start" width={240} withinPortal>
          <Menu.Target>
            <UnstyledButton
              aria-label={shownCharacters(`Account ${session.account.name}`)}
              style={{ minWidth: 0 }}
            >
              <Group gap={4} wrap="nowrap">
                <Box hiddenFrom="sm" lh={0}>
                  <IconUserCircle size={20} stroke={1.6} />
                </Box>
                <Text size="sm" c="dimmed" className="line-clamp" maw={110} visibleFrom="sm">
                  <Untrusted>{session.account.name}</Untrusted>
                </Text>
                <IconChevronDown size={14} color="var(--mantine-color-dimmed)" />
              </Group>
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>
              Signed in as <Untrusted>{session.user.email}</Untrusted>
            </Menu.Label>
            <Menu.Item component={Link} href="/users" leftSection={<IconUsers size={16} />}>
              Users and password
            </Menu.Item>
            <Menu.Item
              component="a"
              href={`${instancePath}/docs`}
              target="_blank"
              rel="noopener"
              leftSection={<IconBook size={16} />}
            >
              API reference
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item leftSection={<IconLogout size={16} />} onClick={signOut}>
              Sign out
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Box style={{ flex: '1 1 0', minWidth: 0, maxWidth: 440 }}>
        <Search onHelp={onHelp} />
      </Box>
      <Group gap={4} wrap="nowrap" justify="flex-end" style={{ flex: '0 1 auto' }}>
        <SchemeSwitch />
        <Tooltip label="Keyboard shortcuts (?)">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            onClick={onHelp}
            aria-label="Keyboard shortcuts"
            visibleFrom="sm"
          >
            <IconHelp size={19} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Group>
  );
}

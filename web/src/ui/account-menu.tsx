/** The menu of the signed-in user. */
import { Menu } from '@mantine/core';
import { IconBook, IconLogout, IconUserCircle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { instancePath } from '../page-facts.js';
import type { Session } from '../wire.js';
import * as common from '../words/common.js';
import * as words from '../words/shell.js';
import type { MenuButton } from './menu-on-demand.js';
import { OtherAccounts } from './other-accounts.js';
import { useSigningOut } from './sign-out.js';
import { Untrusted } from './untrusted.js';

interface AccountMenuProps {
  readonly button: MenuButton;
  readonly session: Session;
}

export function AccountMenu({ button, session }: AccountMenuProps) {
  const signOut = useSigningOut();
  return (
    <Menu position="bottom-start" width={240} withinPortal defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{words.signedInAs(<Untrusted>{session.user.email}</Untrusted>)}</Menu.Label>
        <Menu.Item component={Link} href="/your-account" leftSection={<IconUserCircle />}>
          {words.yourAccount}
        </Menu.Item>
        <Menu.Item
          component="a"
          href={`${instancePath}/docs/`}
          target="_blank"
          rel="noopener"
          leftSection={<IconBook />}
        >
          {common.documentation}
        </Menu.Item>
        {session.accounts.length > 1 && <OtherAccounts session={session} />}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout />} onClick={signOut}>
          {common.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

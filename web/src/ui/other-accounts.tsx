/** The other accounts this login has a user in: part of the account menu. */
import { Menu } from '@mantine/core';
import { IconSwitchHorizontal } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api.js';
import { switched } from '../session.js';
import type { Session } from '../wire.js';
import * as words from '../words/accounts.js';
import { tellFailure } from './tell.js';
import { Untrusted } from './untrusted.js';

export function OtherAccounts({ session }: { readonly session: Session }) {
  const change = useMutation({
    mutationFn: (accountId: string) => api.post<Session>('/session/switch', { account_id: accountId }),
    onSuccess: switched,
    onError: (error) => tellFailure(words.notSwitched, error),
  });
  return (
    <>
      <Menu.Divider />
      <Menu.Label>{words.switchAccount}</Menu.Label>
      {session.accounts
        .filter(({ id }) => id !== session.account.id)
        .map(({ id, name }) => (
          <Menu.Item key={id} leftSection={<IconSwitchHorizontal />} onClick={() => change.mutate(id)}>
            <Untrusted>{name}</Untrusted>
          </Menu.Item>
        ))}
    </>
  );
}

/** Pending invitations. */
import { Button, Table, Title } from '@mantine/core';
import { useInvitations, useRevokeInvitation } from '../../login-queries.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { ActionsHead, ListTable } from '../../ui/list-table.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as common from '../../words/common.js';
import * as words from '../../words/users.js';

export function Invitations() {
  const invitations = useInvitations();
  const revoke = useRevokeInvitation();
  if (invitations.data === undefined || invitations.data.length === 0) return null;
  return (
    <section aria-labelledby="invitations-title">
      <Title order={2} id="invitations-title" pb="xs">
        {words.openInvitations}
      </Title>
      <ListTable
        head={
          <>
            <Table.Th>{common.emailAddress}</Table.Th>
            <Table.Th>{words.role}</Table.Th>
            <Table.Th visibleFrom="xs">{words.expires}</Table.Th>
            <ActionsHead />
          </>
        }
      >
        {invitations.data.map(({ id, email, role, expires_at }) => (
          <Table.Tr key={id} h={47}>
            <Table.Td fw={500}>
              <Untrusted>{email}</Untrusted>
            </Table.Td>
            <Table.Td>{words.roleNames[role]}</Table.Td>
            <Table.Td c="dimmed" visibleFrom="xs">
              <RelativeTime iso={expires_at} />
            </Table.Td>
            <Table.Td ta="right">
              <Button
                variant="default"
                size="xs"
                aria-label={shownCharacters(words.revokeNamed(email))}
                onClick={() =>
                  revoke.mutate(id, {
                    onSuccess: () => tellDone(words.revoked),
                    onError: (error) => tellFailure(words.notRevoked, error),
                  })
                }
              >
                {words.revoke}
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </ListTable>
    </section>
  );
}

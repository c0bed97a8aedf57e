/** The users of this account. */
import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconMail, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useRemoveUser } from '../../account-queries.js';
import { useMay } from '../../may.js';
import { useProjectNames, useUsers } from '../../queries.js';
import { useSession } from '../../session.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { ActionsHead, ListTable } from '../../ui/list-table.js';
import { LoadingRows } from '../../ui/loading.js';
import { May } from '../../ui/may.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { User } from '../../wire.js';
import * as common from '../../words/common.js';
import { formatList } from '../../words/format.js';
import * as places from '../../words/places.js';
import * as words from '../../words/users.js';
import { AccountName } from './account-name.js';
import { AddUser } from './add-user.js';
import { ChangeRole } from './change-role.js';
import { Invitations } from './invitations.js';
import { Invite } from './invite.js';
import { RequireTwoFactors } from './require-two-factors.js';

/** The account role, or the roles in projects. */
function RoleOf({ user: { role, projects } }: { readonly user: User }) {
  const projectName = useProjectNames();
  if (role !== null) return words.roleNames[role];
  const names = projects.map((one) => words.roleIn(projectName(one.project_id), one.role));
  return <Untrusted>{formatList(names)}</Untrusted>;
}

export function UsersPage() {
  const users = useUsers();
  const me = useSession().data?.user;
  const remove = useRemoveUser();
  const [isAdding, adding] = useDisclosure();
  const [changed, setChanged] = useState<User | null>(null);
  const mayRead = useMay('users.read');
  const [isInviting, inviting] = useDisclosure();
  const askRemove = ({ id, email }: User) =>
    modals.openConfirmModal({
      title: words.removePerson,
      children: (
        <Text size="sm">
          {words.removeWarning(
            <b>
              <Untrusted>{email}</Untrusted>
            </b>,
          )}
        </Text>
      ),
      labels: { confirm: words.remove, cancel: common.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        remove.mutate(id, {
          onSuccess: () => tellDone(words.removed(email)),
          onError: (error) => tellFailure(words.notRemoved, error),
        }),
    });
  return (
    <>
      <PageHead
        title={words.users}
        actions={
          <May to="users.manage">
            <Group gap="xs">
              <Button component={Link} href="/single-sign-on" variant="default">
                {places.singleSignOn}
              </Button>
              <Button variant="default" leftSection={<IconPlus />} onClick={adding.open}>
                {words.addPerson}
              </Button>
              <Button leftSection={<IconMail />} onClick={inviting.open}>
                {words.invite}
              </Button>
            </Group>
          </May>
        }
      >
        {mayRead && (
          <Text size="sm" c="dimmed">
            {words.pageDescription}
          </Text>
        )}
      </PageHead>
      <AddUser opened={isAdding} onClose={adding.close} />
      {changed !== null && <ChangeRole user={changed} onClose={() => setChanged(null)} />}
      <Invite opened={isInviting} onClose={inviting.close} />
      <Stack gap="lg">
        {mayRead && users.isPending && <LoadingRows rows={3} height={47} />}
        {users.isLoadingError && <ProblemState error={users.error} retry={() => void users.refetch()} />}
        {users.data !== undefined && (
          <ListTable
            head={
              <>
                <Table.Th>{common.emailAddress}</Table.Th>
                <Table.Th>{words.role}</Table.Th>
                <Table.Th visibleFrom="sm">{words.addedAt}</Table.Th>
                <ActionsHead />
              </>
            }
          >
            {users.data.map((user) => (
              <Table.Tr key={user.id} h={47}>
                <Table.Td fw={500}>
                  <Untrusted>{user.email}</Untrusted>{' '}
                  {user.id === me?.id && (
                    <Badge color="gray" ml={4}>
                      {words.you}
                    </Badge>
                  )}
                </Table.Td>
                <Table.Td>
                  <RoleOf user={user} />
                </Table.Td>
                <Table.Td c="dimmed" visibleFrom="sm">
                  <RelativeTime iso={user.created_at} />
                </Table.Td>
                <Table.Td ta="right">
                  <May to="users.manage">
                    <Group gap="xs" justify="flex-end">
                      <Button
                        variant="default"
                        size="xs"
                        onClick={() => setChanged(user)}
                        aria-label={shownCharacters(words.changeRoleNamed(user.email))}
                      >
                        {words.changeRole}
                      </Button>
                      {user.id !== me?.id && (
                        <Button
                          variant="default"
                          size="xs"
                          onClick={() => askRemove(user)}
                          aria-label={shownCharacters(words.removeNamed(user.email))}
                        >
                          {words.remove}
                        </Button>
                      )}
                    </Group>
                  </May>
                </Table.Td>
              </Table.Tr>
            ))}
          </ListTable>
        )}
        <May to="users.manage">
          <Invitations />
          <RequireTwoFactors />
          <AccountName />
        </May>
      </Stack>
    </>
  );
}

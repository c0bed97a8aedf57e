/** People who may sign in to this account. */
import { Badge, Button, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconPlus } from '@tabler/icons-react';
import { useRemoveUser } from '../../account-queries.js';
import { useUsers } from '../../queries.js';
import { useSession } from '../../session.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { LoadingRows } from '../../ui/loading.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { User } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/users.js';
import { AddUser } from './add-user.js';
import { ChangePassword } from './change-password.js';

export function UsersPage() {
  const users = useUsers();
  const me = useSession().data?.user;
  const remove = useRemoveUser();
  const [isAdding, adding] = useDisclosure();
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
          <Button leftSection={<IconPlus />} onClick={adding.open}>
            {words.addPerson}
          </Button>
        }
      >
        <Text size="sm" c="dimmed">
          {words.pageDescription}
        </Text>
      </PageHead>
      <AddUser opened={isAdding} onClose={adding.close} />
      <Stack gap="lg">
        {users.isPending && <LoadingRows rows={3} height={47} />}
        {users.isLoadingError && <ProblemState error={users.error} retry={() => void users.refetch()} />}
        {users.data !== undefined && (
          <Table.ScrollContainer type="native" minWidth={300} className="list">
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{common.emailAddress}</Table.Th>
                  <Table.Th>{words.addedAt}</Table.Th>
                  <Table.Th>
                    <VisuallyHidden>{common.actions}</VisuallyHidden>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
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
                    <Table.Td c="dimmed">
                      <RelativeTime iso={user.created_at} />
                    </Table.Td>
                    <Table.Td ta="right">
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
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        {me !== undefined && <ChangePassword email={me.email} />}
      </Stack>
    </>
  );
}

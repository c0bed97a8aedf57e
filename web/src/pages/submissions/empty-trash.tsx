/** Deletes everything in the trash of a form, a project or the account, a hundred at a time. */
import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api.js';
import { pathOf, type Scope } from '../../queries.js';
import { countOf } from '../../ui/numbers.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { SubmissionPage } from '../../wire.js';

const maxAtOnce = 100;

async function empty(scope: Scope, onDeleted: (ids: readonly string[]) => void): Promise<number> {
  let deleted = 0;
  let cursor: string | null = null;
  do {
    const page: SubmissionPage = await api.get<SubmissionPage>(`${pathOf(scope)}/submissions`, {
      folder: 'trash',
      limit: maxAtOnce,
      cursor,
    });
    const ids = page.data.map(({ id }) => id);
    if (ids.length > 0) await api.post('/submissions/delete', { ids });
    deleted += ids.length;
    onDeleted(ids);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return deleted;
}

interface EmptyTrashProps {
  readonly scope: Scope;
  readonly onDeleted: (ids: readonly string[]) => void;
}

export function EmptyTrash({ scope, onDeleted }: EmptyTrashProps) {
  const emptying = useMutation({
    mutationFn: () => empty(scope, onDeleted),
    onSuccess: (deleted) => tellDone(`${countOf(deleted, 'submission')} deleted`),
    onError: (error) => tellFailure('The trash is not empty yet', error),
  });
  const ask = () =>
    modals.openConfirmModal({
      title: 'Empty trash',
      children: (
        <Text size="sm">
          Everything in the trash is deleted for good, with files and the record of its deliveries. This
          cannot be undone.
        </Text>
      ),
      labels: { confirm: 'Delete everything in the trash', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () => emptying.mutate(),
    });
  return (
    <Button
      variant="default"
      leftSection={<IconTrash size={16} stroke={1.6} />}
      loading={emptying.isPending}
      onClick={ask}
    >
      Empty trash
    </Button>
  );
}

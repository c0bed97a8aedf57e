/** Deletes everything in the trash of a form, a project or the account, in batches of a hundred. */
import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api.js';
import { useMayIn } from '../../may.js';
import { pathOf, type Scope } from '../../queries.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { Submission, SubmissionPage } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/submissions.js';

const maxAtOnce = 100;

interface EmptyTrashProps {
  readonly scope: Scope;
  readonly onDeleted: (ids: readonly string[]) => void;
}

async function empty(
  { scope, onDeleted }: EmptyTrashProps,
  may: (row: Submission) => boolean,
): Promise<number> {
  let deleted = 0;
  let cursor: string | null = null;
  do {
    const page: SubmissionPage = await api.get<SubmissionPage>(`${pathOf(scope)}/submissions`, {
      folder: 'trash',
      limit: maxAtOnce,
      cursor,
    });
    const ids = page.data.filter(may).map(({ id }) => id);
    if (ids.length > 0) await api.post('/submissions/delete', { ids });
    deleted += ids.length;
    onDeleted(ids);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return deleted;
}

export function EmptyTrash(props: EmptyTrashProps) {
  const may = useMayIn('submissions.manage');
  const emptying = useMutation({
    mutationFn: () => empty(props, may),
    onSuccess: (deleted) => tellDone(words.deleted(deleted)),
    onError: (error) => tellFailure(words.trashNotEmptied, error),
  });
  const ask = () =>
    modals.openConfirmModal({
      title: words.emptyTrash,
      children: <Text size="sm">{words.emptyTrashWarning}</Text>,
      labels: { confirm: words.emptyTrashConfirm, cancel: common.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => emptying.mutate(),
    });
  return (
    <Button
      variant="default"
      fw={400}
      leftSection={<IconTrash size={16} stroke={1.6} />}
      loading={emptying.isPending}
      onClick={ask}
    >
      {words.emptyTrash}
    </Button>
  );
}

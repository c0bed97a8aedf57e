/** Asks, and deletes submissions a hundred at a time. */
import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { api } from '../../api.js';
import { countOf } from '../../ui/numbers.js';
import { tellDone, tellFailure } from '../../ui/tell.js';

const maxAtOnce = 100;

interface Wish {
  readonly ids: readonly string[];
  /** After each batch that is gone. */
  readonly onDeleted: (ids: readonly string[]) => void;
}

async function deleteAll({ ids, onDeleted }: Wish): Promise<void> {
  let deleted = 0;
  try {
    for (let at = 0; at < ids.length; at += maxAtOnce) {
      const batch = ids.slice(at, at + maxAtOnce);
      await api.post('/submissions/delete', { ids: batch });
      deleted += batch.length;
      onDeleted(batch);
    }
    tellDone(`${countOf(deleted, 'submission')} deleted`);
  } catch (error) {
    tellFailure(
      deleted === 0 ? 'Nothing was deleted' : `Only ${countOf(deleted, 'submission')} deleted`,
      error,
    );
  }
}

export function askToDelete(wish: Wish): void {
  const what = countOf(wish.ids.length, 'submission');
  modals.openConfirmModal({
    title: `Delete ${what}`,
    children: (
      <Text size="sm">
        {wish.ids.length === 1 ? 'It is' : 'They are'} deleted for good, with files and the record of their
        deliveries. This cannot be undone.
      </Text>
    ),
    labels: { confirm: `Delete ${what}`, cancel: 'Cancel' },
    confirmProps: { color: 'red' },
    onConfirm: () => void deleteAll(wish),
  });
}

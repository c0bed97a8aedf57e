/** Asks for confirmation and deletes submissions in batches of a hundred. */
import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { api } from '../../api.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import * as common from '../../words/common.js';
import * as words from '../../words/submissions.js';

const maxAtOnce = 100;

interface Wish {
  readonly ids: readonly string[];
  /** Called after each deleted batch. */
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
    tellDone(words.deleted(deleted));
  } catch (error) {
    tellFailure(deleted === 0 ? words.nothingDeleted : words.onlyDeleted(deleted), error);
  }
}

export function askToDelete(wish: Wish): void {
  modals.openConfirmModal({
    title: words.deleteMany(wish.ids.length),
    children: <Text size="sm">{words.deleteWarning(wish.ids.length)}</Text>,
    labels: { confirm: words.deleteMany(wish.ids.length), cancel: common.cancel },
    confirmProps: { color: 'red' },
    onConfirm: () => void deleteAll(wish),
  });
}

/** Keys that change the selected rows or, without a selection, the highlighted one. */
import type { InboxActions } from '../../inbox/actions.js';
import type { Selection } from '../../ui/selection.js';
import type { MovableFolder, Submission } from '../../wire.js';
import type { Choosing } from './selection-actions.js';

interface RowKeys {
  readonly chosenRows: readonly Submission[];
  readonly selection: Selection;
  readonly actions: InboxActions;
  /** Opens a picker for the selected rows and this one. */
  readonly onChoose: (choosing: Choosing, id: string) => void;
}

type Keys = Readonly<Record<string, (highlighted: Submission) => void>>;

export function rowKeys({ chosenRows, selection, actions, onChoose }: RowKeys): Keys {
  const meant = (highlighted: Submission) => (chosenRows.length > 0 ? chosenRows : [highlighted]);
  const choose = (choosing: Choosing) => (highlighted: Submission) => {
    if (meant(highlighted).some(actions.may)) onChoose(choosing, (chosenRows[0] ?? highlighted).id);
  };
  const move = (folder: MovableFolder) => (highlighted: Submission) => {
    const rows = meant(highlighted).filter((row) => row.folder !== folder && row.folder !== 'unconfirmed');
    if (rows.length > 0) void actions.move(rows, folder);
    selection.clear();
  };
  return {
    x: ({ id }) => selection.toggle(id),
    X: ({ id }) => selection.extendTo(id),
    e: move('archive'),
    '#': move('trash'),
    '!': move('spam'),
    s: (highlighted) => {
      const rows = meant(highlighted);
      void actions.star(
        rows,
        rows.some(({ is_starred }) => is_starred !== true),
      );
    },
    u: (highlighted) => {
      const rows = meant(highlighted);
      void actions.mark(
        rows,
        rows.some(({ is_read }) => is_read === false),
      );
    },
    l: choose('labels'),
    a: choose('assignee'),
  };
}

/** The changes that restore submissions to their state before a change. */
import type { InboxChange, InboxState } from '../../model/inbox.js';

export interface Undo {
  readonly ids: readonly string[];
  readonly change: InboxChange;
}

/** Only what was different: an undo must not touch what other users changed meanwhile. */
function undoOf(before: InboxState, change: InboxChange): InboxChange {
  const had = new Set(before.labels.map(({ id }) => id));
  const added = (change.addLabels ?? []).filter((id) => !had.has(id));
  const removed = (change.removeLabels ?? []).filter((id) => had.has(id));
  const { folder, isRead, isStarred, assigneeId } = change;
  return {
    ...(folder !== undefined &&
      folder !== before.folder &&
      before.folder !== 'unconfirmed' && { folder: before.folder }),
    ...(isRead !== undefined &&
      before.isRead !== null &&
      isRead !== before.isRead && { isRead: before.isRead }),
    ...(isStarred !== undefined && isStarred !== before.isStarred && { isStarred: before.isStarred }),
    ...(assigneeId !== undefined && assigneeId !== before.assigneeId && { assigneeId: before.assigneeId }),
    ...(removed.length > 0 && { addLabels: removed }),
    ...(added.length > 0 && { removeLabels: added }),
  };
}

/** One entry for all submissions that need the same undo. */
export function planUndo(before: readonly InboxState[], change: InboxChange): readonly Undo[] {
  const groups = new Map<string, { ids: string[]; change: InboxChange }>();
  for (const state of before) {
    const undo = undoOf(state, change);
    if (Object.keys(undo).length === 0) continue;
    const key = JSON.stringify(undo);
    const group = groups.get(key);
    if (group) group.ids.push(state.id);
    else groups.set(key, { ids: [state.id], change: undo });
  }
  return [...groups.values()];
}

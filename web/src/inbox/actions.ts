/** The inbox actions and the messages shown after them. */

import { useMemo } from 'react';
import { useChangeSubmissions, type Wish } from '../inbox-queries.js';
import { useMayIn } from '../may.js';
import type { MovableFolder, Submission, SubmissionsChange } from '../wire.js';
import * as words from '../words/inbox-actions.js';

/** The message for a number of changed submissions. */
type Done = (count: number) => string;

const moved: Readonly<Record<MovableFolder, Done>> = {
  inbox: words.movedToInbox,
  archive: words.archived,
  spam: words.markedAsSpam,
  trash: words.movedToTrash,
};

type Row = Pick<Submission, 'id' | 'project_id'>;
type Rows = readonly Row[];

/** Each action skips rows that the user may not change. Resolves to true once all others are changed. */
export interface InboxActions {
  /** Whether the user may change this row. Lists show rows of several projects. */
  readonly may: (row: Row) => boolean;
  readonly move: (rows: Rows, folder: MovableFolder) => Promise<boolean>;
  readonly star: (rows: Rows, isStarred: boolean) => Promise<boolean>;
  /** By a button or a key. */
  readonly mark: (rows: Rows, isRead: boolean) => Promise<boolean>;
  /** Marks as read on open; not undoable. */
  readonly open: (row: Row) => Promise<boolean>;
  readonly assign: (rows: Rows, userId: string | null) => Promise<boolean>;
  readonly label: (rows: Rows, labelId: string, isOn: boolean) => Promise<boolean>;
}

export function useInboxActions(): InboxActions {
  const change = useChangeSubmissions();
  const may = useMayIn('inbox.manage');
  return useMemo(() => {
    // Checked here because it also covers keyboard shortcuts and marking as read on open.
    const make = (rows: Rows, wishOf: (count: number) => Omit<Wish, 'ids'>) => {
      const ids = rows.filter(may).map(({ id }) => id);
      return ids.length === 0 ? Promise.resolve(false) : change({ ids, ...wishOf(ids.length) });
    };
    const seen = (rows: Rows, change: SubmissionsChange, done: Done) =>
      make(rows, (count) => ({ change, said: count === 1 ? null : done(count) }));
    return {
      may,
      move: (rows, folder) => make(rows, (count) => ({ change: { folder }, said: moved[folder](count) })),
      star: (rows, isStarred) =>
        seen(rows, { is_starred: isStarred }, isStarred ? words.starred : words.unstarred),
      mark: (rows, isRead) =>
        seen(rows, { is_read: isRead }, isRead ? words.markedAsRead : words.markedAsUnread),
      open: (row) => make([row], () => ({ change: { is_read: true }, said: null, isUndoable: false })),
      assign: (rows, userId) =>
        seen(rows, { assignee_id: userId }, userId === null ? words.unassigned : words.assigned),
      label: (rows, labelId, isOn) =>
        seen(
          rows,
          isOn ? { add_labels: [labelId] } : { remove_labels: [labelId] },
          isOn ? words.labelled : words.unlabelled,
        ),
    };
  }, [change, may]);
}

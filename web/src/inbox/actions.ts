/** The verbs of the inbox, with what is said once they are done. */
import { useMemo } from 'react';
import { useChangeSubmissions } from '../inbox-queries.js';
import { countOf } from '../ui/numbers.js';
import type { Folder, SubmissionsChange } from '../wire.js';

const moved: Readonly<Record<Folder, string>> = {
  inbox: 'moved to inbox',
  archive: 'archived',
  spam: 'marked as spam',
  trash: 'moved to trash',
};

/** `Moved to trash`, `3 submissions moved to trash`. */
const saidOf = (count: number, done: string): string =>
  count === 1 ? `${done.charAt(0).toUpperCase()}${done.slice(1)}` : `${countOf(count, 'submission')} ${done}`;

export type Ids = readonly string[];

export interface InboxActions {
  readonly move: (ids: Ids, folder: Folder) => Promise<boolean>;
  readonly star: (ids: Ids, isStarred: boolean) => Promise<boolean>;
  /** By a button or a key. */
  readonly mark: (ids: Ids, isRead: boolean) => Promise<boolean>;
  /** By opening it: there is nothing to undo. */
  readonly open: (id: string) => Promise<boolean>;
  readonly assign: (ids: Ids, userId: string | null) => Promise<boolean>;
  readonly label: (ids: Ids, labelId: string, isOn: boolean) => Promise<boolean>;
}

export function useInboxActions(): InboxActions {
  const make = useChangeSubmissions();
  return useMemo(() => {
    const seen = (ids: Ids, change: SubmissionsChange, done: string) =>
      make({ ids, change, said: ids.length === 1 ? null : saidOf(ids.length, done) });
    return {
      move: (ids, folder) => make({ ids, change: { folder }, said: saidOf(ids.length, moved[folder]) }),
      star: (ids, isStarred) =>
        seen(ids, { is_starred: isStarred }, isStarred ? 'starred' : 'no longer starred'),
      mark: (ids, isRead) => seen(ids, { is_read: isRead }, isRead ? 'marked as read' : 'marked as unread'),
      open: (id) => make({ ids: [id], change: { is_read: true }, said: null, isUndoable: false }),
      assign: (ids, userId) =>
        seen(ids, { assignee_id: userId }, userId === null ? 'no longer assigned' : 'assigned'),
      label: (ids, labelId, isOn) =>
        seen(
          ids,
          isOn ? { add_labels: [labelId] } : { remove_labels: [labelId] },
          isOn ? 'labelled' : 'no longer labelled',
        ),
    };
  }, [make]);
}

/** The inbox actions and the messages shown after them. */

import { useMemo } from 'react';
import { useChangeSubmissions } from '../inbox-queries.js';
import { useMay } from '../may.js';
import type { MovableFolder, SubmissionsChange } from '../wire.js';
import * as words from '../words/inbox-actions.js';

/** The message for a number of changed submissions. */
type Done = (count: number) => string;

const moved: Readonly<Record<MovableFolder, Done>> = {
  inbox: words.movedToInbox,
  archive: words.archived,
  spam: words.markedAsSpam,
  trash: words.movedToTrash,
};

export type Ids = readonly string[];

export interface InboxActions {
  readonly move: (ids: Ids, folder: MovableFolder) => Promise<boolean>;
  readonly star: (ids: Ids, isStarred: boolean) => Promise<boolean>;
  /** By a button or a key. */
  readonly mark: (ids: Ids, isRead: boolean) => Promise<boolean>;
  /** Marks as read on open; not undoable. */
  readonly open: (id: string) => Promise<boolean>;
  readonly assign: (ids: Ids, userId: string | null) => Promise<boolean>;
  readonly label: (ids: Ids, labelId: string, isOn: boolean) => Promise<boolean>;
}

export function useInboxActions(): InboxActions {
  const change = useChangeSubmissions();
  const may = useMay('inbox.manage');
  return useMemo(() => {
    // Checked here because it also covers keyboard shortcuts and marking as read on open.
    const make: typeof change = (wanted) => (may ? change(wanted) : Promise.resolve(false));
    const seen = (ids: Ids, change: SubmissionsChange, done: Done) =>
      make({ ids, change, said: ids.length === 1 ? null : done(ids.length) });
    return {
      move: (ids, folder) => make({ ids, change: { folder }, said: moved[folder](ids.length) }),
      star: (ids, isStarred) =>
        seen(ids, { is_starred: isStarred }, isStarred ? words.starred : words.unstarred),
      mark: (ids, isRead) =>
        seen(ids, { is_read: isRead }, isRead ? words.markedAsRead : words.markedAsUnread),
      open: (id) => make({ ids: [id], change: { is_read: true }, said: null, isUndoable: false }),
      assign: (ids, userId) =>
        seen(ids, { assignee_id: userId }, userId === null ? words.unassigned : words.assigned),
      label: (ids, labelId, isOn) =>
        seen(
          ids,
          isOn ? { add_labels: [labelId] } : { remove_labels: [labelId] },
          isOn ? words.labelled : words.unlabelled,
        ),
    };
  }, [change, may]);
}

/** Actions on submissions, wherever they are listed. */
import { count } from './format.js';

// Results
export const archived = (submissions: number): string =>
  count(submissions, { one: 'Archived', other: '# submissions archived' });
export const assigned = (submissions: number): string =>
  count(submissions, { one: 'Assigned', other: '# submissions assigned' });
export const labelled = (submissions: number): string =>
  count(submissions, { one: 'Labelled', other: '# submissions labelled' });
export const markedAsRead = (submissions: number): string =>
  count(submissions, { one: 'Marked as read', other: '# submissions marked as read' });
export const markedAsSpam = (submissions: number): string =>
  count(submissions, { one: 'Marked as spam', other: '# submissions marked as spam' });
export const markedAsUnread = (submissions: number): string =>
  count(submissions, { one: 'Marked as unread', other: '# submissions marked as unread' });
export const movedToInbox = (submissions: number): string =>
  count(submissions, { one: 'Moved to inbox', other: '# submissions moved to inbox' });
export const movedToTrash = (submissions: number): string =>
  count(submissions, { one: 'Moved to trash', other: '# submissions moved to trash' });
export const starred = (submissions: number): string =>
  count(submissions, { one: 'Starred', other: '# submissions starred' });
export const unassigned = (submissions: number): string =>
  count(submissions, { one: 'No longer assigned', other: '# submissions no longer assigned' });
export const unlabelled = (submissions: number): string =>
  count(submissions, { one: 'No longer labelled', other: '# submissions no longer labelled' });
export const unstarred = (submissions: number): string =>
  count(submissions, { one: 'No longer starred', other: '# submissions no longer starred' });

// Moves
export const moveToInbox = 'Move to inbox';
export const notSpam = 'Not spam';
export const restore = 'Restore';

// Assignee
export const assignedNow = 'Now';
export const me = 'me';
export const meChoice = 'Me';
export const nobody = 'Nobody';
/** For users who must not see the other users. */
export const somebodyElse = 'somebody else';
/** While the users load. */
export const userNotKnownYet = '…';

// Labels
export const createLabel = (name: string): string => `Create “${name}”`;
export const createLabelFailed = 'The label was not created';
export const findLabel = 'Find a label';
export const findOrCreateLabel = 'Find or create a label';
export const labels = 'Labels';
export const noLabels = 'No labels yet. Type a name to create one.';
export const noLabelsToUse = 'No labels yet. An editor of the account can create them.';

// Star
export const star = 'Star';

// Range of days
/** From one day to another; an empty end is open. */
export function dayRange(from: string, to: string): string {
  if (from === '' && to === '') return 'Any time';
  if (from === to) return from;
  if (to === '') return `Since ${from}`;
  return from === '' ? `Until ${to}` : `${from} – ${to}`;
}

/** A button's label with its shortcut. */
export const withKey = (label: string, key: string): string => `${label} (${key})`;

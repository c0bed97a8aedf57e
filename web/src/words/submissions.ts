/** Lists of submissions: status, filters, selections and exports. */
import type { ReactNode } from 'react';
import { count, formatBytes, formatNumber, formatTime } from './format.js';
import { sentence } from './sentence.js';

// Status of a list
export const newCount = (n: number): string => `${formatNumber(n)} new`;
export const newMoreThan = (n: number): string => `More than ${formatNumber(n)} new`;
export const shownAll = (n: number): string => count(n, { one: '# submission', other: '# submissions' });
export const shownOfMore = (n: number): string =>
  count(n, { one: '# submission shown', other: '# submissions shown' });
export const shownBelow = (n: number, newer: number): string =>
  `${shownOfMore(n)}, ${formatNumber(newer)} newer above`;
export const shownBelowMoreThan = (n: number, newer: number): string =>
  `${shownOfMore(n)}, more than ${formatNumber(newer)} newer above`;

interface Asked {
  readonly hasWords: boolean;
  readonly hasDays: boolean;
  readonly hasState: boolean;
}
export const noSubmissionMatches = 'No submission matches these filters.';
export const nothingFits = ({ hasWords, hasDays, hasState }: Asked): string => {
  const days = hasDays ? ' in these days' : '';
  const clauses = [
    ...(hasWords ? [`has these words${days}`] : hasDays ? [`came${days}`] : []),
    ...(hasState ? ['has deliveries in this state'] : []),
  ];
  if (clauses.length === 0) return noSubmissionMatches;
  return `No submission ${clauses.join(' and ')}.${hasWords ? ' Search matches the start of words.' : ''}`;
};

// Days, deleting, exporting
export const lastDays = (n: number): string => count(n, { one: '# day', other: '# days' });
export const deleteWarning = (n: number): string =>
  count(n, {
    one: 'It is deleted for good, with its files and the record of its deliveries. This cannot be undone.',
    other:
      'They are deleted for good, with their files and the record of their deliveries. This cannot be undone.',
  });
export const exportProgress = (rows: number, bytes: number): string =>
  count(rows, {
    one: `# submission · ${formatBytes(bytes)}`,
    other: `# submissions · ${formatBytes(bytes)}`,
  });
export const live = 'live';

// Choose columns
export const columns = 'Columns';
export const automatic = 'Automatic';

// Filter by a column
export const howToCompare = 'How to compare';
export const contains = 'Contains';
export const isExactly = 'Is exactly';
export const textToFind = 'Text to find';
export const clear = 'Clear';
export const apply = 'Apply';
export const filterBy = (field: string): string => `Filter by ${field}`;

// Date range
export const today = 'Today';
export const anyTime = 'Any time';
export const received = 'Received';
export const from = 'From';
export const to = 'To';
export const daysHint = 'Whole days, in your time zone';

// Delete for good
export const deleted = (n: number): string =>
  count(n, { one: '# submission deleted', other: '# submissions deleted' });
export const nothingDeleted = 'Nothing was deleted';
export const onlyDeleted = (n: number): string =>
  count(n, { one: 'Only # submission deleted', other: 'Only # submissions deleted' });
export const deleteMany = (n: number): string =>
  count(n, { one: 'Delete # submission', other: 'Delete # submissions' });

// Empty the trash
export const trashNotEmptied = 'The trash is not empty yet';
export const emptyTrash = 'Empty trash';
export const emptyTrashWarning =
  'Everything in the trash is deleted for good, with its files and the record of its deliveries. This cannot be undone.';
export const emptyTrashConfirm = 'Delete everything in the trash';

// Export all
export const jsonLines = 'JSON lines';
export const exportedAs = (n: number, bytes: number): string =>
  count(n, {
    one: `# submission exported, ${formatBytes(bytes)}`,
    other: `# submissions exported, ${formatBytes(bytes)}`,
  });
export const connectionBroke = 'The connection broke.';
export const exportAs = (format: string): string => `Export submissions as ${format}`;
export const exportLabel = 'Submissions exported';
export const exportEnded = (reason: string): string =>
  `The export ended early, and nothing was saved. ${reason}`;

// Export the selection
export const csvForSpreadsheets = 'CSV, for spreadsheets';
export const jsonLinesForPrograms = 'JSON lines, for programs';
export const exported = (n: number): string =>
  count(n, { one: '# submission exported', other: '# submissions exported' });
export const nothingExported = 'Nothing was exported';

// The columns
export const submission = 'Submission';
export const labels = 'Labels';
export const files = 'Files';
export const delivery = 'Delivery';

// Search and filters
export const inbox = 'Inbox';
export const archive = 'Archive';
export const inboxAndArchive = 'Inbox and archive';
export const spam = 'Spam';
export const trash = 'Trash';
export const unconfirmed = 'Unconfirmed';
export const allFolders = 'All folders';
export const label = 'Label';
export const filterAssignee = 'Assigned to';
export const me = 'Me';
export const nobody = 'Nobody';
export const somebodyElse = 'Somebody else';
export const allFilters = 'All filters';
export const filter = 'Filter';
export const filterByWhat = 'Filter by';
export const filters = 'Filters';
export const folder = 'Folder';
export const filterRead = 'Read';
export const unread = 'Unread';
export const onlyRead = 'Read';
export const filterStar = 'Star';
export const starred = 'Starred';
export const notStarred = 'Not starred';
export const containsText = (text: string): string => `contains ${text}`;
export const searchInSubmissions = 'Search in submissions';

// Empty folders
export const noForm = 'No forms yet';
export const noFormHint = 'What visitors send through your forms arrives here.';
export const createFirstForm = 'Create your first form';
export const inboxEmpty = 'New submissions arrive here.';
export const archiveEmpty = 'Archived submissions appear here.';
export const spamEmpty = 'Submissions that you mark as spam appear here. Their deliveries are paused.';
export const aboutSpam = (quarantine: ReactNode): ReactNode =>
  sentence`Marked as spam by you or your team; deliveries are paused. What the honeypot caught is in ${quarantine}.`;
export const theQuarantine = 'quarantine';
export const unconfirmedEmpty = 'Submissions to forms with double opt-in wait here until they are confirmed.';
export const trashEmpty = 'Submissions in the trash are deleted for good after 30 days.';
export const keptEmpty = 'New and archived submissions appear here.';

// The menu of a row
export const markAsRead = 'Mark as read';
export const markAsUnread = 'Mark as unread';
export const assignTo = 'Assign to';

// Saved views
export const saveView = 'Save view';
export const saveViewDescription = 'It appears in the sidebar, for everybody in the account.';
export const viewNameExample = 'Urgent and not assigned';
export const viewSaved = 'View saved';
export const viewNotRenamed = 'The view was not renamed';
export const nameOfView = (view: string): string => `Name of ${view}`;
export const moveViewUp = (view: string): string => `Move ${view} up`;
export const moveViewDown = (view: string): string => `Move ${view} down`;
export const deleteView = (view: string): string => `Delete ${view}`;
export const viewNotDeleted = 'The view was not deleted';
export const orderNotSaved = 'The order was not saved';
export const manageViews = 'Manage views';
export const savedViews = 'Saved views';
export const savedViewsDescription = 'Everybody in the account has these views.';

// Actions on the selection
export const addStar = 'Star';
export const removeStar = 'Remove the star';
export const exportTheSelection = 'Export the selection';
export const exportLimit = (n: number): string =>
  `Select up to ${formatNumber(n)} submissions to export them`;
export const assign = 'Assign';
export const deleteForGood = 'Delete for good';

// The list
export const exportAll = 'Export';
export const exportAllDescription = 'All of the inbox and the archive, regardless of search and filters';
export const csvOfFolder = (folder: string): string => `CSV, only this folder (${folder})`;
export const csvForExcel = 'CSV, for Excel';
export const noMatches = 'No matches';
export const showAll = 'Show all';
export const nothingHere = 'Nothing here';

// A row
export const assignedTo = (person: string): string => `Assigned to ${person}`;
export const assignedToInLine = (person: string): string => `assigned to ${person}`;
export const onlyFiles = 'Files only';
export const noFields = 'Empty';
export const withFiles = 'With files';
export const selectOf = (iso: string): string => `Select the submission of ${formatTime(iso)}`;

// Delivery state of a submission
export const everythingDelivered = 'Everything was delivered';
export const someWaiting = 'At least one delivery is waiting or being sent';
export const somePaused: Readonly<Record<'spam' | 'trash', string>> = {
  spam: 'Nothing is sent while it is in spam',
  trash: 'Nothing is sent while it is in the trash',
};
export const someFailed = 'At least one delivery failed';

// Below the list
export const checkedRegularly = 'checked every 10 s';
export const showMore = 'Show more';

export const shownSubmission = 'Shown submission';

// Values by kind
export const yesOrNo = (value: boolean): string => (value ? 'Yes' : 'No');

// A filter by any field
export const fieldFilter = 'Field';

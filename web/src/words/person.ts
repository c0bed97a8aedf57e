/** Finding, exporting and erasing the data stored about a person. */
import { count } from './format.js';

export const description =
  'Find everything stored about a person, across all forms: submissions, files, quarantine, deliveries and notes.';
export const who = 'E-mail address, phone number or name';
export const whoHint =
  'Whole words only. Upper and lower case, accents, and the way a number is written do not matter.';
export const find = 'Find';
export const notFound = 'Nothing is stored of this person';
export const notFoundHint =
  'If they wrote from another address, search for that too. Settings of forms and users of this dashboard are not searched.';
export const found = (n: number): string => count(n, { one: '# entry found', other: '# entries found' });
export const where = 'Where';
export const entries = 'Entries';
export const stored = 'Stored';
export const submission = 'Submission';
export const open = 'Open';
export const truncated = 'The first 100 entries are shown. The export has all of them.';

export const placeNames: Readonly<Record<string, string>> = {
  submissions: 'Submissions',
  files: 'File names',
  confirmations: 'Confirmations',
  quarantine: 'Quarantine',
  deliveries: 'Deliveries',
  attempts: 'Delivery attempts',
  mails: 'Queued e-mail',
  notes: 'Notes',
  idempotency_results: 'Results of repeated requests',
  rejections: 'Rejected requests',
  suppressed_addresses: 'Suppressed addresses',
  replays: 'Replays',
  views: 'Saved views',
  fields: 'Field names',
  destination_errors: 'Errors of destinations',
};

export const exportAll = 'Export';
export const exported = 'The export is saved';
export const notExported = 'The export failed';

export const erase = 'Erase';
export const eraseTitle = 'Erase this person';
export const eraseWarning =
  'Submissions that contain this person are deleted whole, with their files, notes and deliveries, and cannot be restored. Backups that you made before still contain them. After a restore they are erased again.';
export const erasing = 'Erasing has started';

export const erasures = 'Erasures';
export const erasuresHint =
  'Inlet does not store who was erased. The receipt has a keyed hash that only this instance can compare.';
export const begun = 'Started';
export const status = 'Status';
export const erased = 'Erased';
export const stages: Readonly<Record<string, string>> = {
  rows: 'Deleting entries',
  late: 'Checking once more',
  files: 'Deleting files',
  traces: 'Removing traces from the database',
  finished: 'Finished',
};
export const erasedEntries = (n: number): string => count(n, { one: '# entry', other: '# entries' });
export const receipt = 'Save receipt';
export const noErasures = 'Nobody has been erased yet.';

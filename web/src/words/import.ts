/** Importing submissions from another service. */
import type { ReactNode } from 'react';
import { count, formatBytes, formatNumber, formatPercent } from './format.js';
import { sentence } from './sentence.js';

// Meanings of columns
export const meaningField = 'Field';
export const meaningDate = 'Date of the submission';
export const meaningId = 'Id at the service';
export const meaningIp = 'IP address';
export const meaningBrowser = 'Browser';
export const meaningPage = 'Page it was sent from';
export const meaningSpam = 'Spam mark';
export const meaningFile = 'Link to a file';
export const meaningNone = 'Leave out';
export const columnsOfFile = 'Columns of the file';
export const column = 'Column';
export const meaning = 'Meaning';
export const storedAs = 'Stored as';
export const meaningOf = (column: string): string => `Meaning of ${column}`;
export const fieldFor = (column: string): string => `Field for ${column}`;
export const moreColumns = (n: number): string =>
  count(n, {
    one: 'And # more column, imported as recognised.',
    other: 'And # more columns, imported as recognised.',
  });

// Why an import ended early
export const connectionBroke = 'The connection broke. Import the file again to complete it.';
export const stopped = 'The import was stopped. Rows imported so far are stored.';

// Before the page of a running import is left
export const leaveQuestion = {
  title: 'Stop the import?',
  text: 'Leaving this page stops the import. Rows imported so far are stored.',
  leave: 'Stop the import',
} as const;

// The page
export const anyFile = 'Any CSV or JSON file';
export const datesDetect = 'Detect';
export const datesDayFirst = 'Day first';
export const datesMonthFirst = 'Month first';
export const pageTitle = 'Import submissions';
export const pageDescription =
  'Bring the submissions of another service with their dates. Nothing is delivered, mailed or counted as new. You can import the same file again: rows that already exist are skipped.';
export const file = 'File';
export const fileDescription = 'CSV, JSON or JSON lines, UTF-8, up to 256 MB';
export const madeBy = 'Exported from';
export const madeByDescription = 'Columns of a known service are recognised.';
export const notImported = 'The file was not imported';
export const columns = 'Columns';
export const dates = 'Dates such as 03/04/2024';
export const downloadLinkedFiles = 'Download linked files';
export const includeRowsMarkedAsSpam = 'Include rows marked as spam';
export const progressLabel = 'Part of the file that was imported';
export const progress = (part: number, size: number): string =>
  `${formatPercent(part)} of ${formatBytes(size)}`;
export const storingLast = 'Storing the last rows';
export const importFile = 'Import';
export const stop = 'Stop';
export const firstRows = 'First rows';
export const noneImportable = 'None of the first rows can be imported like this.';
export const noneImportableBecause = (line: number, reason: string): string =>
  `None of the first rows can be imported like this: line ${line} ${reason}.`;
export const beforeYouImport = 'Before you import';
export const imported = (n: number): string =>
  count(n, { one: '# submission imported', other: '# submissions imported' });
export const alreadyThere = (n: number): string =>
  count(n, { one: '# row was there already', other: '# rows were there already' });
export const rejected = (n: number): string =>
  count(n, { one: '# row was rejected', other: '# rows were rejected' });
export const spamLeftOut = (n: number): string =>
  count(n, { one: '# row marked as spam left out', other: '# rows marked as spam left out' });
export const filesStored = (stored: number, failed: number): string =>
  count(stored, {
    one: `# file stored, ${formatNumber(failed)} not`,
    other: `# files stored, ${formatNumber(failed)} not`,
  });
export const warning = 'Warning';
export const rejectedRows = 'Rejected rows';
export const rejectedRow = (line: number, reason: ReactNode): ReactNode => sentence`Line ${line}: ${reason}`;
export const moreRejected = (n: number): string => `And ${formatNumber(n)} more.`;
export const showSubmissions = 'Show submissions';
export const downloadRejectedRows = 'Download rejected rows';
export const importAnotherFile = 'Import another file';

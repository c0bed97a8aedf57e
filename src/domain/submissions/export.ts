/**
 * Exports: every submission of a form as CSV or JSON lines, at flat memory. Read in pages by key, newest first, so that
 * no long reader holds back the database; what is accepted after the start is not in it.
 */
import { stringify } from 'csv-stringify/sync';
import { type Clock, isoTime } from '../../kernel/clock.js';
import { membersOf } from '../../kernel/json-outline.js';
import { createPace } from '../../kernel/pace.js';
import { noFilter, type SubmissionFilter, type SubmissionWithFiles } from '../../model/submission.js';
import type { DataFilter, Store } from '../../ports/store.js';
import { columnsOf } from './export-columns.js';
import { safeCell } from './spreadsheet-cell.js';

const pageRows = 200;

/** How many cells are quoted in one go: about 0.3 ms. */
const cellsAtOnce = 1_000;
/** And no more text than that: visitors decide how long a field is. */
const lettersAtOnce = 32 * 1024;

type Lines = AsyncGenerator<string>;
type FolderFilter = SubmissionFilter['folder'];
type Covered = SubmissionFilter & DataFilter;

export interface SubmissionExport {
  /** All is read once before the first line; `isWanted` is asked meanwhile, so that nobody reads on for a client that left. */
  csv(formId: string, isWanted?: () => boolean, folder?: FolderFilter): Lines;
  /** `write` gives one submission as JSON text. */
  jsonLines(formId: string, write: (submission: SubmissionWithFiles) => string, folder?: FolderFilter): Lines;
}

export const createSubmissionExport = ({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): SubmissionExport => ({
  csv: (formId, isWanted = () => true, folder = null) =>
    csvRows(store, formId, upTo(clock.now(), folder), isWanted),
  jsonLines: (formId, write, folder = null) => jsonLines(store, formId, upTo(clock.now(), folder), write),
});

async function* pages(
  store: Store,
  formId: string,
  filter: SubmissionFilter,
): AsyncGenerator<readonly SubmissionWithFiles[]> {
  for (let after: string | null = null; ; ) {
    const page = await store.submissions.list({ kind: 'form', formId }, filter, { limit: pageRows, after });
    if (page.items.length > 0) yield page.items;
    if (page.next === null) return;
    after = page.next;
  }
}

/** Everything up to this moment, and nothing later; but what was just being committed then may appear on the way. */
const upTo = (now: number, folder: FolderFilter): Covered => ({ ...noFilter, folder, until: now + 1 });

async function* jsonLines(
  store: Store,
  formId: string,
  filter: Covered,
  write: (submission: SubmissionWithFiles) => string,
): Lines {
  for await (const some of paced(pages(store, formId, filter), (submission) => `${write(submission)}\n`)) {
    yield some.join('');
  }
}

/** Does the work on each, a few at a time: pages of large submissions would hold everybody else up for too long. */
async function* paced<Result>(
  source: AsyncIterable<readonly SubmissionWithFiles[]>,
  work: (submission: SubmissionWithFiles) => Result,
): AsyncGenerator<readonly Result[]> {
  const pace = createPace();
  for await (const page of source) {
    let done: Result[] = [];
    for (const submission of page) {
      done.push(work(submission));
      if (!pace.isOver()) continue;
      // What is made of them next is a piece of its own.
      await pace.rest();
      yield done;
      done = [];
      if (pace.isOver()) await pace.rest();
    }
    if (done.length > 0) yield done;
  }
}

/** Each field's value as it was written: a number is shown with all its digits. */
const fieldsOf = ({ data }: SubmissionWithFiles): Map<string, string> => {
  const fields = new Map<string, string>();
  for (const { name, value } of membersOf(data)) fields.set(name, value);
  return fields;
};

/** Text as it is, a list of texts joined, nothing for null, everything else as JSON. */
const cell = (source: string | undefined): string => {
  if (source === undefined || source === 'null') return '';
  if (source.startsWith('"')) return JSON.parse(source) as string;
  if (!source.startsWith('[')) return source;
  const items = JSON.parse(source) as unknown[];
  return items.every((item) => typeof item === 'string') ? items.join(', ') : source;
};

const csv = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((row) => row.map(safeCell)),
    { quoted_string: true, record_delimiter: 'windows' },
  );

/** What has no column, as the text of a JSON object. */
function otherFields(fields: ReadonlyMap<string, string>, shown: ReadonlySet<string>): string {
  const others = [...fields].filter(([name]) => !shown.has(name));
  return others.length === 0
    ? ''
    : `{${others.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** A field of the same name gets another column title. */
const fixedColumns = new Set([
  'other_fields',
  'submission_id',
  'created_at',
  'files',
  'ip',
  'user_agent',
  'submitted_from',
]);

/** Two passes: the header must name every field before the first row is written. */
async function* csvRows(store: Store, formId: string, filter: Covered, isWanted: () => boolean): Lines {
  const { names: columns, isComplete } = await columnsOf(store, formId, filter, isWanted);
  if (!isWanted()) return;
  const shown = new Set(columns);
  const header = columns.map((name) => (fixedColumns.has(name) ? `${name} (field)` : name));
  const others = isComplete ? [] : ['other_fields'];
  yield csv([
    ['submission_id', 'created_at', ...header, ...others, 'files', 'ip', 'user_agent', 'submitted_from'],
  ]);
  const rowOf = (submission: SubmissionWithFiles, fields: ReadonlyMap<string, string>): readonly string[] => [
    submission.id,
    isoTime(submission.createdAt),
    ...columns.map((name) => cell(fields.get(name))),
    ...(isComplete ? [] : [otherFields(fields, shown)]),
    submission.files.map((file) => file.filename).join(', '),
    submission.metadata.ip,
    submission.metadata.userAgent,
    submission.metadata.submittedFrom,
  ];
  // Quoting takes longer than gathering, so it belongs to the piece that is timed: but a few rows at once, each call by itself
  // costs as much as thirty cells.
  const rowsAtOnce = Math.ceil(cellsAtOnce / (columns.length + fixedColumns.size));
  let waiting: (readonly string[])[] = [];
  let waitingLength = 0;
  const written = (): string => {
    const rows = waiting;
    waiting = [];
    waitingLength = 0;
    return csv(rows);
  };
  /** Not there yet when the columns were looked for, and not to be shown without one of its fields. */
  const cameLater = (fields: ReadonlyMap<string, string>): boolean => {
    if (isComplete) for (const name of fields.keys()) if (!shown.has(name)) return true;
    return false;
  };
  const write = (submission: SubmissionWithFiles): string => {
    const fields = fieldsOf(submission);
    if (cameLater(fields)) return '';
    waitingLength += submission.data.length;
    const isEnough = waiting.push(rowOf(submission, fields)) >= rowsAtOnce || waitingLength >= lettersAtOnce;
    return isEnough ? written() : '';
  };
  for await (const texts of paced(pages(store, formId, filter), write)) yield texts.join('');
  if (waiting.length > 0) yield written();
}

/**
 * Exports submissions of a form, or chosen ones, as CSV or JSON lines, in constant memory. Reads pages by key, newest first, so
 * that no long read transaction holds back the database. Submissions accepted after the start are not included.
 */
import { stringify } from 'csv-stringify/sync';
import { type Clock, isoTime } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import { membersOf } from '../../kernel/json-outline.js';
import { createPace } from '../../kernel/pace.js';
import { shownText } from '../../kernel/value-text.js';
import type { Principal } from '../../model/account.js';
import {
  type FieldCondition,
  noFilter,
  type SubmissionFilter,
  type SubmissionWithFiles,
} from '../../model/submission.js';
import type { DataPage, Store, SubmissionScope } from '../../ports/store.js';
import { type Columns, columnsIn, columnsOf } from './export-columns.js';
import { matcherOf } from './field-list.js';
import { safeCell } from './spreadsheet-cell.js';

const pageRows = 200;
const dataPageRows = 1_000;

/** How many cells are quoted in one go: about 0.3 ms. */
const cellsAtOnce = 1_000;
/** How much text is quoted in one go: visitors decide how long a field is. */
const lettersAtOnce = 32 * 1024;

type Lines = AsyncGenerator<string>;

/** What an export covers. It is read twice for a CSV, unless its columns are known. */
export interface Covered {
  /** `isWanted` is called before each page, so that reading stops when the client has left. */
  columns(isWanted: () => boolean): Promise<Columns>;
  submissions(): AsyncGenerator<readonly SubmissionWithFiles[]>;
}

export interface SubmissionExport {
  /** The submissions that the form has received up to now, newest first. */
  ofForm(formId: string, folder?: SubmissionFilter['folder'], fields?: readonly FieldCondition[]): Covered;
  /** The submissions with these ids that exist, in this order. */
  ofIds(who: Principal, ids: readonly string[]): Covered;
}

/** How many chosen submissions are read at once: each may have a mebibyte. */
const chosenRows = 20;

export const createSubmissionExport = ({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): SubmissionExport => ({
  ofForm(formId, folder = null, fields = []) {
    const scope = { kind: 'form', formId } as const;
    // Everything up to now and nothing later, but a submission that is just being committed may still appear.
    const filter = { ...noFilter, folder, until: clock.now() + 1 };
    const matches = matcherOf(fields);
    // A filtered export has only the fields of its own submissions. Those of the form are known without reading.
    const isWhole = fields.length === 0 && (folder === null || folder === 'all');
    async function* texts(isWanted: () => boolean) {
      for await (const rows of dataPages(store, scope, filter, isWanted))
        yield rows.map(({ data }) => data).filter(matches);
    }
    return {
      async columns(isWanted) {
        const known = isWhole ? await columnsIn(store, formId) : null;
        return known ?? columnsOf(texts(isWanted));
      },
      async *submissions() {
        for await (const items of listPages(store, scope, filter))
          yield items.filter(({ data }) => matches(data));
      },
    };
  },

  ofIds(who, ids) {
    const known = [...new Set(ids.filter(isUuid))];
    async function* found(wanted: readonly string[]) {
      for (let at = 0; at < wanted.length; at += chosenRows)
        yield await store.submissions.findSome(who, wanted.slice(at, at + chosenRows));
    }
    async function* texts(isWanted: () => boolean) {
      // Oldest first, because the fields of a whole form are in order of first occurrence too.
      for await (const items of found(known.toSorted())) {
        if (!isWanted()) return;
        yield items.map(({ data }) => data);
      }
    }
    return { submissions: () => found(known), columns: (isWanted) => columnsOf(texts(isWanted)) };
  },
});

async function* listPages(
  store: Store,
  scope: SubmissionScope,
  filter: SubmissionFilter,
): AsyncGenerator<readonly SubmissionWithFiles[]> {
  for (let after: string | null = null; ; ) {
    const page = await store.submissions.list(scope, filter, { limit: pageRows, after });
    if (page.items.length > 0) yield page.items;
    if (page.next === null) return;
    after = page.next;
  }
}

/** The next page is read while one is counted, by another thread or machine: a quarter more rows a second. */
async function* dataPages(
  store: Store,
  scope: SubmissionScope,
  filter: SubmissionFilter,
  isWanted: () => boolean,
): AsyncGenerator<DataPage['rows']> {
  const read = (after: string | null) =>
    store.submissions.listData(scope, filter, { limit: dataPageRows, after });
  for (let reading = isWanted() ? read(null) : null; reading !== null; ) {
    const { rows, next }: DataPage = await reading;
    reading = next !== null && isWanted() ? read(next) : null;
    // An error is thrown when the page is awaited. Until then it must not count as unhandled.
    reading?.catch(() => {});
    yield rows;
  }
}

/** `write` returns one submission as JSON text. */
export async function* jsonLines(
  covered: Covered,
  write: (submission: SubmissionWithFiles) => string,
): Lines {
  for await (const some of paced(covered.submissions(), (submission) => `${write(submission)}\n`)) {
    yield some.join('');
  }
}

/** Processes a few at a time: pages of large submissions would block the event loop for too long. */
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
      // What the consumer does with them is a separate piece.
      await pace.rest();
      yield done;
      done = [];
      if (pace.isOver()) await pace.rest();
    }
    if (done.length > 0) yield done;
  }
}

/** Each field's value as it was written, so that numbers have all their digits. */
const fieldsOf = ({ data }: SubmissionWithFiles): Map<string, string> => {
  const fields = new Map<string, string>();
  for (const { name, value } of membersOf(data)) fields.set(name, value);
  return fields;
};

const csv = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((row) => row.map(safeCell)),
    { quoted_string: true, record_delimiter: 'windows' },
  );

/** The fields without a column, as the text of a JSON object. */
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

/** The header must name every field before the first row is written. */
export async function* csvRows(covered: Covered, isWanted: () => boolean = () => true): Lines {
  const { names: columns, isComplete } = await covered.columns(isWanted);
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
    ...columns.map((name) => shownText(fields.get(name))),
    ...(isComplete ? [] : [otherFields(fields, shown)]),
    submission.files.map((file) => file.filename).join(', '),
    submission.metadata.ip,
    submission.metadata.userAgent,
    submission.metadata.submittedFrom,
  ];
  // Quoting takes longer than gathering, so it is part of the timed piece. It takes several rows at once, because each call
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
  /** Whether it arrived after the columns were determined: it must not be shown without one of its fields. */
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
  for await (const texts of paced(covered.submissions(), write)) yield texts.join('');
  if (waiting.length > 0) yield written();
}

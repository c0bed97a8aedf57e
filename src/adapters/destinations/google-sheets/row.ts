/**
 * A submission as a row of a sheet: its columns, and where they go in a sheet whose header the owner may have reordered.
 * Pure. All values are text and the API stores them as they are (RAW), so a formula stays text.
 */
import { isoTime } from '../../../kernel/clock.js';
import { membersOf } from '../../../kernel/json-outline.js';
import { isRecord, parsedRecord } from '../../../kernel/service-account.js';
import { shownText } from '../../../kernel/value-text.js';
import type { SubmissionEvent } from '../../../ports/destination-kind.js';

type Pair = readonly [name: string, text: string];

/** Stored with the delivery. */
export interface SheetRow {
  readonly columns: readonly string[];
  readonly values: readonly string[];
  /** Fields beyond the number of columns that one submission may have. */
  readonly rest: readonly Pair[];
}

export const idColumn = 'Submission';
const timeColumn = 'Submitted at';
const filesColumn = 'Files';
const restColumn = 'More';
const ownColumns = [idColumn, timeColumn, filesColumn, restColumn];

/** Visitors choose the names of fields: without a limit, anyone could fill the sheet with columns. */
const maxColumns = 500;
/** A cell takes 50,000 characters. */
const maxCellChars = 50_000;
const maxNameChars = 256;
/** Google recommends requests of at most 2 MB. Beyond this, each further cell gets `spareCellChars`. */
const maxRowChars = 1_000_000;
const spareCellChars = 1_000;

/** Never ends in half a character. */
const cut = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, '')}…`;

/** Replaces what the API would reject: the row would otherwise be retried in vain for days. */
const cleaned = (text: string): string => text.toWellFormed().replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd');

export const trimmedName = (name: string): string => name.replace(/\s+/g, ' ').trim();

function columnOf(field: string): string {
  const name = cut(trimmedName(cleaned(field)), maxNameChars) || '(no name)';
  return ownColumns.includes(name) ? `${name} (field)` : name;
}

/** JSON values by field name. Of duplicate names the last one counts. If the template is an object, its members replace the fields. */
function fieldsOf(event: SubmissionEvent): ReadonlyMap<string, string> {
  const rendered = event.renderJson();
  const isObject = rendered !== null && parsedRecord(rendered) !== null;
  const members = [...membersOf(isObject ? rendered : event.submission.data)];
  return new Map(members.map(({ name, value }) => [name, value]));
}

/** Different names can become equal once they are cleaned, put on one line and cut. */
function unusedName(name: string, isTaken: (name: string) => boolean): string {
  let unused = name;
  for (let n = 2; isTaken(unused); n += 1) unused = `${name} (${n})`;
  return unused;
}

export function rowOf(event: SubmissionEvent): SheetRow {
  const { submission, files } = event;
  const row = new Map<string, string>([
    [idColumn, submission.id],
    [timeColumn, isoTime(submission.createdAt)],
  ]);
  const rest = new Map<string, string>();
  let room = maxRowChars;
  const cellOf = (text: string): string => {
    const maxChars = Math.max(spareCellChars, Math.min(maxCellChars, room));
    const cell = cut(cleaned(text.slice(0, maxChars + 1)), maxChars);
    room -= cell.length;
    return cell;
  };
  // Two columns stay free for files and the rest.
  for (const [name, source] of fieldsOf(event)) {
    const column = unusedName(columnOf(name), (taken) => row.has(taken) || rest.has(taken));
    (row.size < maxColumns - 2 ? row : rest).set(column, cellOf(shownText(source)));
  }
  const links = files.map(({ id, filename }) => `${filename}: ${event.fileLink(id)}`);
  if (links.length > 0) row.set(filesColumn, cellOf(links.join('\n')));
  return { columns: [...row.keys()], values: [...row.values()], rest: [...rest] };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
const isPairs = (value: unknown): value is readonly Pair[] =>
  Array.isArray(value) && value.every((item) => isTexts(item) && item.length === 2);

/** Reads a row made by `rowOf` from the body of a delivery. */
export function readRow(body: string): SheetRow {
  const row: unknown = JSON.parse(body);
  if (isRecord(row) && isTexts(row.columns) && isTexts(row.values) && isPairs(row.rest))
    return { columns: row.columns, values: row.values, rest: row.rest };
  throw new Error('The body of the delivery is not a row of a sheet');
}

/** The column names that the header lacks for this row. We extend a sheet to at most `maxColumns`, plus one for the rest. */
export function missingColumns({ columns, rest }: SheetRow, header: readonly string[]): readonly string[] {
  const known = new Set(header);
  const lacking = columns.filter((name) => !known.has(name));
  // A repeated attempt looks for the id, so it always gets a column.
  const room = Math.max(lacking[0] === idColumn ? 1 : 0, maxColumns - header.length);
  const added = lacking.slice(0, room);
  const hasRest = rest.length > 0 || added.length < lacking.length;
  return hasRest && !known.has(restColumn) ? [...added, restColumn] : added;
}

/** The cells in the order of the header. Null for a column that is not ours: the sheet fills that cell as usual. */
export function cellsOf({ columns, values, rest }: SheetRow, header: readonly string[]): (string | null)[] {
  const known = new Set(header);
  const texts = new Map(columns.map((name, at) => [name, values[at] ?? '']));
  const others = [...[...texts].filter(([name]) => !known.has(name)), ...rest];
  if (others.length > 0) texts.set(restColumn, cut(JSON.stringify(Object.fromEntries(others)), maxCellChars));
  return header.map((name) => {
    const text = texts.get(name) ?? null;
    // Of two columns with the same name, only the first is filled.
    texts.delete(name);
    return text;
  });
}

/** A, B, …, Z, AA, …: the letters of a column, from 0. */
export function columnLetters(index: number): string {
  const before = index < 26 ? '' : columnLetters(Math.floor(index / 26) - 1);
  return before + String.fromCharCode(65 + (index % 26));
}

/** A range in A1 notation, for the path of a URL. */
export const rangeIn = (sheet: string, range: string): string =>
  encodeURIComponent(`'${sheet.toWellFormed().replaceAll("'", "''")}'!${range}`);

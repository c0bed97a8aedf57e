/**
 * Reads CSV (RFC 4180) with any of three delimiters. Written here because a broken quote must cost only one row: csv-parse
 * reads on as if it were inside the quotes, and silently drops the rows that it finds there.
 */
import { StringDecoder } from 'node:string_decoder';
import { createPace } from '../../kernel/pace.js';
import { ImportRejected } from './rejected.js';
import { type Cell, maxColumns, maxRowBytes, type ReadRow, type Rows } from './rows.js';

/** A row with valid quotes. */
interface Record {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A row with invalid quotes. Only its first line is dropped: the next one may begin a row. */
interface BrokenRecord {
  readonly line: number;
  readonly reason: string;
  readonly text: string;
}

export async function readCsv(source: AsyncIterable<Buffer>, head: string): Promise<Rows> {
  const records = recordsOf(source, delimiterOf(head));
  const { value: header } = await records.next();
  if (!header || 'reason' in header) throw new ImportRejected('The header of the file cannot be read.');
  const names = columnNames(header.cells);

  async function* rows(): AsyncGenerator<ReadRow> {
    for await (const record of records) {
      const { line } = record;
      if ('reason' in record) yield { line, reason: record.reason, original: [record.text] };
      else if (record.cells.length !== names.length)
        yield {
          line,
          reason: wrongLength(record.cells.length, names.length),
          original: listed(record.cells),
        };
      else yield { line, cells: cellsOf(names, record.cells), fieldsText: null, original: record.cells };
    }
  }
  return { columns: names, rows: rows() };
}

const wrongLength = (cells: number, columns: number): string =>
  `has ${cells} cell${cells === 1 ? '' : 's'}, but the header has ${columns}`;

/** A million empty cells took 0.6 s to write to the list of rejected rows. */
const listed = (cells: readonly string[]): readonly string[] =>
  cells.length > maxColumns ? [cells.join()] : cells;

function columnNames(cells: readonly string[]): readonly string[] {
  if (cells.length > maxColumns) {
    throw new ImportRejected(
      `The file has ${cells.length.toLocaleString('en')} columns. At most ${maxColumns.toLocaleString('en')} can be imported.`,
    );
  }
  return cells.map((name, index) => (name.trim() === '' ? `column ${index + 1}` : name.trim()));
}

const cellsOf = (names: readonly string[], cells: readonly string[]): readonly Cell[] =>
  cells.map((text, index) => ({ name: names[index] ?? '', text, json: null, isMeta: false }));

/** The delimiter that is most frequent in the header, outside of quotes. */
function delimiterOf(head: string): string {
  const counts = new Map([',', ';', '\t'].map((sign) => [sign, 0]));
  let isQuoted = false;
  for (const sign of head.trimStart()) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (sign === '\n' || sign === '\r')) break;
    else if (!isQuoted && counts.has(sign)) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

/**
 * How many characters may be read again because the row before them was broken. One stray quote costs at most a mebibyte. Rows like `a","`
 * all open a quote that the next one does not close, and each would read on to the end: 40 kB took 2.7 s.
 */
const maxReadAgain = 4 * maxRowBytes;

async function* recordsOf(
  source: AsyncIterable<Buffer>,
  delimiter: string,
): AsyncGenerator<Record | BrokenRecord> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let line = 1;
  let isFirst = true;
  let readAgain = 0;
  const pace = createPace();

  /** Yields all complete rows. The import rests between rows, but does not see blank ones: 256 kB of those took 65 ms. */
  async function* taken(isEnd: boolean): AsyncGenerator<Record | BrokenRecord> {
    let at = 0;
    while (at < text.length) {
      const found = recordAt(text, at, delimiter, isEnd);
      const end = found === 'incomplete' ? text.length : found.next;
      const isTooLong = end - at > maxRowBytes;
      if (found === 'incomplete' && !isTooLong) break;
      if (found === 'incomplete' || 'reason' in found || isTooLong) {
        const reason = found !== 'incomplete' && 'reason' in found ? found.reason : tooLong;
        const lineEnd = text.indexOf('\n', at);
        // A single line of more than 1 MiB: what follows cannot be distinguished from its content.
        if (lineEnd === -1 && !isEnd) throw new ImportRejected(`The row in line ${line} ${tooLong}.`);
        const next = lineEnd === -1 ? text.length : lineEnd + 1;
        readAgain = Math.max(0, readAgain + end - next);
        if (readAgain > maxReadAgain) throw new ImportRejected(tooManyBroken(line));
        yield { line, reason, text: text.slice(at, next).trimEnd().slice(0, maxRowBytes) };
        at = next;
        line += 1;
        continue;
      }
      const [first = ''] = found.cells;
      if (found.cells.length > 1 || first.trim() !== '') yield { line, cells: found.cells };
      else if (pace.isOver()) await pace.rest();
      line += found.lines;
      readAgain = Math.max(0, readAgain - (end - at));
      at = end;
    }
    text = text.slice(at);
  }

  // A row that is incomplete is read from its start again: only once its length has doubled, however small the pieces are.
  let enough = 0;
  for await (const bytes of source) {
    text += decoder.write(bytes);
    if (isFirst) text = text.replace(/^\ufeff/, '');
    isFirst = false;
    if (text.length < enough) continue;
    yield* taken(false);
    enough = Math.min(2 * text.length, maxRowBytes + 1);
  }
  yield* taken(true);
}

const tooManyBroken = (line: number): string =>
  `Too many rows up to line ${line} have a quote that is never closed.`;

const tooLong = 'is longer than 1 MiB; perhaps a quote is never closed';

interface Found {
  readonly cells: readonly string[];
  readonly lines: number;
  readonly next: number;
}

function recordAt(
  text: string,
  start: number,
  delimiter: string,
  isEnd: boolean,
): Found | { readonly reason: string; readonly next: number } | 'incomplete' {
  let lineEnd = text.indexOf('\n', start);
  if (lineEnd === -1 && !isEnd) return 'incomplete';
  const end = lineEnd === -1 ? text.length : lineEnd;
  const line = text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
  // Most rows have no quotes, and need no scan of every character.
  if (!line.includes('"')) return { cells: line.split(delimiter), lines: 1, next: end + 1 };
  const cells: string[] = [];
  let lines = 1;
  let at = start;
  for (;;) {
    if (text[at] === '"') {
      const closing = closingQuote(text, at);
      if (closing === -1 || (closing === text.length - 1 && !isEnd)) {
        return isEnd ? { reason: 'a quote is never closed', next: text.length } : 'incomplete';
      }
      const cell = text.slice(at + 1, closing);
      // Takes a third of the time of replaceAll, which matters in a cell full of quotes.
      cells.push(cell.includes('"') ? cell.split('""').join('"') : cell);
      lines += breaksIn(cell);
      at = closing + 1;
      if (text[at] === delimiter) {
        at += 1;
        continue;
      }
      if (text[at] === '\r') at += 1;
      if (at === text.length && !isEnd) return 'incomplete';
      if (at >= text.length || text[at] === '\n') return { cells, lines, next: at + 1 };
      return { reason: 'a closing quote is not followed by a delimiter', next: at };
    }
    // A quote inside a cell that does not begin with one is literal: 5" pipe.
    if (lineEnd !== -1 && lineEnd < at) lineEnd = text.indexOf('\n', at);
    if (lineEnd === -1 && !isEnd) return 'incomplete';
    const stop = lineEnd === -1 ? text.length : lineEnd;
    // Never beyond the line: a file without delimiters would be searched to its end for each line.
    const length = text.slice(at, stop).indexOf(delimiter);
    if (length === -1) {
      cells.push(text.slice(at, text.charCodeAt(stop - 1) === 13 && stop > at ? stop - 1 : stop));
      return { cells, lines, next: stop + 1 };
    }
    cells.push(text.slice(at, at + length));
    at += length + 1;
  }
}

/** The next quote that is not doubled. Returns -1 when there is none. */
function closingQuote(text: string, opening: number): number {
  let at = text.indexOf('"', opening + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function breaksIn(cell: string): number {
  let breaks = 0;
  for (let at = cell.indexOf('\n'); at !== -1; at = cell.indexOf('\n', at + 1)) breaks += 1;
  return breaks;
}

/**
 * Reads the rows of an export: CSV, a JSON array of objects, or JSON lines. Streams with constant memory, whatever the file
 * contains. A row that cannot be read is reported with its line, and reading continues; only what makes the whole file
 * unreadable throws.
 */
import { readCsv } from './read-csv.js';
import { readJson, readJsonLines } from './read-json.js';
import { ImportRejected } from './rejected.js';
import type { Rows } from './rows.js';
import { checkedUtf8 } from './utf8-stream.js';

export type Format = 'csv' | 'json' | 'detect';

/** Enough to see a header, or the first line of JSON. */
const headBytes = 64 * 1024;

export async function readRows(source: AsyncIterable<Uint8Array>, format: Format): Promise<Rows> {
  const { head, all } = await peeked(checkedUtf8(source));
  const text = head.toString('utf8').replace(/^\ufeff/, '');
  const start = text.trimStart();
  if (start === '') throw new ImportRejected('The file is empty.');
  const looksLikeJson = /^[[{]/.test(start);
  if (format === 'csv' || (format === 'detect' && !looksLikeJson)) return readCsv(all, text);
  if (!looksLikeJson) {
    throw new ImportRejected('The file is not JSON: it must begin with [ or {.');
  }
  const rows = isJsonLine(start) ? readJsonLines(all) : readJson(all);
  return { columns: null, rows };
}

/** Whether the first line is a complete object. Then every line is one, and a broken one does not affect the others. */
function isJsonLine(start: string): boolean {
  const [line = ''] = start.split('\n', 1);
  try {
    return start.startsWith('{') && typeof JSON.parse(line) === 'object' && !isWrapper(line);
  } catch {
    return false;
  }
}

const isWrapper = (line: string): boolean => /^\{[^[{]*"(?:fields|submissions|results)"\s*:\s*\[/.test(line);

async function peeked(
  source: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; all: AsyncGenerator<Buffer> }> {
  const first: Buffer[] = [];
  let length = 0;
  while (length < headBytes) {
    const { value, done } = await source.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first.splice(0);
    yield* source;
  }
  return { head: Buffer.concat(first), all: all() };
}

/**
 * Brings the search index up to date behind the submissions. Everything that is written waits for the only writer, so each
 * step holds it shortly: some rows, or a piece of a large one, and after it some of the merging that the index is due.
 */
import { Mutex } from '../../../kernel/concurrency.js';
import type { SqliteConnection } from './connection.js';
import { endOfPiece, insertPiece, maxStepBytes, notePiece } from './pieces.js';
import { indexingText, scopeColumn, wordsColumn } from './search-index.js';

/** 11 µs a row, so about 2 ms. */
const maxStepRows = 200;
/** A merge is a commit of its own; after each step it would take as long as the step. */
const stepsPerMerge = 2;
/** Pages of 4 kB: what a step adds is merged four or five times, as it grows old. About 12 ms. */
const mergedPages = 128;

interface Behind {
  readonly first: number | null;
  /** Up to here they are small enough for one step; null where the first is not. */
  readonly last: number | null;
  readonly newest: number;
  /** How much of the first is in the index. */
  readonly from: number;
}

/** The size of a row in bytes is known without reading it. */
const behindText = `SELECT first, last, (SELECT max(seq) FROM submissions) AS newest,
    CASE partial_seq WHEN first THEN partial_length ELSE 0 END AS "from"
  FROM search_progress CROSS JOIN (
    SELECT min(seq) AS first, max(seq) FILTER (WHERE bytes_so_far <= ${maxStepBytes}) AS last FROM (
      SELECT seq, sum(bytes) OVER (ORDER BY seq) AS bytes_so_far FROM (
        SELECT seq, octet_length(data) AS bytes FROM submissions
        WHERE seq > (SELECT indexed_seq FROM search_progress) ORDER BY seq LIMIT ${maxStepRows})))`;

interface Words {
  readonly seq: number;
  readonly scope: string;
  readonly words: string;
}

/**
 * Of one submission: what follows is not found by its words. A mebibyte of short words took half a second, so that one visitor
 * within the rate limit could keep everybody's searches waiting for the index.
 */
const maxIndexedLength = 128 * 1024;

function cutWords(words: string): string {
  if (words.length <= maxIndexedLength) return words;
  const end = words.lastIndexOf(' ', maxIndexedLength);
  return words.slice(0, end > 0 ? end : maxIndexedLength);
}

/** As bytes: a text would end at its first zero. */
const wordsText = `SELECT ${scopeColumn} AS scope, CAST(${wordsColumn} AS BLOB) AS bytes FROM submissions WHERE seq = ?`;

async function readWords(reader: SqliteConnection, seq: number): Promise<Words | null> {
  const [row] = (await reader.query(wordsText, [seq])).rows as { scope: string; bytes: Uint8Array | null }[];
  if (!row) return null;
  const words = Buffer.from(row.bytes ?? []).toString();
  return { seq, scope: row.scope, words: cutWords(words.replaceAll('\0', ' ')) };
}

type IndexTable = 'submission_search' | 'submission_search_pieces';

const mergeText = (table: IndexTable): string =>
  `INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${mergedPages})`;

export function createIndexing({
  writer,
  reader,
  alone,
}: {
  readonly writer: SqliteConnection;
  /** Where a large submission is taken apart into its words. */
  readonly reader: () => SqliteConnection;
  /** Other writers wait for their turn. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}): () => Promise<boolean> {
  const oneStep = new Mutex();
  /** The large submission that is being indexed. */
  let large: Words | null = null;
  const steps: Record<IndexTable, number> = { submission_search: 0, submission_search_pieces: 0 };

  async function mergeInTurn(table: IndexTable): Promise<void> {
    steps[table] += 1;
    if (steps[table] % stepsPerMerge === 0) await alone(() => writer.query(mergeText(table), []));
  }

  async function putPiece(seq: number, from: number): Promise<boolean> {
    if (large?.seq !== seq) large = await readWords(reader(), seq);
    // Deleted meanwhile.
    if (!large) return false;
    const { scope, words } = large;
    const end = endOfPiece(words, from);
    const isLast = end >= words.length;
    await alone(() =>
      writer.runBatch([
        { sql: insertPiece, rows: [[seq, from, scope, words.slice(from, end)]] },
        { sql: notePiece, rows: [[seq, from, end, isLast ? 1 : 0]] },
      ]),
    );
    if (isLast) large = null;
    return isLast;
  }

  async function step(): Promise<boolean> {
    const found = await alone(() => writer.query(behindText, []));
    const { first, last, newest, from } = found.rows[0] as Behind;
    if (first === null) return false;
    let isLeft: boolean;
    if (last !== null) {
      await alone(() => writer.script(indexingText(last)));
      isLeft = last < newest;
    } else {
      isLeft = !(await putPiece(first, from)) || first < newest;
    }
    await mergeInTurn(last !== null ? 'submission_search' : 'submission_search_pieces');
    return isLeft;
  }

  return async () => {
    const release = await oneStep.acquire();
    try {
      return await step();
    } finally {
      release();
    }
  };
}

/**
 * Brings the search index up to date after submissions are committed. All writes wait for the only writer, so each step uses
 * it briefly: for some rows or a piece of a large one, and then for some of the merging that the index needs.
 */
import { Mutex } from '../../../kernel/concurrency.js';
import type { SqliteConnection } from './connection.js';
import { endOfPiece, indexedWords, insertPiece, maxStepBytes, notePiece, wordBytes } from './pieces.js';
import { indexingText, mergeText } from './search-index.js';

/** 11 µs a row, so about 2 ms. */
const maxStepRows = 200;
/** A merge is a commit of its own. After every step, it would take as long as the step. */
const stepsPerMerge = 2;

interface Behind {
  readonly first: number | null;
  /** Up to here the rows are small enough for one step; null if the first one is not. */
  readonly last: number | null;
  readonly newest: number;
  /** How much of the first row is already in the index. */
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
  readonly words: string;
}

const wordsText = `SELECT ${wordBytes} AS bytes FROM submissions WHERE seq = ?`;

async function readWords(reader: SqliteConnection, seq: number): Promise<Words | null> {
  const [row] = (await reader.query(wordsText, [seq])).rows as { bytes: Uint8Array | null }[];
  return row ? { seq, words: indexedWords(row.bytes) } : null;
}

type IndexTable = 'submission_search' | 'submission_search_pieces';

export function createIndexing({
  writer,
  reader,
  alone,
}: {
  readonly writer: SqliteConnection;
  /** Where a large submission is split into its words. */
  readonly reader: () => SqliteConnection;
  /** Runs the work while other writers wait. */
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
    const { words } = large;
    const end = endOfPiece(words, from);
    const isLast = end >= words.length;
    await alone(() =>
      writer.runBatch([
        { sql: insertPiece, rows: [[seq, from, words.slice(from, end)]] },
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

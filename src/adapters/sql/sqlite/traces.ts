/**
 * Removes what deleted rows leave behind in the file and its log. Rows that an erasure deletes are overwritten right away. The
 * rest is removed here: copies that earlier changes left in free pages, words in the search index, and the log.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { TracesRemoval } from '../../../ports/persons.js';
import type { SqliteConnection } from './connection.js';

/** About 12 ms of the writer, like a merge of the index. */
const mergedPages = 128;
const chunkBytes = 1024 * 1024;
const indexes = ['submission_search', 'submission_search_pieces'] as const;

interface Parts {
  readonly path: string;
  readonly writer: SqliteConnection;
  /** Runs the work while other writers wait. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

async function changesOf(writer: SqliteConnection): Promise<number> {
  const { rows } = await writer.query('SELECT total_changes() AS changes', []);
  return (rows[0] as { changes: number }).changes;
}

/**
 * The index drops a word only when it merges the segment that contains it. A negative number merges everything into one segment,
 * that many pages at a time. A step that changes fewer than two rows had nothing to do.
 */
async function mergeAll({ writer, alone }: Parts, signal: AbortSignal): Promise<void> {
  for (const table of indexes) {
    for (let isLeft = true; isLeft && !signal.aborted; ) {
      isLeft = await alone(async () => {
        const before = await changesOf(writer);
        await writer.query(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${-mergedPages})`, []);
        return (await changesOf(writer)) - before >= 2;
      });
    }
  }
}

/** Returns false when a reader, such as a backup, still needs the log. Waits only briefly, because this blocks all writes. */
const emptyLog = ({ writer, alone }: Parts): Promise<boolean> =>
  alone(async () => {
    await writer.query('PRAGMA busy_timeout = 200', []);
    try {
      const { rows } = await writer.query('PRAGMA wal_checkpoint(TRUNCATE)', []);
      return (rows[0] as { busy: number }).busy === 0;
    } finally {
      await writer.query('PRAGMA busy_timeout = 10000', []);
    }
  });

/** Each byte as one character, so that a text can be searched for in any file. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1').toLowerCase();

async function isInFile(file: FileHandle, needles: readonly string[], signal: AbortSignal): Promise<boolean> {
  const longest = Math.max(...needles.map((needle) => needle.length));
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let rest = '';
  for (let at = 0; !signal.aborted; ) {
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, at);
    if (bytesRead === 0) return false;
    at += bytesRead;
    const text = rest + buffer.toString('latin1', 0, bytesRead).toLowerCase();
    if (needles.some((needle) => text.includes(needle))) return true;
    rest = text.slice(-longest);
  }
  return false;
}

async function holds(path: string, spellings: readonly string[], signal: AbortSignal): Promise<boolean> {
  if (spellings.length === 0) return false;
  const file = await open(path, 'r');
  try {
    return await isInFile(file, spellings.map(asBytes), signal);
  } finally {
    await file.close();
  }
}

/** Also overwrites pages that become free. That takes extra writes, so it is done only for erasures. */
export const overwriting =
  (writer: SqliteConnection) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    await writer.query('PRAGMA secure_delete = ON', []);
    try {
      return await work();
    } finally {
      await writer.query('PRAGMA secure_delete = FAST', []);
    }
  };

export const createTraceRemoval =
  (parts: Parts) =>
  (spellings: readonly string[] | null, signal: AbortSignal): Promise<TracesRemoval> =>
    overwriting(parts.writer)(async () => {
      const { path, writer, alone } = parts;
      await mergeAll(parts, signal);
      if (signal.aborted || !(await emptyLog(parts))) return 'busy';
      const isSuspect = spellings === null || (await holds(path, spellings, signal));
      if (signal.aborted) return 'busy';
      if (!isSuspect) return 'removed';
      // Either a copy in a page that was free before, or a row that stays: only rewriting the file makes sure.
      await alone(() => writer.query('VACUUM', []));
      return (await emptyLog(parts)) ? 'removed' : 'busy';
    });

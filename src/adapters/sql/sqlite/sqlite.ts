/**
 * The embedded engine: one SQLite file, one writer, separate readers, write-ahead log, full sync.
 * Everything specific to SQLite is in this folder.
 */
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';
import { Mutex } from '../../../kernel/concurrency.js';
import { StoreFull, StoreUnavailable } from '../../../ports/store.js';
import {
  type BatchInsert,
  type BatchStatement,
  insertText,
  type LineClaim,
  type SqlEngine,
  type SqlValue,
} from '../engine.js';
import { type MigrationTarget, migrate, requireCurrent } from '../migrate.js';
import { claimedColumns } from '../rows/deliveries.js';
import { epochIs } from '../rows/epoch.js';
import type { Schema } from '../schema.js';
import { SqliteConnection } from './connection.js';
import { type Persist, readerDialect, writerDialect } from './dialect.js';
import { createIndexing } from './indexing.js';
import { moveToProject, reindex, unindex } from './moving.js';
import { Readers } from './readers.js';
import { search } from './search.js';
import { createTraceRemoval, overwriting } from './traces.js';

/** Disk space for the writes that are needed to free space. */
export interface WriteReserve {
  readonly isInUse: boolean;
  release(): Promise<boolean>;
}

export interface SqliteOptions {
  readonly path: string;
  /** At most. Without any, the writer reads. */
  readonly readers: number;
  readonly now: () => number;
  /** If false, a database that lacks migrations is refused: a newer program must not change it under an older server. */
  readonly mayMigrate: boolean;
  /** Called when the file can no longer take writes. The process should end: a restart recovers from the log. */
  readonly onFatal: (error: Error) => void;
  /** Called with the duration of each request to the writer's thread: all writes wait for it. */
  readonly onWriterTurn?: (tookMs: number) => void;
  readonly reserve?: WriteReserve;
}

const noReserve: WriteReserve = { isInUse: false, release: async () => false };

// Up to 3.51.2 a reset of the write-ahead log can lose commits: https://sqlite.org/wal.html, "WAL-reset bug".
const firstSoundVersion = [3, 51, 3] as const;

async function refuseUnsoundVersion(writer: SqliteConnection): Promise<void> {
  const [row] = (await writer.query('SELECT sqlite_version() AS version', [])).rows as { version: string }[];
  const parts = (row?.version ?? '0').split('.').map(Number);
  for (const [index, wanted] of firstSoundVersion.entries()) {
    const part = parts[index] ?? 0;
    if (part > wanted) return;
    if (part < wanted)
      throw new StoreUnavailable(`SQLite ${row?.version} can lose commits; 3.51.3 is needed`);
  }
}

export async function openSqlite(options: SqliteOptions): Promise<SqlEngine> {
  await mkdir(dirname(options.path), { recursive: true, mode: 0o700 });
  // Created here, readable by its owner only. SQLite gives its log the same permissions.
  await (await open(options.path, 'a', 0o600)).close();
  const { onFatal, onWriterTurn } = options;
  const writer = await SqliteConnection.open(
    { path: options.path, readOnly: false },
    { onFatal, ...(onWriterTurn && { onTurn: onWriterTurn }) },
  );
  const openReader = () => SqliteConnection.open({ path: options.path, readOnly: true }, { onFatal });
  const connections = [writer];
  let migrated: readonly string[] = [];
  try {
    await refuseUnsoundVersion(writer);
    const target = migrationTarget(writer);
    if (!options.mayMigrate) await requireCurrent(target, 'sqlite');
    const bringUpToDate = async (): Promise<void> => {
      if (options.mayMigrate) migrated = await migrate(target, 'sqlite', options.now());
    };
    const addReader = async (): Promise<void> => void connections.push(await openReader());
    // At once, because starting the thread of a reader takes as long as creating the database.
    await allOf([bringUpToDate(), ...(options.readers > 0 ? [addReader()] : [])]);
  } catch (error) {
    await Promise.all(connections.map((connection) => connection.close()));
    throw error;
  }
  const [, first] = connections;
  const readers = first ? new Readers(first, options.readers, openReader) : null;
  return createEngine(options.path, writer, readers, migrated, options.reserve ?? noReserve);
}

/** Waits for all of them even if one fails, so that nothing of them goes on afterwards. */
async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

const migrationTarget = (writer: SqliteConnection): MigrationTarget => ({
  exec: async (text) => void (await writer.script(text)),
  rollback: async () => void (await writer.rollback()),
  query: async (text) => (await writer.query(text, [])).rows,
  insertApplied: async ({ number, name, checksum, appliedAt }) =>
    void (await writer.query('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)', [
      number,
      name,
      checksum,
      appliedAt,
    ])),
  begin: 'BEGIN IMMEDIATE',
  attempt: (work) => work(),
});

function createEngine(
  path: string,
  writer: SqliteConnection,
  readers: Readers | null,
  migrated: readonly string[],
  reserve: WriteReserve,
): SqlEngine {
  const turn = new Mutex();
  const reader = () => readers?.next() ?? writer;
  // Once the whole log is in the database file, the next commit starts the log over and needs no more space for it.
  const foldLog = () => writer.query('PRAGMA wal_checkpoint(PASSIVE)', []).catch(() => {});
  const despiteFullDisk =
    (fold: () => Promise<unknown>): Persist =>
    async (write) => {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof StoreFull)) throw error;
        await reserve.release();
        await fold();
        return write();
      }
    };
  /** For callers that have the writer already. */
  const persist = despiteFullDisk(foldLog);
  const write = new Kysely<Schema>({ dialect: writerDialect(writer, turn, persist) });
  const read = new Kysely<Schema>({ dialect: readerDialect(reader) });

  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    const release = await turn.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  };

  const persistAlone = despiteFullDisk(() => alone(foldLog));

  const index = createIndexing({ writer, reader, alone });

  /** Whether the rows fit into pages that deleted rows have freed: these stay in the file and need no disk space. */
  async function fitInside(inserts: readonly BatchInsert[]): Promise<boolean> {
    const text = 'SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size';
    const [row] = (await writer.query(text, [])).rows as { bytes: number }[];
    return (row?.bytes ?? 0) >= leastInsideBytes + 3 * lengthOf(inserts);
  }

  /** Submissions may not use the space that deleting needs. */
  async function insertWithinReserve(inserts: readonly BatchInsert[]): Promise<void> {
    const insert = () => writer.insertBatch(inserts.map((one) => ({ sql: insertText(one), rows: one.rows })));
    if (reserve.isInUse && !(await fitInside(inserts))) {
      throw new StoreFull('The disk is full: its reserve is in use');
    }
    try {
      await insert();
    } catch (error) {
      if (!(error instanceof StoreFull) || !(await fitInside(inserts))) throw error;
      await persist(insert);
    }
  }

  return {
    name: 'sqlite',
    migrated,
    read,
    write,
    transaction: (work) => persistAlone(() => write.transaction().execute(work)),
    textOf: (statement) => statement,
    insertBatch: (inserts) => alone(() => insertWithinReserve(inserts)),
    runBatch: (statements) => alone(() => persist(() => writer.runBatch(statements))),
    claimDue,
    rowLock: '',
    sharedLock: '',
    search: (query) => search(reader, query),
    unindex,
    moveToProject,
    reindex,
    indexStep: async () => persistAlone(index),
    erasing: overwriting(writer),
    removeTraces: createTraceRemoval({ path, writer, alone }),
    expectedTraces: async () => null,
    keptText: (text) => text,
    async check() {
      await writer.query('SELECT 1', []);
      await Promise.all((readers?.all ?? []).map((one) => one.query('SELECT 1', [])));
    },
    async sizeBytes() {
      const text = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
      const { rows } = await reader().query(text, []);
      return (rows[0] as { bytes: number }).bytes;
    },
    async verify() {
      const { rows } = await reader().query('PRAGMA quick_check', []);
      const texts = rows.map((row) => (row as { quick_check: string }).quick_check);
      return texts.filter((text) => text !== 'ok');
    },
    async backup(path, onProgress) {
      await reader().backup(path, onProgress);
    },
    // AUTOINCREMENT continues on its own; the search index starts over.
    async afterImport() {
      await alone(() => writer.query('UPDATE search_progress SET indexed_seq = 0, partial_seq = 0', []));
    },
    async close() {
      await readers?.close();
      await alone(() => writer.close());
    },
  };
}

/** Submissions are rejected until this much is free inside the file: a commit touches more pages than its rows fill. */
const leastInsideBytes = 1024 * 1024;

const lengthOf = (inserts: readonly BatchInsert[]): number =>
  inserts
    .flatMap(({ rows }) => rows.flat())
    .reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0);

const dueInLine = `FROM deliveries WHERE state = 'pending' AND lane = ? AND queue = ? AND next_attempt_at <= ?
  AND ${epochIs}
  ORDER BY next_attempt_at, id LIMIT ?`;
const selectDue = `SELECT ${claimedColumns.join(', ')} ${dueInLine}`;
// Not with RETURNING, which returns the updated rows: the times at which they were due would be lost.
const leaseDue = `UPDATE deliveries SET lease_token = ?, lease_owner = ?, next_attempt_at = ?,
    reclaims = reclaims + CASE WHEN lease_token IS NULL THEN 0 ELSE 1 END
  WHERE rowid IN (SELECT rowid ${dueInLine})`;

const dueValues = ({ lane, queue, now, epoch, limit }: LineClaim): readonly SqlValue[] => [
  lane,
  queue,
  now,
  String(epoch),
  limit,
];

/** Both statements find the same rows, because they run in one transaction of the only writer. */
const claimDue = (lines: readonly LineClaim[]): readonly BatchStatement[] => [
  { sql: selectDue, rows: lines.map((line) => dueValues(line)) },
  {
    sql: leaseDue,
    rows: lines.map((line) => [line.token, line.owner, line.until, ...dueValues(line)]),
  },
];

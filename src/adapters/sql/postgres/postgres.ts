/**
 * PostgreSQL, for instances with many processes: the same rows and queries as in SQLite. Everything specific to it is in
 * this folder.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely as Db, Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Clock } from '../../../kernel/clock.js';
import { Mutex } from '../../../kernel/concurrency.js';
import { messageOf } from '../../../kernel/error-text.js';
import { StoreUnavailable } from '../../../ports/store.js';
import { type BatchStatement, insertText, type LineClaim, type SqlEngine, type SqlValue } from '../engine.js';
import { type MigrationTarget, migrate, requireCurrent } from '../migrate.js';
import { claimedColumns } from '../rows/deliveries.js';
import { epochIs } from '../rows/epoch.js';
import type { Schema } from '../schema.js';
import { numbered, runStatements, storable } from './batch.js';
import { DatabaseClock } from './clock.js';
import { despiteContention } from './contention.js';
import { postgresDialect } from './dialect.js';
import { isAboutLocks, translate } from './faults.js';
import { clientOptions, limitsOfTransaction, longAnswerMs, PostgresPool } from './pool.js';
import { isPooled } from './pooler.js';
import { createIndexing, moveToProject, reindex, search } from './search.js';
import { removeTraces } from './traces.js';
import { expectedInLog } from './write-ahead-log.js';

export interface PostgresOptions {
  readonly url: string;
  /** How many connections this process may open. */
  readonly poolSize: number;
  /** If not allowed, a database that lacks migrations is refused: a newer program must not change it under an older server. */
  readonly migrate: 'always' | 'if-empty' | 'never';
}

export interface PostgresEngine extends SqlEngine {
  readonly clock: Clock;
}

const applicationName = 'inlet';
const migrationLock = 7_231_490_002;
/**
 * Processes of the previous release serve meanwhile, and lock the same tables in a different order. PostgreSQL ends one side
 * of a deadlock after a second. The migration gives up before that, so that it is never a visitor's transaction.
 */
const lockTimeoutMs = 500;
const migrationAttempts = 100;
/** The oldest release that still gets fixes. */
const firstVersion = 14;
/** Short enough to correct clocks that stood still, as in a suspended machine, before other processes give up on this one. */
const learnClockEveryMs = 3_000;

export async function openPostgres(options: PostgresOptions): Promise<PostgresEngine> {
  const migrated = await prepareSchema(options);
  const clock = new DatabaseClock();
  const pool = new PostgresPool({ url: options.url, size: options.poolSize, applicationName }, clock);
  try {
    await learnClock(pool, clock);
  } catch (error) {
    await pool.close();
    throw error;
  }
  const learning = setInterval(() => void learnClock(pool, clock).catch(() => {}), learnClockEveryMs);
  learning.unref();
  return createEngine(pool, clock, migrated, () => clearInterval(learning));
}

/** Uses a connection of its own: migrations may take long. */
async function prepareSchema({ url, migrate: when }: PostgresOptions): Promise<readonly string[]> {
  const client = new pg.Client(clientOptions({ url, applicationName }));
  client.on('error', () => {});
  try {
    await client.connect();
    await refuseUnfit(client);
    const isShared = await isPooled(client);
    if (isShared) await requireTransactions(client);
    const target = migrationTarget(client);
    // Most starts need no lock, and must not wait for a process that hangs with it.
    if (await isCurrent(target)) return [];
    // One process migrates; the others wait and find it done. Behind a pooler they take turns with each migration.
    if (!isShared) await client.query(`SELECT pg_advisory_lock(${migrationLock})`);
    if (when === 'never' || (when === 'if-empty' && !(await isEmpty(client)))) {
      await requireCurrent(target, 'postgres');
      return [];
    }
    return await migrate(target, 'postgres', Date.now());
  } catch (error) {
    throw translate(error);
  } finally {
    await client.end().catch(() => {});
  }
}

async function requireTransactions(client: pg.Client): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query('ROLLBACK');
  } catch (error) {
    if (!/statement pooling/.test(String(error))) throw error;
    throw new StoreUnavailable(
      'The pooler at DATABASE_URL allows no transactions. Set its pool_mode to transaction or session.',
    );
  }
}

const isCurrent = (target: MigrationTarget): Promise<boolean> =>
  requireCurrent(target, 'postgres').then(
    () => true,
    () => false,
  );

async function isEmpty(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("SELECT 1 WHERE to_regclass('schema_migrations') IS NULL");
  return rows.length > 0;
}

async function refuseUnfit(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`,
  );
  const { version = 0, encoding = '' } = rows[0] ?? {};
  const major = Math.floor(version / 10_000);
  if (major < firstVersion)
    throw new StoreUnavailable(`PostgreSQL ${major} is too old; ${firstVersion} or newer is needed`);
  if (encoding !== 'UTF8')
    throw new StoreUnavailable(
      `The database is encoded in ${encoding}. Make one in UTF8: createdb --encoding=UTF8 --template=template0`,
    );
}

const migrationTarget = (client: pg.Client): MigrationTarget => ({
  exec: async (text) => void (await client.query(text)),
  rollback: async () => void (await client.query('ROLLBACK')),
  query: async (text) => (await client.query(text)).rows,
  insertApplied: async ({ number, name, checksum, appliedAt }) =>
    void (await client.query('INSERT INTO schema_migrations VALUES ($1, $2, $3, $4)', [
      number,
      name,
      checksum,
      appliedAt,
    ])),
  begin: `BEGIN; SELECT pg_advisory_xact_lock(${migrationLock}); SET LOCAL lock_timeout = ${lockTimeoutMs}`,
  attempt: giveWay,
});

async function giveWay<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === migrationAttempts || !isAboutLocks(error)) throw error;
      // Random, so that it does not collide with the same work again and again.
      await pause(100 + Math.random() * 400);
    }
  }
}

async function learnClock(pool: PostgresPool, clock: DatabaseClock): Promise<void> {
  await pool.use(async (client) => {
    const askedAt = performance.now();
    const { rows } = await client.query<{ now: number }>('SELECT clock_ms() AS now');
    if (rows[0]) clock.learn(rows[0].now, askedAt, performance.now());
  });
}

function createEngine(
  pool: PostgresPool,
  clock: DatabaseClock,
  migrated: readonly string[],
  onClose: () => void,
): PostgresEngine {
  const db = new Kysely<Schema>({ dialect: postgresDialect(pool) });
  const indexing = createIndexing();
  const turn = new Mutex();
  const batch = (statements: readonly BatchStatement[]) =>
    despiteContention(() =>
      pool.use(async (client) => {
        if (!pool.isPooled(client)) return runStatements(client, statements, true);
        return (await runStatements(client, [limitsOfTransaction, ...statements], false)).slice(1);
      }),
    );

  return {
    name: 'postgresql',
    migrated,
    clock,
    // One pool: a read that starts after a write must see it, and all connections are to the same server.
    read: db,
    write: db,
    rowLock: 'FOR UPDATE',
    sharedLock: 'FOR KEY SHARE',
    claimDue: (lines) => [{ sql: claimDue, rows: lines.map(claimValues) }],
    transaction: (work) => inTurn(turn, () => despiteContention(() => db.transaction().execute(work))),
    textOf: numbered,
    async insertBatch(inserts) {
      await batch(inserts.map((insert) => ({ sql: insertText(insert), rows: insert.rows })));
    },
    runBatch: batch,
    search: (query) => search(db, query),
    async unindex(tx: Db<Schema>, submissionIds) {
      // Locked first: a submission that is just being indexed is seen below, and one that is locked here is not indexed.
      const { rows } = await sql<{ seq: number }>`
        SELECT seq FROM submissions WHERE id IN (${sql.join(submissionIds)}) ORDER BY seq FOR UPDATE`.execute(
        tx,
      );
      if (rows.length === 0) return;
      const held = sql.join(rows.map(({ seq }) => seq));
      await sql`DELETE FROM submission_search WHERE seq IN (${held})`.execute(tx);
      await sql`DELETE FROM unindexed WHERE seq IN (${held})`.execute(tx);
    },
    moveToProject,
    reindex,
    indexStep: oneAtATime(() => despiteContention(() => pool.use(indexing))),
    erasing: (work) => work(),
    removeTraces: () => removeTraces(pool),
    expectedTraces: () => expectedInLog(pool),
    keptText: storable,
    check: () => pool.use(requireWritable),
    async sizeBytes() {
      const { rows } = await sql<{ bytes: number }>`
        SELECT pg_database_size(current_database()) AS bytes`.execute(db);
      return rows[0]?.bytes ?? 0;
    },
    verify: () => verify(pool),
    backup: () =>
      Promise.reject(
        new StoreUnavailable(
          'A backup of PostgreSQL is made with its own tools, such as pg_dump or pg_basebackup',
        ),
      ),
    async afterImport() {
      await sql`SELECT setval(pg_get_serial_sequence('submissions', 'seq'), greatest(max(seq), 1), max(seq) IS NOT NULL)
        FROM submissions`.execute(db);
      await pool.use((client) => client.query('ANALYZE'), longAnswerMs);
    },
    async close() {
      onClose();
      await pool.close();
    },
  };
}

/** A standby or a read-only server responds, but every submission would fail. */
async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ read_only: string }>(
    `SELECT current_setting('transaction_read_only') AS read_only`,
  );
  if (rows[0]?.read_only !== 'off') throw new StoreUnavailable('PostgreSQL takes no writes: it is read-only');
}

/** The same as for a connection: a caller that waits longer is asked to retry. */
const turnMs = 5_000;

/**
 * Transactions wait for each other here rather than in the database: there each would occupy a connection, and none would
 * be left for submissions.
 */
async function inTurn<T>(mutex: Mutex, work: () => Promise<T>): Promise<T> {
  const acquiring = mutex.acquire();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailable('Too many changes wait for PostgreSQL')), turnMs);
  });
  try {
    await Promise.race([acquiring, late]);
    return await work();
  } finally {
    clearTimeout(timer);
    void acquiring.then((release) => release());
  }
}

/**
 * A call that arrives while another one waits shares that one, which has not started yet: searches that wait for the index
 * must not occupy all connections.
 */
function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: Promise<T> | null = null;
  return () => {
    if (waiting) return waiting;
    const mine = last.then(() => {
      waiting = null;
      return work();
    });
    waiting = mine;
    last = mine.catch(() => {});
    return mine;
  };
}

/**
 * Skips rows that another process is claiming. Returns the rows as they were before. They are updated by a list of ids: with
 * a join, a plan that is made without knowing the limit would read the whole table.
 */
const claimDue = `WITH picked AS (
    SELECT * FROM deliveries WHERE state = 'pending' AND lane = ? AND queue = ? AND next_attempt_at <= ?
      AND ${epochIs}
    ORDER BY next_attempt_at, id LIMIT ? FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE deliveries SET lease_token = ?, lease_owner = ?, next_attempt_at = ?,
      reclaims = deliveries.reclaims + CASE WHEN deliveries.lease_token IS NULL THEN 0 ELSE 1 END
    WHERE id = ANY (ARRAY(SELECT id FROM picked))
  )
  SELECT ${claimedColumns.join(', ')} FROM picked`;

const claimValues = (claim: LineClaim): readonly SqlValue[] => [
  claim.lane,
  claim.queue,
  claim.now,
  String(claim.epoch),
  claim.limit,
  claim.token,
  claim.owner,
  claim.until,
];

/** Reads every row of every table: the server reports damaged pages. */
async function verify(pool: PostgresPool): Promise<readonly string[]> {
  return pool.use(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`,
    );
    const faults: string[] = [];
    for (const { name } of rows) {
      try {
        await client.query(`SELECT count(*) FROM ${name} AS one WHERE one::text IS NULL`);
      } catch (error) {
        faults.push(`${name}: ${messageOf(error)}`);
      }
    }
    return faults;
  }, longAnswerMs);
}

/** A connection to PostgreSQL after an error: either as good as new, or discarded. */
import { CompiledQuery } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { openPostgres, type PostgresEngine } from '#inlet/adapters/sql/postgres/postgres.js';
import { newDatabase } from '../../support/services/postgres.js';

let database: Awaited<ReturnType<typeof newDatabase>>;
let engine: PostgresEngine;
/** Another client of the same database. */
let other: pg.Client;

beforeEach(async () => {
  database = await newDatabase(inject('services').databaseUrl);
  // One connection, so that the next user gets the one with the error.
  engine = await openPostgres({ url: database.url, poolSize: 1, migrate: 'always' });
  other = new pg.Client({ connectionString: database.url });
  await other.connect();
});

afterEach(async () => {
  await other.end();
  await engine.close();
  await database.drop();
});

const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Ends a wait for a lock like `lock_timeout`, only sooner. */
async function cancelWhoWaits(): Promise<void> {
  for (;;) {
    const { rows } = await other.query<{ pid: number }>(waiting);
    if (rows[0]) return void (await other.query('SELECT pg_cancel_backend($1)', [rows[0].pid]));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const holdAdvisoryLocks = async (): Promise<void> => {
  await other.query('BEGIN');
  for (const lock of [7_231_490_001, 7_231_490_003]) {
    await other.query('SELECT pg_advisory_xact_lock($1)', [lock]);
  }
};

const goesOn = async (): Promise<void> => {
  await engine.check();
  await engine.runBatch([{ sql: 'SELECT 1', rows: [[]] }]);
  await engine.write.executeQuery(CompiledQuery.raw('SELECT 1'));
};

// The connection once returned to the pool in a failed transaction, and every later use of it was rejected.
it('goes on after a transaction that did not get the lock', async () => {
  await holdAdvisoryLocks();
  const failed = expect(engine.write.transaction().execute(async () => {})).rejects.toThrow('PostgreSQL');
  await cancelWhoWaits();
  await failed;
  await goesOn();
  await other.query('ROLLBACK');
  await engine.write.transaction().execute(async () => {});
});

it('goes on after a step of the search index that did not get the lock', async () => {
  await holdAdvisoryLocks();
  const failed = expect(engine.indexStep()).rejects.toThrow('PostgreSQL');
  await cancelWhoWaits();
  await failed;
  await goesOn();
  await other.query('ROLLBACK');
  await engine.indexStep();
});

it('does not leave the server at work on a statement that nobody waits for any more', async () => {
  const slow = engine.read.executeQuery(CompiledQuery.raw('SELECT pg_sleep(60)'));
  await expect(slow).rejects.toThrow('statement timeout');
  // On the same connection, which must be free again.
  await goesOn();
  const { rows } = await other.query(
    "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(60)'",
  );
  expect(rows).toEqual([]);
});

it('starts although a process hangs with the lock of the migrations, when there is nothing to migrate', async () => {
  await other.query('SELECT pg_advisory_lock(7231490002)');
  const second = await openPostgres({ url: database.url, poolSize: 1, migrate: 'always' });
  expect(second.migrated).toEqual([]);
  await second.close();
});

it('waits for the one that migrates, and then finds it done', async () => {
  const empty = await newDatabase(inject('services').databaseUrl);
  const migrator = new pg.Client({ connectionString: empty.url });
  await migrator.connect();
  try {
    await migrator.query('SELECT pg_advisory_lock(7231490002)');
    const opening = openPostgres({ url: empty.url, poolSize: 1, migrate: 'always' });
    const isWaiting = async (): Promise<'waits'> => {
      while ((await migrator.query(waiting)).rows.length === 0)
        await new Promise((resolve) => setTimeout(resolve, 10));
      return 'waits';
    };
    const opened = opening.then(() => 'did not wait');
    expect(await Promise.race([isWaiting(), opened])).toBe('waits');
    await migrator.query('SELECT pg_advisory_unlock(7231490002)');
    const second = await opening;
    expect(second.migrated.length).toBeGreaterThan(0);
    await second.close();
  } finally {
    await migrator.end();
    await empty.drop();
  }
});

/** What is specific to PostgreSQL below the store's contract: its faults, clock, settings and query plans. */
import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DatabaseClock } from '#inlet/adapters/sql/postgres/clock.js';
import { breaksConnection, translate } from '#inlet/adapters/sql/postgres/faults.js';
import { openPostgres } from '#inlet/adapters/sql/postgres/postgres.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import { queues } from '../../../src/model/delivery.js';
import type { Store } from '../../../src/ports/store.js';
import { newDatabase } from '../../support/services/postgres.js';
import { anEntry, epoch, madePlace, type Place } from './samples.js';

type Engine = Awaited<ReturnType<typeof openPostgres>>;

const open = (url: string): Promise<Engine> => openPostgres({ url, poolSize: 4, migrate: 'always' });
const storeOn = (engine: Engine) =>
  createSqlStore(engine, createSealer(deriveKey('master', 'seal'))) as Store;

let database: Awaited<ReturnType<typeof newDatabase>>;
let engine: Engine;
let session: pg.Client;
let place: Place;

beforeAll(async () => {
  database = await newDatabase(inject('services').databaseUrl);
  session = new pg.Client({ connectionString: database.url });
  await session.connect();
  await session.query(`DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`);
  engine = await open(database.url);
  place = await madePlace(storeOn(engine));
});
afterAll(async () => {
  await engine?.close();
  await session?.end();
  await database?.drop();
});

const asked = async (query: string): Promise<readonly unknown[]> =>
  (await engine.read.executeQuery(CompiledQuery.raw(query))).rows;

describe('faults of PostgreSQL', () => {
  const fault = (code: string): Error => Object.assign(new Error('said by the server'), { code });

  it.each([
    ['23503', { name: 'StoreConflict', rule: 'reference' }],
    ['23505', { name: 'StoreConflict', rule: 'unique' }],
    ['53100', { name: 'StoreFull' }],
  ])('%s is the matter of the caller', (code, expected) => {
    expect(translate(fault(code))).toMatchObject(expected);
    expect(breaksConnection(fault(code))).toBe(false);
  });

  it.each(['40001', '40P01', '53300', '53200', '55P03', '57014', '28P01', '3D000'])(
    '%s says that it cannot be done now, on a connection that may be used again',
    (code) => {
      expect(translate(fault(code))).toMatchObject({ name: 'StoreUnavailable' });
      expect(breaksConnection(fault(code))).toBe(false);
    },
  );

  it.each(['08006', '25006', '57P01', '57P02', '57P03', '58030', 'XX000', 'ECONNRESET', 'ETIMEDOUT'])(
    '%s says the same, and the connection is of no use any more',
    (code) => {
      expect(translate(fault(code))).toMatchObject({ name: 'StoreUnavailable' });
      expect(breaksConnection(fault(code))).toBe(true);
    },
  );

  it.each(['42601', '42P01', '22P02'])('%s is an internal error', (code) => {
    expect(translate(fault(code)).name).toBe('Error');
  });

  it('what was translated already stays as it is', () => {
    const told = translate(fault('57P01'));
    expect(translate(told)).toBe(told);
    expect(translate('a word').message).toContain('a word');
  });
});

describe('the clock of the database', () => {
  const apart = 3_600_000;
  const learn = (clock: DatabaseClock, databaseMs: number, askedAt: number, tookMs: number): void =>
    clock.learn(databaseMs, askedAt, askedAt + tookMs);

  it('is what the database says, half the trip later, and goes on by itself', async () => {
    const clock = new DatabaseClock();
    const at = performance.now();
    learn(clock, Date.now() + apart, at - 10, 10);
    const first = clock.now();
    expect(Math.abs(first - Date.now() - apart)).toBeLessThan(1_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(clock.now() - first).toBeGreaterThanOrEqual(25);
  });

  it('prefers a quick answer to a slow one, until the quick one is old', () => {
    const clock = new DatabaseClock();
    learn(clock, 1_000_000, 1_000, 2);
    const before = clock.now() - performance.now();
    learn(clock, 9_000_000, 2_000, 500);
    expect(Math.abs(clock.now() - performance.now() - before)).toBeLessThanOrEqual(1);
    learn(clock, 9_000_000, 100_000, 500);
    expect(clock.now() - performance.now()).toBeGreaterThan(before + 1_000_000);
  });

  it('learns nothing from an answer that came while this process stood still', () => {
    const clock = new DatabaseClock();
    learn(clock, 1_000_000, 1_000, 2);
    const before = clock.now() - performance.now();
    learn(clock, 1_300_000, 301_000, 300_000);
    expect(Math.abs(clock.now() - performance.now() - before)).toBeLessThanOrEqual(1);
  });

  it('follows a database whose clock was set', () => {
    const clock = new DatabaseClock();
    learn(clock, 1_000_000, 1_000, 2);
    const before = clock.now() - performance.now();
    learn(clock, 1_000_000 - apart, 11_000, 3);
    expect(clock.now() - performance.now()).toBeLessThan(before - apart / 2);
  });

  it('is learnt when the engine opens', async () => {
    const { rows } = await session.query<{ now: number }>('SELECT clock_ms() AS now');
    expect(Math.abs(engine.clock.now() - (rows[0]?.now ?? 0))).toBeLessThan(5_000);
  });
});

describe('the engine on PostgreSQL', () => {
  it('waits for the disk also where the database is set not to', async () => {
    expect((await session.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }]);
    const fresh = new pg.Client({ connectionString: database.url });
    await fresh.connect();
    expect((await fresh.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: 'off' }]);
    await fresh.end();
    expect(await asked('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
  });

  it('stores the one character that it cannot as another, whichever way it comes', async () => {
    const text = 'before\0after';
    const [result] = await engine.runBatch([{ sql: 'SELECT ?::text AS text', rows: [[text]] }]);
    expect(result?.rows[0]).toEqual([['before\uFFFDafter']]);
    const { rows } = await sql`SELECT ${text}::text AS text`.execute(engine.read);
    expect(rows).toEqual([{ text: 'before\uFFFDafter' }]);
  });

  const nameOf = async (): Promise<unknown> =>
    (await session.query('SELECT name FROM projects WHERE id = $1', [place.project.id])).rows[0]?.name;

  it('does not report a transaction as done in which a statement failed and nobody said so', async () => {
    const work = engine.write.transaction().execute(async (tx) => {
      await sql`UPDATE projects SET name = 'Changed' WHERE id = ${place.project.id}`.execute(tx);
      await sql`SELECT 1 / 0`.execute(tx).catch(() => {});
    });
    await expect(work).rejects.toThrow('undone');
    expect(await nameOf()).toBe(place.project.name);
  });

  it('gives no connection back in the middle of a transaction when its lock is not to be had', async () => {
    const short = await open(`${database.url}?options=-c%20application_name%3Dshort`);
    try {
      await session.query('BEGIN');
      await session.query('SELECT pg_advisory_xact_lock(7231490001), pg_advisory_xact_lock(7231490003)');
      const waiting = [short.write.transaction().execute(async () => {}), short.indexStep()];
      for (const outcome of await Promise.allSettled(waiting))
        expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable' } });
      // On all of its connections.
      await Promise.all(Array.from({ length: 8 }, () => short.check()));
    } finally {
      await session.query('ROLLBACK');
      await short.close();
    }
  });

  it('does again what was undone because two stood in each other’s way', async () => {
    const other = await open(database.url);
    const deadlocks = async (): Promise<number> =>
      Number(
        (await session.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'))
          .rows[0]?.deadlocks,
      );
    try {
      const before = await deadlocks();
      const second = await madePlace(storeOn(engine));
      const ids = [place.project.id, second.project.id];
      const change = (name: string, order: readonly string[]) =>
        order.flatMap((id) => [
          { sql: 'UPDATE projects SET name = ? WHERE id = ?', rows: [[name, id]] },
          { sql: 'SELECT pg_sleep(?::float8)', rows: [[0.5]] },
        ]);
      await Promise.all([
        engine.runBatch(change('One', ids)),
        other.runBatch(change('Other', ids.toReversed())),
      ]);
      const { rows } = await session.query('SELECT DISTINCT name FROM projects WHERE id = ANY ($1)', [ids]);
      expect(rows).toHaveLength(1);
      await expect.poll(deadlocks).toBeGreaterThan(before);
    } finally {
      await other.close();
    }
  });
});

describe('the queue in PostgreSQL', () => {
  const healthy = 'https://healthy.test/';
  const add = async (store: Store, count: number, lane: string, dueAt: (i: number) => number) => {
    const entries = Array.from({ length: count }, (_, i) => {
      const entry = anEntry(place, { deliveries: 1 });
      const parts = { lane, queue: queues.first, nextAttemptAt: dueAt(i) };
      return { ...entry, deliveries: entry.deliveries.map((delivery) => ({ ...delivery, ...parts })) };
    });
    for (let at = 0; at < count; at += 1_000) await store.commit(entries.slice(at, at + 1_000));
  };

  it('claims through the index, however many rows are parked elsewhere, by whichever plan', async () => {
    const store = storeOn(engine);
    await add(store, 10_000, 'https://dead.test/', (i) => epoch + i);
    await add(store, 5_000, healthy, (i) => epoch + 1_000_000 + i);
    await session.query('ANALYZE deliveries');
    const line = {
      lane: healthy,
      queue: queues.first,
      limit: 5,
      now: epoch,
      token: 't',
      owner: 'o',
      until: 1,
      epoch: 0,
    };
    const [claim] = engine.claimDue([line]);
    await session.query(`PREPARE claim AS ${engine.textOf(claim?.sql ?? '')}`);
    const values = (claim?.rows[0] ?? []).map((value) =>
      typeof value === 'string' ? session.escapeLiteral(value) : value,
    );
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await session.query(`SET plan_cache_mode = ${mode}`);
      const { rows } = await session.query<Record<string, string>>(
        `EXPLAIN EXECUTE claim (${values.join(', ')})`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan, mode).toContain('Index Scan using deliveries_queue on deliveries');
      expect(plan, mode).not.toMatch(/Seq Scan on deliveries|Sort Key/);
    }
  });

  it('never gives one row to two who claim at once', async () => {
    const shared = 'https://shared.test/';
    const count = 400;
    await add(storeOn(engine), count, shared, () => epoch);
    const engines = [engine, await open(database.url), await open(database.url)];
    try {
      const claimed: string[] = [];
      const claimAll = async (on: Engine, owner: string): Promise<void> => {
        const { queue } = storeOn(on);
        for (let cycle = 0; ; cycle += 1) {
          const { found } = await queue.runCycle({
            records: [],
            releases: [],
            unconfirmed: [],
            picks: [{ lane: shared, queue: queues.first, limit: 7 }],
            lease: { token: `${owner}-${cycle}`, owner, until: epoch + 60_000 },
            now: epoch + 1,
          });
          claimed.push(...(found[0]?.due ?? []).map(({ id }) => id));
          // Nothing is left, not even claimed by a transaction that has not committed yet.
          if ((found[0]?.nextDueAt ?? 0) > epoch + 1) return;
        }
      };
      await Promise.all(engines.flatMap((on, i) => [claimAll(on, `a${i}`), claimAll(on, `b${i}`)]));
      expect(claimed).toHaveLength(count);
      expect(new Set(claimed).size).toBe(count);
    } finally {
      await Promise.all(engines.slice(1).map((each) => each.close()));
    }
  });
});

/**
 * One server of each kind for all test files, started before the first and stopped after the last. Servers named by TEST_DATABASE_URL and
 * TEST_REDIS_URL are used as they are. A test gets them with `inject('services')`, and creates its own database on them (`newDatabase`,
 * `newRedisDatabase`). A test that stops or harms a server starts a private one. A server whose program is not installed has no address;
 * scripts/test.mjs skips what needs it.
 */
import type { TestProject } from 'vitest/node';
import { findPostgres, newDatabase, startPostgres } from './postgres.js';
import { findRedis, startRedis } from './redis.js';

export interface Services {
  /** The URL of a PostgreSQL whose user may create databases. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** The name of a database with all tables and no rows, to copy. Without PostgreSQL, that of an empty one. */
  readonly migratedDatabase: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly services: Services;
  }
}

interface Started<Address> {
  readonly address: Address;
  dispose(): Promise<void>;
}

async function startOr(
  named: string | undefined,
  isInstalled: boolean,
  start: () => Promise<{ url: string; dispose(): Promise<void> }>,
): Promise<Started<string>> {
  if (named || !isInstalled) return { address: named ?? '', dispose: async () => {} };
  const server = await start();
  return { address: server.url, dispose: server.dispose };
}

/** All tests write to one WAL: with recycling, an erasure would have to overwrite up to 1 GB of it. */
const withoutRecycling = ['wal_recycle=off'];

/**
 * A database with the tables of the program that was just built. Returns null when there is no server, or when the program cannot make
 * them: most tests need no database, and those that do say what is wrong.
 */
async function migratedOn(
  serverUrl: string,
): Promise<{ readonly name: string; drop(): Promise<void> } | null> {
  // Without an address, the client would take the machine's own server.
  if (serverUrl === '') return null;
  const { openPostgres } = await import('#inlet/adapters/sql/postgres/postgres.js');
  const database = await newDatabase(serverUrl).catch(() => null);
  if (database === null) return null;
  try {
    const engine = await openPostgres({ url: database.url, poolSize: 1, migrate: 'always' });
    await engine.close();
    return database;
  } catch {
    await database.drop();
    return null;
  }
}

let started: readonly Started<unknown>[] = [];

export async function setup(project: TestProject): Promise<void> {
  const starts = [
    startOr(process.env.TEST_DATABASE_URL, findPostgres() !== null, () => startPostgres(withoutRecycling)),
    startOr(process.env.TEST_REDIS_URL, findRedis() !== null, startRedis),
  ] as const;
  // When one of them fails to start, the others must still be stopped.
  const outcomes = await Promise.allSettled(starts);
  started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  try {
    const [database, redis] = await Promise.all(starts);
    const migrated = await migratedOn(database.address);
    // Dropped before the server stops, which may be one that goes on.
    if (migrated !== null) started = [{ address: migrated.name, dispose: migrated.drop }, ...started];
    project.provide('services', {
      databaseUrl: database.address,
      redisUrl: redis.address,
      migratedDatabase: migrated?.name ?? 'template1',
    });
  } catch (error) {
    await teardown();
    throw error;
  }
}

export async function teardown(): Promise<void> {
  for (const service of started) await service.dispose();
  started = [];
}

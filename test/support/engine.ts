/**
 * The database that a test's servers and commands stand on. The black-box tests run once on each engine; they know only a
 * data folder, so each folder is given a database of its own, which a restart on the same folder finds again.
 */
import pg from 'pg';
import { inject } from 'vitest';
import { newDatabase } from './services/postgres.js';

export const isOnPostgres = process.env.INLET_TEST_ENGINE === 'postgres';

interface Database {
  readonly url: string;
  drop(): Promise<void>;
}

const databases = new Map<string, Promise<Database>>();

/** The settings that name it; none for the embedded engine. */
export async function engineSettings(dataDir: string): Promise<Record<string, string>> {
  if (!isOnPostgres) return {};
  let database = databases.get(dataDir);
  if (!database) {
    database = newDatabase(inject('services').databaseUrl);
    databases.set(dataDir, database);
  }
  return { DATABASE_URL: (await database).url, DATABASE_POOL_SIZE: '6' };
}

/** Sets its clock forward by so much against the real time. */
export async function setDatabaseForward(dataDir: string, aheadMs: number): Promise<void> {
  const database = await databases.get(dataDir);
  if (!database) return;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(`CREATE OR REPLACE FUNCTION clock_ms() RETURNS DOUBLE PRECISION LANGUAGE sql VOLATILE AS
      $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::DOUBLE PRECISION + ${aheadMs} $$`);
  } finally {
    await client.end();
  }
}

/** With the folder, its database goes. */
export async function dropEngine(dataDir: string): Promise<void> {
  const database = databases.get(dataDir);
  databases.delete(dataDir);
  await (await database)?.drop();
}

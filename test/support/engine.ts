/**
 * The database of a test's servers and commands: SQLite, or PostgreSQL in the project of that name. Tests know only a data folder, so
 * each folder gets its own database, which a restart on the same folder finds again.
 */
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';
import { inject } from 'vitest';
import { newDatabase } from './services/postgres.js';

export const isOnPostgres = process.env.INLET_TEST_ENGINE === 'postgres';

const int8 = 20;

interface Database {
  readonly url: string;
  drop(): Promise<void>;
}

const databases = new Map<string, Promise<Database>>();

/** The settings that name the database. None for the embedded engine. */
export async function engineSettings(dataDir: string): Promise<Record<string, string>> {
  if (!isOnPostgres) return {};
  let database = databases.get(dataDir);
  if (!database) {
    const { databaseUrl, migratedDatabase } = inject('services');
    database = newDatabase(databaseUrl, migratedDatabase);
    databases.set(dataDir, database);
  }
  return { DATABASE_URL: (await database).url, DATABASE_POOL_SIZE: '6' };
}

/** Rows of the database, bypassing the API, for what nothing else shows. */
export async function storedRows<Row>(dataDir: string, query: string): Promise<readonly Row[]> {
  const database = await databases.get(dataDir);
  if (database) return (await ask(database.url, query)) as Row[];
  const file = new DatabaseSync(join(dataDir, 'inlet.db'), { readOnly: true });
  try {
    return (file.prepare(query).all() as object[]).map((row) => ({ ...row }) as Row);
  } finally {
    file.close();
  }
}

async function ask(url: string, query: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.setTypeParser(int8, Number);
  await client.connect();
  try {
    return (await client.query(query)).rows;
  } finally {
    await client.end();
  }
}

/** Sets the database's clock forward by this much from the real time. */
export async function setDatabaseForward(dataDir: string, aheadMs: number): Promise<void> {
  const database = await databases.get(dataDir);
  if (!database) return;
  await ask(
    database.url,
    `CREATE OR REPLACE FUNCTION clock_ms() RETURNS DOUBLE PRECISION LANGUAGE sql VOLATILE AS
      $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::DOUBLE PRECISION + ${aheadMs} $$`,
  );
}

/** Changes rows of the database, bypassing the API. */
export async function changeStored(dataDir: string, text: string): Promise<void> {
  const database = await databases.get(dataDir);
  if (database) return void (await ask(database.url, text));
  const file = new DatabaseSync(join(dataDir, 'inlet.db'));
  try {
    // The server may be writing at this moment.
    file.exec('PRAGMA busy_timeout = 10000');
    file.exec(text);
  } finally {
    file.close();
  }
}

/** Makes the first account, and so the instance, older: what was stored before it cannot be its own. */
export const ageInstance = (dataDir: string, byMs: number): Promise<void> =>
  changeStored(dataDir, `UPDATE accounts SET created_at = created_at - ${byMs}`);

/** Drops the database of a folder. */
export async function dropEngine(dataDir: string): Promise<void> {
  const database = databases.get(dataDir);
  databases.delete(dataDir);
  await (await database)?.drop();
}

import { CompiledQuery } from 'kysely';
import pg from 'pg';
import { inject } from 'vitest';
import { openPostgres } from '#inlet/adapters/sql/postgres/postgres.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import type { Store } from '../../../src/ports/store.js';
import { newDatabase } from '../../support/services/postgres.js';
import { storeContract } from './contract.js';

const sealer = (master: string) => createSealer(deriveKey(master, 'seal'));

async function open(url: string, master: string, slot = 0, epoch = 0) {
  const engine = await openPostgres({ url, poolSize: 8, migrate: 'always' });
  return { engine, store: createSqlStore(engine, sealer(master), { slot, epoch }) as Store };
}

async function textsIn(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM ${name}`);
      texts.push(...rows.flatMap((row) => Object.values(row)).filter((value) => typeof value === 'string'));
    }
    return texts;
  } finally {
    await client.end();
  }
}

/** Refuses what takes room with the server's own code for a full disk. */
const noRoom = `CREATE OR REPLACE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF length(NEW::text) > 100000 OR TG_TABLE_NAME = 'audit_entries' THEN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END IF;
    RETURN NEW;
  END $$`;
const bulkyTables = ['submissions', 'projects', 'submission_search', 'audit_entries'];

storeContract('PostgreSQL', async () => {
  const { databaseUrl, migratedDatabase } = inject('services');
  const database = await newDatabase(databaseUrl, migratedDatabase);
  const { engine, store } = await open(database.url, 'master');
  const write = (text: string) => engine.write.executeQuery(CompiledQuery.raw(text));
  return {
    store,
    another: async (options) =>
      (await open(database.url, options?.sealedWith ?? 'master', options?.slot, options?.epoch)).store,
    backup: null,
    storedTexts: () => textsIn(database.url),
    run: async (statement) => (await write(statement)).rows,
    async fillUp() {
      await write(noRoom);
      for (const table of bulkyTables)
        await write(
          `CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION no_room()`,
        );
      return async () => {
        for (const table of bulkyTables) await write(`DROP TRIGGER no_room ON ${table}`);
      };
    },
    async dispose() {
      await store.close();
      await database.drop();
    },
  };
});

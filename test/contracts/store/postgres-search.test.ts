/** What is deleted while the search index is being written. */
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { openPostgres } from '#inlet/adapters/sql/postgres.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import type { Store } from '../../../src/ports/store.js';
import { newDatabase } from '../../support/services/postgres.js';
import { made, madePlace, nextInstant } from './samples.js';

const gate = 42;
/** Whoever writes into the index waits at the gate. */
const gateTrigger = `CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(${gate}); RETURN NEW; END $$;
  CREATE TRIGGER gate BEFORE INSERT ON submission_search FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`;

const waiting = `SELECT count(*)::integer AS n FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

it('keeps no word of a submission that is deleted while it is indexed', async () => {
  const database = await newDatabase(inject('services').databaseUrl);
  const engine = await openPostgres({ url: database.url, poolSize: 4, migrate: 'always' });
  const store = createSqlStore(engine, createSealer(deriveKey('master', 'seal'))) as Store;
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  try {
    const { submission } = await made(store, await madePlace(store));
    await other.query(gateTrigger);
    await other.query(`SELECT pg_advisory_lock(${gate})`);
    const whoWaits = async (): Promise<number> => (await other.query<{ n: number }>(waiting)).rows[0]?.n ?? 0;
    const until = async (isSo: () => Promise<boolean>): Promise<void> => {
      while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
    };

    const indexing = store.indexStep();
    await until(async () => (await whoWaits()) === 1);
    let isDeleted = false;
    const deleting = store.submissions.delete(submission.id, nextInstant()).then(() => {
      isDeleted = true;
    });
    await until(async () => isDeleted || (await whoWaits()) === 2);
    await other.query(`SELECT pg_advisory_unlock(${gate})`);
    await Promise.all([indexing, deleting]);

    expect((await other.query('SELECT seq FROM submission_search')).rows).toEqual([]);
    expect((await other.query('SELECT seq FROM unindexed')).rows).toEqual([]);
  } finally {
    await other.end();
    await store.close();
    await database.drop();
  }
});

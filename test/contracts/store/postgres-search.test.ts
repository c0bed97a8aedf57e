/** The search index of PostgreSQL: deletes during indexing, and submissions that are hard to index. */
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { openPostgres } from '#inlet/adapters/sql/postgres/postgres.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import { noFilter } from '../../../src/model/submission.js';
import type { Store } from '../../../src/ports/store.js';
import { newDatabase } from '../../support/services/postgres.js';
import { anEntry, made, madePlace, nextInstant } from './samples.js';

const gate = 42;
/** Every write to the index waits at the gate. */
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

/** Like a server for which many words are too many. */
const slowTrigger = `CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF length(NEW.words) > 6000 THEN PERFORM pg_sleep(60); END IF; RETURN NEW; END $$;
  CREATE TRIGGER slow BEFORE INSERT ON submission_search FOR EACH ROW EXECUTE FUNCTION be_slow()`;

it('gets past a submission that takes the server too long', async () => {
  const database = await newDatabase(inject('services').databaseUrl);
  const engine = await openPostgres({ url: database.url, poolSize: 2, migrate: 'always' });
  const store = createSqlStore(engine, createSealer(deriveKey('master', 'seal'))) as Store;
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  try {
    await other.query(slowTrigger);
    const place = await madePlace(store);
    const text = Array.from({ length: 10_000 }, (_, index) => `word${index}`).join(' ');
    const hard = anEntry(place);
    await store.commit([{ ...hard, submission: { ...hard.submission, data: JSON.stringify({ text }) } }]);
    const easy = anEntry(place);
    await store.commit([{ ...easy, submission: { ...easy.submission, data: '{"text":"needle"}' } }]);

    await expect(store.indexStep()).rejects.toThrow('statement timeout');
    while (await store.indexStep());

    const scope = { kind: 'form', formId: place.form.id } as const;
    for (const [word, { submission }] of [
      ['word7', hard],
      ['needle', easy],
    ] as const) {
      const page = await store.submissions.list(
        scope,
        { ...noFilter, words: [word] },
        { limit: 10, after: null },
      );
      expect(page.items.map(({ id }) => id)).toEqual([submission.id]);
    }
  } finally {
    await other.end();
    await store.close();
    await database.drop();
  }
});

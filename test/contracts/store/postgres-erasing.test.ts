/** What an erasure does to the write-ahead log of a server that recycles its segments, which is the default. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgres } from '#inlet/adapters/sql/postgres/postgres.js';
import { filesBelowWith } from '../../support/raw-bytes.js';
import { type PostgresServer, startPostgres } from '../../support/services/postgres.js';

const address = 'ann.in.the.log@example.com';
const quiet = new AbortController().signal;

let server: PostgresServer;
let admin: pg.Client;
let databaseUrl: string;
let folder: string;
let engine: Awaited<ReturnType<typeof openPostgres>>;
beforeAll(async () => {
  server = await startPostgres();
  const first = new pg.Client({ connectionString: server.url });
  await first.connect();
  await first.query('CREATE ROLE "the form""s" LOGIN');
  await first.query('CREATE DATABASE forms OWNER "the form""s"');
  await first.end();
  const url = new URL(server.url);
  url.pathname = '/forms';
  databaseUrl = url.href;
  admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  const { rows } = await admin.query<{ folder: string }>(
    "SELECT current_setting('data_directory') AS folder",
  );
  folder = rows[0]?.folder ?? '';
  url.username = encodeURIComponent('the form"s');
  engine = await openPostgres({ url: url.href, poolSize: 2, migrate: 'always' });
});
afterAll(async () => {
  await engine?.close();
  await admin?.end();
  await server?.dispose();
});

/** Fills three segments. The checkpoint renames them for later use. */
async function fillLog(): Promise<void> {
  await admin.query('CREATE TABLE gone (text TEXT)');
  for (let part = 0; part < 3; part += 1) {
    await admin.query(
      `INSERT INTO gone SELECT '${address} ' || repeat('x', 1000) FROM generate_series(1, 15000)`,
    );
    await admin.query('CHECKPOINT');
  }
  await admin.query('DROP TABLE gone');
  await admin.query('CHECKPOINT');
  expect(await filesBelowWith([folder], address)).not.toEqual([]);
}

it('says what a user without rights leaves there, and which rights to give; with them, nothing is left', async () => {
  await fillLog();
  const left = await engine.removeTraces([address], quiet);
  expect(left).toEqual(await engine.expectedTraces());
  expect(left).toMatchObject({ reason: expect.stringContaining('may not empty it') });
  if (typeof left === 'string') throw new Error(left);
  expect(await filesBelowWith([folder], address)).not.toEqual([]);

  const [, grants] = /database forms: (.*;)/.exec(left.remedy) ?? [];
  await admin.query(grants ?? '');
  expect(await engine.expectedTraces()).toBeNull();
  expect(await engine.removeTraces([address], quiet)).toBe('removed');
  expect(await filesBelowWith([folder], address)).toEqual([]);
});

it('says that the server holds old segments back, and overwrites them once it does not', async () => {
  await admin.query("SELECT pg_create_physical_replication_slot('standby', true)");
  await fillLog();
  expect(await engine.removeTraces([address], quiet)).toMatchObject({
    reason: expect.stringMatching(/holds back \d+ of its old segments/),
    remedy: expect.stringContaining('pg_replication_slots'),
  });
  await admin.query("SELECT pg_drop_replication_slot('standby')");
  expect(await engine.removeTraces([address], quiet)).toBe('removed');
  expect(await filesBelowWith([folder], address)).toEqual([]);
});

it('is busy while a transaction from before may still read what was deleted, and leaves nothing after it', async () => {
  const reader = new pg.Client({ connectionString: databaseUrl });
  await reader.connect();
  try {
    // The row needs no account here.
    await admin.query('SET session_replication_role = replica');
    await admin.query(`INSERT INTO suppressed_addresses
      (id, account_id, destination_id, address, reason, detail, created_at)
      VALUES ('one', 'none', '', '${address}', 'bounced', '', 1)`);
    // Of another table: a reader of this one would hold up its rewrite.
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT count(*) FROM forms');
    await admin.query('DELETE FROM suppressed_addresses');
    expect(await engine.removeTraces([address], quiet)).toBe('busy');
    await reader.query('COMMIT');
    expect(await engine.removeTraces([address], quiet)).toBe('removed');
    expect(await filesBelowWith([folder], address)).toEqual([]);
  } finally {
    await reader.end();
  }
});

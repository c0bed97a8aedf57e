/** A database from before image transformations is upgraded, and its files work like new ones. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { readMigrations } from '#inlet/adapters/sql/migrate.js';
import { inlet } from '../support/cli.js';
import { client, request } from '../support/client.js';
import { expectDeleted } from '../support/contract.js';
import { contentUrl, fetchBytes, sendFile } from '../support/files.js';
import { keptFiles, waitUntil } from '../support/kept.js';
import { picture } from '../support/pictures.js';
import { startServer } from '../support/server.js';
import { hurriedUpkeep } from '../support/upkeep.js';

const ours = await readMigrations('sqlite');

type Row = Record<string, string | number | bigint | null | Uint8Array>;
const columnsOf = (db: DatabaseSyncInstance, table: string): readonly string[] =>
  (db.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[]).map(({ name }) => name);

/** Takes the database back to the schema of the first version, with as much of today's rows as fits into it. */
async function goBack(path: string): Promise<void> {
  const [first] = ours;
  if (!first) throw new Error('no migrations');
  const today = new DatabaseSync(path);
  const back = new DatabaseSync(':memory:');
  back.exec(first.text);
  const tables = (
    back
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'submission_search%'")
      .all() as { name: string }[]
  ).map(({ name }) => name);
  back.exec(`PRAGMA foreign_keys = OFF; CREATE TABLE schema_migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)`);
  back
    .prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)')
    .run(first.number, first.name, first.checksum, 1);
  for (const table of tables) {
    const now = new Set(columnsOf(today, table));
    const columns = columnsOf(back, table).filter((name) => now.has(name));
    if (columns.length === 0) continue;
    const rows = today.prepare(`SELECT ${columns.join(', ')} FROM ${table}`).all() as Row[];
    // Rows that the first version inserts by itself.
    back.exec(`DELETE FROM ${table}`);
    const insert = back.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    for (const row of rows) insert.run(...columns.map((name) => row[name] ?? null));
  }
  // To be indexed again, as in a database that was never searched.
  if (tables.includes('search_progress')) back.exec('UPDATE search_progress SET indexed_seq = 0');
  today.close();
  for (const ending of ['', '-wal', '-shm']) await rm(`${path}${ending}`, { force: true });
  back.exec(`VACUUM INTO '${path}'`);
  back.close();
}

it('from the first version on: pictures of the files that it holds', async () => {
  const old = await startServer();
  const content = await picture('jpeg', 80, 60);
  const sent = await sendFile(old.url, { filename: 'old.jpg', type: 'image/jpeg', content });
  const deleted = await sendFile(old.url, { content: 'gone before' });
  expectDeleted(await client(old.url).delete(deleted.path));
  await old.end();
  const path = join(old.dataDir, 'inlet.db');
  await goBack(path);

  // A command that only reads does not change it, and says what to do.
  const listed = await inlet(['accounts', 'list', '--json'], { dataDir: old.dataDir });
  expect(listed.code).not.toBe(0);
  expect(listed.stderr).toMatch(/\S/);

  const server = await startServer({ ...hurriedUpkeep, dataDir: old.dataDir, port: old.port });
  try {
    const before = await keptFiles(server);
    const whole = await fetchBytes(await contentUrl(sent));
    expect(whole.bytes.equals(content)).toBe(true);
    const small = await fetchBytes(await contentUrl(sent, '&w=40&f=webp'));
    const { format, width, height } = await sharp(small.bytes).metadata();
    expect({ format, width, height }).toEqual({ format: 'webp', width: 40, height: 30 });
    expect((await request(deleted.downloadUrl)).status).toBe(410);
    const fresh = await sendFile(server.url, { filename: 'new.jpg', type: 'image/jpeg', content });
    expect((await fetchBytes(await contentUrl(fresh, '&h=30'))).status).toBe(200);
    expect((await client(server.url).get(`/api/v1/submissions/${sent.submissionId}`)).status).toBe(200);
    for (const file of [sent, fresh]) expectDeleted(await client(server.url).delete(file.path));
    await waitUntil(async () => (await keptFiles(server)).length === before.length - 1);
    expect(await server.end()).toBe(0);
    const db = new DatabaseSync(path);
    expect(db.prepare('SELECT number, name FROM schema_migrations ORDER BY number').all()).toEqual(
      ours.map(({ number, name }) => ({ number, name })),
    );
    expect(db.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    db.close();
  } finally {
    await server.dispose();
  }
});

/** The threads that read SQLite are started when they are needed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqliteConnection } from '#inlet/adapters/sql/sqlite/connection.js';
import { Readers } from '#inlet/adapters/sql/sqlite/readers.js';

let folder: string;
let writer: SqliteConnection;
let readers: Readers;
let opened: SqliteConnection[];
let failure: Error | null;

const connect = (readOnly: boolean) =>
  SqliteConnection.open(
    { path: join(folder, 'inlet.db'), readOnly },
    {
      onFatal(error) {
        throw error;
      },
    },
  );

/** Counts the threads that are started after the first. */
async function open(): Promise<SqliteConnection> {
  if (failure) throw failure;
  const connection = await connect(true);
  opened.push(connection);
  return connection;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-readers-'));
  writer = await connect(false);
  await writer.script('CREATE TABLE numbers AS SELECT 7 AS n');
  opened = [];
  failure = null;
  readers = new Readers(await connect(true), 2, open);
});
afterEach(async () => {
  await readers.close();
  await writer.close();
  await rm(folder, { recursive: true });
});

const read = async (): Promise<unknown> => {
  const { rows } = await readers.next().query('SELECT n FROM numbers', []);
  return (rows[0] as { n: number }).n;
};
const readAtOnce = (count: number) => Promise.all(Array.from({ length: count }, read));

const slow =
  'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 4000000) SELECT sum(n) FROM c';

/** Keeps one thread at work for longer than the readers are patient, and returns when they no longer are. */
async function occupy(): Promise<{ done: Promise<unknown> }> {
  const one = readers.next();
  const done = one.query(slow, []);
  await expect.poll(() => one.busyMs, { interval: 5 }).toBeGreaterThan(100);
  return { done };
}

/** A read that has to wait. */
async function occupyAndRead(): Promise<{ done: Promise<unknown> }> {
  const { done } = await occupy();
  expect(await read()).toBe(7);
  return { done };
}

it('statements one after the other need one thread, and so does a moment with many', async () => {
  for (let count = 0; count < 20; count += 1) expect(await read()).toBe(7);
  expect(readers.next().busyMs).toBe(0);
  expect(new Set(await readAtOnce(3))).toEqual(new Set([7]));
  expect(opened).toHaveLength(0);
});

it('a statement that has to wait gets a second thread, and no third', async () => {
  const { done } = await occupy();
  expect(await readAtOnce(20)).toHaveLength(20);
  await expect.poll(() => readers.all.length).toBe(2);
  await done;
  const both = [await occupy(), await occupy()];
  expect(await readAtOnce(20)).toHaveLength(20);
  await Promise.all(both.map(({ done }) => done));
  expect(opened).toHaveLength(1);
});

it('the second thread takes statements while the first is at work', async () => {
  await (await occupyAndRead()).done;
  await expect.poll(() => readers.all.length).toBe(2);
  const { done } = await occupy();
  const order: string[] = [];
  await Promise.all([done.then(() => order.push('slow')), read().then(() => order.push('quick'))]);
  expect(order).toEqual(['quick', 'slow']);
});

it('a second thread that cannot be started is not tried again, and everything is read', async () => {
  failure = new Error('no memory for another thread');
  await (await occupyAndRead()).done;
  failure = null;
  await (await occupyAndRead()).done;
  expect(readers.all).toHaveLength(1);
  expect(opened).toHaveLength(0);
});

it('closing waits for a thread that is just being started, and starts no other', async () => {
  const { done } = await occupy();
  const reads = readAtOnce(2);
  await Promise.all([readers.close(), Promise.allSettled([done, reads])]);
  expect(opened).toHaveLength(1);
  for (const connection of opened) await expect(connection.query('SELECT 1', [])).rejects.toThrow('closed');
  await expect(readers.next().query('SELECT 1', [])).rejects.toThrow('closed');
  expect(opened).toHaveLength(1);
});

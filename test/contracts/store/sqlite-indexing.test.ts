/**
 * A large submission in the SQLite index: added in pieces of bounded size, each once, whichever process continues after whatever
 * interruption; and found as if it were in one piece.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endOfPiece, perhapsParting, surelyParting } from '#inlet/adapters/sql/sqlite/pieces.js';
import { tokenizer } from '#inlet/adapters/sql/sqlite/search-index.js';
import { openSqlite } from '#inlet/adapters/sql/sqlite/sqlite.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import { noFilter } from '../../../src/model/submission.js';
import type { Store } from '../../../src/ports/store.js';
import { anEntry, epoch, made, madePlace, nextInstant, type Place } from './samples.js';

const maxBytes = 32 * 1024;
const maxWords = 4_000;

let folder: string;
let path: string;
const opened: Store[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-index-'));
  path = join(folder, 'inlet.db');
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(): Promise<Store> {
  const onFatal = (error: Error): never => {
    throw error;
  };
  const engine = await openSqlite({ path, readers: 1, now: () => epoch, mayMigrate: true, onFatal });
  const store = createSqlStore(engine, createSealer(deriveKey('master', 'seal')), { slot: 0 }) as Store;
  opened.push(store);
  return store;
}

function look(text: string): readonly Record<string, number | string>[] {
  const db = new DatabaseSync(path);
  try {
    db.exec('CREATE VIRTUAL TABLE temp.instances USING fts5vocab (main, submission_search_pieces, instance)');
    return db.prepare(text).all() as Record<string, number | string>[];
  } finally {
    db.close();
  }
}

/** The number of words in each piece. */
const wordsOfPieces = (): readonly number[] =>
  look("SELECT count(*) AS words FROM instances WHERE col = 'words' GROUP BY doc ORDER BY doc").map(
    ({ words }) => Number(words),
  );
const isInPieces = (): boolean =>
  Number(look('SELECT count(*) AS n FROM submission_search_pieces')[0]?.n) > 0;

const count = 16_000;
const word = (row: string, i: number): string => `${row}${(i * 7919 + 31).toString(36)}`;
/** All different, some 110 kB, over several fields. */
const largeData = (row: string): string =>
  JSON.stringify(
    Object.fromEntries(
      Array.from({ length: 20 }, (_, field) => [
        `field${field}`,
        Array.from({ length: count / 20 }, (_, i) => word(row, field * (count / 20) + i)).join(' '),
      ]),
    ),
  );

const found = async (store: Store, { form }: Place, ...words: string[]): Promise<readonly string[]> => {
  const filter = { ...noFilter, words };
  const page = { limit: 10, after: null };
  const { items } = await store.submissions.list({ kind: 'form', formId: form.id }, filter, page);
  return items.map(({ id }) => id);
};

/** Checks that it is found by its first and its last word and by words of different pieces, and that every word is in the index once. */
async function expectIndexedOnce(store: Store, place: Place, row: string, id: string): Promise<void> {
  const [first, middle, last] = [word(row, 0), word(row, count / 2), word(row, count - 1)];
  for (const words of [[first], [last], [first, last], [first, middle, last], [last.slice(0, -1), first]]) {
    expect(await found(store, place, ...words)).toEqual([id]);
  }
  expect(await found(store, place, first, 'absent')).toEqual([]);
  const all = "FROM instances WHERE col = 'words'";
  expect(look(`SELECT count(*) AS words, count(DISTINCT term) AS different ${all}`)).toEqual([
    { words: count, different: count },
  ]);
}

describe('a large submission in the search index', () => {
  it('is put in by pieces that are bounded by their words and bytes, with others between them', async () => {
    const store = await open();
    const place = await madePlace(store);
    const { submission } = await made(store, place, { data: largeData('a') });
    const short = await made(store, place, {
      data: JSON.stringify({ w: '字 句 '.repeat(2 * maxWords) }),
    });
    let steps = 1;
    while (await store.indexStep()) {
      steps += 1;
      const between = anEntry(place, { data: '{"w":"between"}' });
      if (steps === 3) await store.commit([between]);
      // A later submission is not found before the large one is complete.
      expect(await found(store, place, 'between')).toEqual([]);
    }
    const pieces = wordsOfPieces();
    expect(pieces.reduce((sum, words) => sum + words, 0)).toBe(count + 4 * maxWords);
    expect(Math.max(...pieces)).toBeLessThanOrEqual(maxWords);
    // The one committed between the pieces comes after all of them.
    expect(steps).toBe(pieces.length + 1);
    expect(await found(store, place, 'between')).toHaveLength(1);
    expect(await found(store, place, word('a', 0), word('a', count - 1))).toEqual([submission.id]);
    expect(await found(store, place, '字', '句')).toEqual([short.submission.id]);
  });

  it('is indexed by its beginning: one visitor cannot keep the index busy', async () => {
    const store = await open();
    const place = await madePlace(store);
    const { submission } = await made(store, place, {
      data: JSON.stringify({ w: `first ${'0 '.repeat(400_000)}last` }),
    });
    let steps = 1;
    while (await store.indexStep()) steps += 1;
    // 64 Ki words of two letters.
    expect(steps).toBeLessThan(20);
    expect(await found(store, place, 'first')).toEqual([submission.id]);
    expect(await found(store, place, 'last')).toEqual([]);
  });

  it('is found by what comes after a zero, and when it has no words at all', async () => {
    const store = await open();
    const place = await madePlace(store);
    const { submission } = await made(store, place, {
      data: JSON.stringify({ a: `before\0after ${'x'.repeat(maxBytes)}`, b: 'last' }),
    });
    await made(store, place, { data: JSON.stringify({ a: Array.from({ length: maxBytes }, () => true) }) });
    while (await store.indexStep());
    for (const words of [['before'], ['after'], ['before', 'last']]) {
      expect(await found(store, place, ...words)).toEqual([submission.id]);
    }
    expect(await store.indexStep()).toBe(false);
  });

  it('is never in pieces when it is small, and many small ones are no longer step than a large one', async () => {
    const store = await open();
    const place = await madePlace(store);
    const data = JSON.stringify({ w: 'x'.repeat(maxBytes / 8) });
    await store.commit(Array.from({ length: 32 }, () => anEntry(place, { data })));
    let steps = 1;
    while (await store.indexStep()) steps += 1;
    // Seven of them, with their field's name, fit into a step.
    expect(steps).toBe(5);
    expect(isInPieces()).toBe(false);
  });

  it('is gone on with by another process, and by one after the other', async () => {
    const store = await open();
    const place = await madePlace(store);
    const { submission } = await made(store, place, { data: largeData('b') });
    expect(await store.indexStep()).toBe(true);
    const other = await open();
    for (let steps = 0; await (steps % 2 ? store : other).indexStep(); steps += 1);
    await expectIndexedOnce(other, place, 'b', submission.id);
  });

  it('is put in whole after a process that was killed between its pieces', async () => {
    const store = await open();
    const place = await madePlace(store);
    const { submission } = await made(store, place, { data: largeData('c') });
    const later = await made(store, place, { data: '{"w":"later"}' });
    await opened.pop()?.close();
    const program = fileURLToPath(new URL('./step-index.mjs', import.meta.url));
    const child = spawn(process.execPath, [program, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const said = createInterface(child.stdout)[Symbol.asyncIterator]();
    for (let step = 0; step < 2; step += 1) {
      child.stdin.write('\n');
      expect(await said.next()).toEqual({ done: false, value: 'step' });
    }
    child.kill('SIGKILL');
    await ended;
    expect(wordsOfPieces().length).toBeGreaterThanOrEqual(2);
    const after = await open();
    expect(await found(after, place, 'later')).toEqual([]);
    while (await after.indexStep());
    await expectIndexedOnce(after, place, 'c', submission.id);
    expect(await found(after, place, 'later')).toEqual([later.submission.id]);
    expect(await after.verify()).toEqual([]);
  });

  it('leaves nothing behind when it is deleted, whole or half indexed', async () => {
    const store = await open();
    const place = await madePlace(store);
    const half = await made(store, place, { data: largeData('d') });
    const next = await made(store, place, { data: largeData('e') });
    await store.indexStep();
    await store.indexStep();
    expect(isInPieces()).toBe(true);
    await store.submissions.delete(half.submission.id, nextInstant());
    expect(isInPieces()).toBe(false);
    while (await store.indexStep());
    expect(await found(store, place, word('d', 0))).toEqual([]);
    await expectIndexedOnce(store, place, 'e', next.submission.id);
    await store.submissions.delete(next.submission.id, nextInstant());
    expect(isInPieces()).toBe(false);
    expect(look("SELECT count(*) AS words FROM instances WHERE col = 'words'")).toEqual([{ words: 0 }]);
  });
});

describe('where a piece ends', () => {
  it('is where the index parts words, whatever the character', () => {
    const characters = Array.from({ length: 0x110000 }, (_, code) => code)
      // Lone surrogates are not characters, and NUL ends the text on its way into this database.
      .filter((code) => code !== 0 && (code < 0xd800 || code > 0xdfff))
      .map((code) => String.fromCodePoint(code));
    const db = new DatabaseSync(':memory:');
    try {
      db.exec(`CREATE VIRTUAL TABLE texts USING fts5 (text, content='', tokenize='${tokenizer}');
        CREATE VIRTUAL TABLE words USING fts5vocab (texts, instance); BEGIN`);
      const put = db.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)');
      for (const [i, one] of characters.entries()) put.run(i + 1, `a${one}b`);
      const docs = db.prepare("SELECT doc FROM words WHERE term = 'b'").all() as { doc: number }[];
      const parting = docs.map(({ doc }) => characters[doc - 1] ?? '');
      const perhaps = new RegExp(perhapsParting.source, 'u');
      expect(parting.filter((one) => !perhaps.test(one))).toEqual([]);
      const isParting = new Set(parting);
      const surely = characters.filter((one) => surelyParting.test(one));
      expect(surely).toEqual(expect.arrayContaining([' ', '\n', '-', '_', ',', '。']));
      expect(surely.filter((one) => !isParting.has(one))).toEqual([]);
    } finally {
      db.close();
    }
  });

  it('is before a word that would be cut, and somewhere where there is nothing between words', () => {
    const dots = 'ab·'.repeat(2 * maxWords);
    expect(endOfPiece(`${dots} end`, 0)).toBe(dots.length + 1);
    expect(endOfPiece(dots.repeat(3), 0)).toBe(3 * maxWords);
    expect(endOfPiece(dots, 0)).toBe(dots.length);
  });

  it('goes to the end of a word without end, and takes every word once', () => {
    const words = `one ${'x'.repeat(5 * maxBytes)} two ${'y z '.repeat(3 * maxWords)}`;
    const pieces: string[] = [];
    for (let from = 0; from < words.length; ) {
      const end = endOfPiece(words, from);
      expect(end).toBeGreaterThan(from);
      pieces.push(words.slice(from, end));
      from = end;
    }
    expect(pieces.join('')).toBe(words);
    expect(pieces[0]).toBe(`one ${'x'.repeat(5 * maxBytes)} `);
    for (const piece of pieces) expect(piece.split(' ').length - 1).toBeLessThanOrEqual(maxWords);
  });
});

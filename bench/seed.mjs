/**
 * A data folder with one form and many submissions, written through the store's own commit in large batches, and with
 * the search index brought up to date: the state that a server reaches by itself, reached fast.
 */
import { statSync } from 'node:fs';
import { findDataDir } from '#inlet/adapters/data-dir/data-dir.js';
import { openSqlite } from '#inlet/adapters/sql/sqlite.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { newId } from '#inlet/kernel/ids.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import { progress } from './numbers.mjs';
import { makeForm, removeFolder, startInlet, temporaryFolder } from './processes.mjs';

const batchRows = 2_000;
const secondMs = 1_000;

export const commonWord = 'engine';
export const rareWord = 'zanzibar';
export const rareRows = 40;

const words = (
  'about account after answer because before better between building calendar could delivery different every example ' +
  'family first following garden general having history house important letter little machine message morning number ' +
  'office order other people place please problem question reason second service should small something station summer ' +
  'system table thank their there thing think through together travel under water week weather where which window winter'
).split(' ');

/** The same text for the same row, without a random source. */
function dataOf(row, rows) {
  let state = (row + 1) * 2654435761;
  const next = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
  const text = Array.from({ length: 12 }, () => words[next(words.length)]);
  text.splice(6, 0, commonWord);
  if (row % Math.ceil(rows / rareRows) === 7) text.push(rareWord);
  return JSON.stringify({
    name: `Visitor ${next(50_000)}`,
    email: `visitor${row}@example.com`,
    message: text.join(' '),
    age: 18 + next(60),
  });
}

/** Rows are one second apart, from `oldestAt` to `newestAt`. Whoever asked for the folder removes it. */
export async function seed(rows) {
  const dataDir = await temporaryFolder();
  try {
    return await fill(dataDir, rows);
  } catch (error) {
    await removeFolder(dataDir);
    throw error;
  }
}

/** The store of a server that is not running, to write rows into. */
export async function openStore(dataDir) {
  const path = (await findDataDir(dataDir)).dataDir.database;
  const engine = await openSqlite({
    path,
    readers: 1,
    mayMigrate: false,
    now: () => Date.now(),
    onFatal: (error) => {
      throw error;
    },
  });
  return { path, store: createSqlStore(engine, createSealer(deriveKey('bench', 'seal'))) };
}

async function fill(dataDir, rows) {
  const server = await startInlet(dataDir);
  const form = await makeForm(server);
  await server.end();
  const { path, store } = await openStore(dataDir);
  const newestAt = Date.now() - secondMs;
  const oldestAt = newestAt - (rows - 1) * secondMs;
  const startedAt = performance.now();
  for (let first = 0; first < rows; first += batchRows) {
    const entries = Array.from({ length: Math.min(batchRows, rows - first) }, (_, i) => {
      const createdAt = oldestAt + (first + i) * secondMs;
      return {
        submission: {
          id: newId(createdAt),
          formId: form.formId,
          projectId: form.projectId,
          data: dataOf(first + i, rows),
          metadata: { ip: '192.0.2.1', userAgent: 'bench', submittedFrom: 'https://example.com/contact' },
          createdAt,
        },
        files: [],
        deliveries: [],
        mails: [],
        idempotency: null,
      };
    });
    await store.commit(entries);
    const done = first + entries.length;
    if (done % (rows / 5) < batchRows) progress(`seed: ${done} of ${rows} rows`);
  }
  const seededMs = performance.now() - startedAt;
  progress('seed: bringing the search index up to date');
  while (await store.indexStep());
  const indexedMs = performance.now() - startedAt - seededMs;
  await store.close();
  return { dataDir, rows, form, oldestAt, newestAt, seededMs, indexedMs, diskBytes: statSync(path).size };
}

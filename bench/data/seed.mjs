/**
 * A data folder with one form and many submissions, to which more can be added: the state that a server reaches by itself,
 * reached fast. The rows are made and written by the store's own code and statements, and so is the search index; only
 * nothing is synced before the end, and the steps are larger.
 */
import { setImmediate } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { findDataDir } from '#inlet/adapters/data-dir/data-dir.js';
import { insertText } from '#inlet/adapters/sql/engine.js';
import { batchOf } from '#inlet/adapters/sql/rows/submissions.js';
import { indexingText } from '#inlet/adapters/sql/sqlite/search-index.js';
import { openSqlite } from '#inlet/adapters/sql/sqlite/sqlite.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { newId } from '#inlet/kernel/ids.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import { allSeen } from '#inlet/model/observed-field.js';
import { progress, round } from '../numbers.mjs';
import { makeForm, removeFolder, startInlet, temporaryFolder } from '../servers/processes.mjs';
import { dataOf } from './seed-rows.mjs';

const batchRows = 2_000;
const indexStepRows = 50_000;
/** As much as the steps of a server would have merged together. */
const mergedPages = 64 * (indexStepRows / 100);
const secondMs = 1_000;
const sayEveryMs = 10_000;

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

/**
 * An empty folder that can grow to so many rows, which lie one second apart and end now. No server may run on it while
 * it grows. Whoever asked for the folder removes it.
 */
export async function seed(mostRows) {
  const dataDir = await temporaryFolder();
  try {
    const server = await startInlet(dataDir);
    const form = await makeForm(server);
    await server.end();
    const path = (await findDataDir(dataDir)).dataDir.database;
    const oldestAt = Date.now() - mostRows * secondMs;
    const folder = { dataDir, form, oldestAt, newestAt: oldestAt, rows: 0, dataBytes: 0, indexBytes: 0 };
    return Object.assign(folder, { growTo: (rows) => grow(path, folder, rows) });
  } catch (error) {
    await removeFolder(dataDir);
    throw error;
  }
}

/** Says now and then how far it is: ten million rows take minutes. */
function sayer() {
  let saidAt = performance.now();
  return (what, count) => {
    if (performance.now() - saidAt < sayEveryMs) return;
    saidAt = performance.now();
    progress(`seed: ${what} ${count} rows`);
  };
}

/** Adds rows until the form has so many; tells what it took. */
async function grow(path, folder, rows) {
  if (folder.rows >= rows) return;
  const startedAt = performance.now();
  const say = sayer();
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON; PRAGMA cache_size = -131072');
    // What came in by a measured load before is indexed, but not weighed.
    await indexAll(db, say);
    const before = usedBytes(db);
    for (let first = folder.rows; first < rows; first += batchRows) {
      insert(db, entries(folder, first, Math.min(batchRows, rows - first)));
      // Whoever watches the time of the run gets a turn.
      await setImmediate();
      say('written', first + batchRows);
    }
    const inserted = usedBytes(db);
    const insertedAt = performance.now();
    await indexAll(db, say);
    folder.rows = rows;
    folder.newestAt = folder.oldestAt + (rows - 1) * secondMs;
    folder.dataBytes += inserted - before;
    folder.indexBytes += usedBytes(db) - inserted;
    check(db, folder);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const seconds = [insertedAt - startedAt, performance.now() - insertedAt].map((ms) => round(ms / 1000, 1));
    progress(`seed: ${rows} rows; written in ${seconds[0]} s, indexed in ${seconds[1]} s`);
  } finally {
    db.close();
  }
}

const entries = ({ form, oldestAt }, first, count) =>
  Array.from({ length: count }, (_, i) => {
    const createdAt = oldestAt + (first + i) * secondMs;
    const submission = {
      id: newId(createdAt),
      formId: form.formId,
      projectId: form.projectId,
      data: dataOf(first + i),
      metadata: {
        ip: '192.0.2.1',
        userAgent: 'bench',
        submittedFrom: 'https://example.com/contact',
        controlFields: null,
      },
      createdAt,
    };
    // The fields of all others are known by then.
    const fields = first + i === 0 ? allSeen(submission, []) : [];
    return {
      ...{ submission, fields },
      ...{ files: [], deliveries: [], skipped: [], maxSubmissions: null, optIn: null, idempotency: null },
    };
  });

/** What the store writes for these entries in one commit. */
function insert(db, batch) {
  db.exec('BEGIN IMMEDIATE');
  for (const one of batchOf(batch, { slot: 0, engine: { sharedLock: '' } })) {
    const statement = db.prepare(insertText(one));
    for (const row of one.rows) statement.run(...row);
  }
  db.exec('COMMIT');
}

async function indexAll(db, say) {
  const { newest, done } = db
    .prepare('SELECT (SELECT max(seq) FROM submissions) AS newest, indexed_seq AS done FROM search_progress')
    .get();
  for (let last = done; last < (newest ?? 0); ) {
    last = Math.min(newest, last + indexStepRows);
    db.exec(indexingText(last));
    db.exec(`INSERT INTO submission_search (submission_search, rank) VALUES ('merge', ${mergedPages})`);
    await setImmediate();
    say('indexed', last);
  }
}

/** Bytes of the pages in use. */
function usedBytes(db) {
  const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
    Number(Object.values(db.prepare(`PRAGMA ${name}`).get())[0]),
  );
  return (pages - free) * size;
}

/** That the counters and the index tell of all rows, as after the server's own commits. */
function check(db, { form, rows }) {
  const found = db
    .prepare(
      `SELECT (SELECT count(*) FROM submissions WHERE form_id = ?1) AS stored,
         (SELECT sum(submissions) FROM form_totals WHERE form_id = ?1) AS counted,
         (SELECT sum(count) FROM form_quarter_hours WHERE form_id = ?1 AND kind = 'received') AS "in tallies",
         (SELECT CASE WHEN count(*) > 0 THEN ?2 END FROM form_fields WHERE form_id = ?1) AS "with fields",
         (SELECT count(*) FROM submission_search WHERE submission_search MATCH 'scope:f' || replace(?1, '-', '')) AS indexed`,
    )
    .get(form.formId, rows);
  for (const [name, count] of Object.entries(found)) {
    if (Number(count) !== rows) throw new Error(`seed: ${count} rows are ${name}, not ${rows}`);
  }
}

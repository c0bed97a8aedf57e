/**
 * A data folder with one form and many submissions, which can grow: the state that a server would reach, reached faster.
 * The store's own code and statements create and write the rows and the search index. The only differences: nothing is
 * synced before the end, and the steps are larger.
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
/** At least as many pages as a server merges while it indexes that many rows in full steps. */
const mergedPages = 64 * (indexStepRows / 100);
const secondMs = 1_000;
const sayEveryMs = 10_000;

/** Opens the store of a stopped server, to write rows into it. */
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
 * Creates an empty folder that can grow to `mostRows` rows, one second apart, the last one now. No server may run on it
 * while it grows. The caller removes the folder.
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

/** Reports progress every ten seconds: ten million rows take minutes. */
function sayer() {
  let saidAt = performance.now();
  return (what, count) => {
    if (performance.now() - saidAt < sayEveryMs) return;
    saidAt = performance.now();
    progress(`seed: ${what} ${count} rows`);
  };
}

/** Adds rows until the form has that many, and records the disk space they take. */
async function grow(path, folder, rows) {
  if (folder.rows >= rows) return;
  const startedAt = performance.now();
  const say = sayer();
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON; PRAGMA cache_size = -131072');
    // Rows from an earlier measured load are indexed, but not counted in the sizes.
    await indexAll(db, say);
    const before = usedBytes(db);
    for (let first = folder.rows; first < rows; first += batchRows) {
      insert(db, entries(folder, first, Math.min(batchRows, rows - first)));
      // Lets timers run, such as the time limit of the figure.
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
    // All other rows have the same fields as the first.
    const fields = first + i === 0 ? allSeen(submission, []) : [];
    return {
      ...{ submission, fields },
      ...{ files: [], deliveries: [], skipped: [], maxSubmissions: null, optIn: null, idempotency: null },
    };
  });

/** Writes what the store writes for these entries in one commit. */
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

/** Checks that the counters and the index include all rows, as after the server's own commits. */
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

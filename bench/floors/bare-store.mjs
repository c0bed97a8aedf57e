/**
 * What the disk can do for one process without a server. Arguments: data folder of a stopped Inlet, form, project, rounds,
 * seconds each. Inserts submission rows into the real table with its indexes through Inlet's driver, one per transaction or
 * 64 in one; and writes and syncs the bench's file, 16 at a time.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { findDataDir } from '#inlet/adapters/data-dir/data-dir.js';
import { newId } from '#inlet/kernel/ids.js';
import { bodies, fileText } from '../load/bodies.mjs';
import { median, round } from '../numbers.mjs';

const [folder, formId, projectId, rounds, seconds] = process.argv.slice(2);
const atOnce = 16;
/** Limited, because removing them afterwards takes longer than writing them. */
const mostFiles = 400;

const db = new DatabaseSync((await findDataDir(folder)).dataDir.database);
// The same as Inlet's own writer.
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
const insert =
  db.prepare(`INSERT INTO submissions (id, form_id, project_id, data, ip, user_agent, submitted_from,
  files_count, webhook_state, created_at) VALUES (?, ?, ?, ?, '127.0.0.1', 'bench', '', 0, NULL, ?)`);
const insertOne = () => {
  const now = Date.now();
  insert.run(newId(now), formId, projectId, bodies.json.text, now);
};

function inserts(rowsEach) {
  const startedAt = performance.now();
  let rows = 0;
  while (performance.now() - startedAt < Number(seconds) * 1000) {
    db.exec('BEGIN IMMEDIATE');
    for (let i = 0; i < rowsEach; i += 1) insertOne();
    db.exec('COMMIT');
    rows += rowsEach;
  }
  return round(rows / ((performance.now() - startedAt) / 1000), 0);
}

const text = fileText();
let nextFile = 0;
async function writeOne() {
  nextFile += 1;
  const handle = await open(join(folder, `bare-${nextFile}`), 'wx');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function files() {
  const startedAt = performance.now();
  let written = 0;
  const writer = async () => {
    while (written < mostFiles && performance.now() - startedAt < Number(seconds) * 1000) {
      await writeOne();
      written += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, writer));
  return round(written / ((performance.now() - startedAt) / 1000), 0);
}

const raw = { oneByOne: [], by64: [], files: [] };
for (let i = 0; i < Number(rounds); i += 1) {
  raw.oneByOne.push(inserts(1));
  raw.by64.push(inserts(64));
  raw.files.push(await files());
}
db.close();
const middle = Object.fromEntries(Object.entries(raw).map(([name, values]) => [name, median(values)]));
process.stdout.write(JSON.stringify({ ...middle, raw }));

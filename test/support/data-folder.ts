/** Inspects the data folder of a server that is not running, without changing it. */
import { readdirSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

export interface DatabaseReport {
  readonly integrity: readonly unknown[];
  readonly brokenReferences: readonly unknown[];
  /** Form totals that differ from the count of rows. */
  readonly wrongTotals: readonly unknown[];
  readonly submissionsWithoutDelivery: number;
  readonly filesWithoutSubmission: number;
  readonly blobKeys: ReadonlySet<string>;
}

/** Works on a copy: only the server that opens the real file next may recover it. */
export async function inspectDatabase(dataDir: string): Promise<DatabaseReport> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-inspect-'));
  try {
    for (const name of readdirSync(dataDir).filter((name) => /^inlet\.db(-wal)?$/.test(name))) {
      await copyFile(join(dataDir, name), join(folder, name));
    }
    const db = new DatabaseSync(join(folder, 'inlet.db'));
    const all = (text: string) => db.prepare(text).all() as Record<string, unknown>[];
    const count = (text: string) => Number(Object.values(all(text)[0] ?? {})[0]);
    try {
      return {
        integrity: all('PRAGMA integrity_check').map((row) => row.integrity_check),
        brokenReferences: all('PRAGMA foreign_key_check'),
        wrongTotals: all(`SELECT form_id, sum(submissions) AS total FROM form_totals GROUP BY form_id
          HAVING total <> (SELECT count(*) FROM submissions WHERE submissions.form_id = form_totals.form_id)`),
        submissionsWithoutDelivery: count(
          'SELECT count(*) FROM submissions WHERE id NOT IN (SELECT submission_id FROM deliveries)',
        ),
        filesWithoutSubmission: count(
          'SELECT count(*) FROM files WHERE deleted_at IS NULL AND submission_id NOT IN (SELECT id FROM submissions)',
        ),
        blobKeys: new Set(all('SELECT blob_key FROM files').map((row) => String(row.blob_key))),
      };
    } finally {
      db.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const stagedFiles = (dataDir: string): readonly string[] =>
  readdirSync(join(dataDir, 'files', '.staging'));

/** The names of all blobs, whatever folder they are in. */
export const blobsOnDisk = (dataDir: string): readonly string[] =>
  readdirSync(join(dataDir, 'files'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['.notes', '.staging', '.trash'].includes(entry.name))
    .flatMap((entry) => readdirSync(join(dataDir, 'files', entry.name)));

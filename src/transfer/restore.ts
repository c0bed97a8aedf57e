/**
 * Restores a backup of the embedded engine to an empty data folder. Invariant: the backup is not changed, and the database
 * is moved into place last: a data folder that contains it is a complete instance, however the work ended.
 */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openDiskBlobs } from '../adapters/blobs/disk.js';
import { findDataDir, lockDataDir } from '../adapters/data-dir/data-dir.js';
import { type Foundation, withFoundation } from '../compose/foundation.js';
import type { Config } from '../config/options.js';
import { carryBlob, filePages, forEachBlob } from '../domain/files/carrying.js';
import { systemClock } from '../kernel/clock.js';
import { moveParts, sizeOf, writeAllSynced } from '../kernel/durable-files.js';
import { createCloser } from '../kernel/lifecycle.js';
import type { DescribedBlob } from '../model/blob.js';
import type { BlobStore } from '../ports/blobs.js';
import { type PendingSends, StoreUnavailable } from '../ports/store.js';
import { readKeyFile, unpackInto } from './archive.js';
import { type Contents, contentsOf } from './contents.js';
import { inNewFolder, inTemporaryFolder, requireEmpty } from './folders.js';
import { openArchive, type ShelfPlace } from './shelf.js';

export type RestorePhase = 'database' | 'files' | 'checking';

export interface RestoreRequest {
  readonly config: Config;
  readonly backup: ShelfPlace;
  readonly keyFile: string | null;
  /** Send what was pending when the backup was made, although it may have been sent since. */
  readonly sendPending: boolean;
  onProgress(what: RestorePhase, done: number, total: number): void;
}

export interface RestoreReport {
  readonly folder: string;
  readonly migrated: readonly string[];
  readonly files: number;
  readonly fileBytes: number;
  readonly missing: readonly string[];
  readonly damaged: readonly string[];
  readonly pending: PendingSends;
  readonly contents: Contents;
  /** In the restored folder; null when INLET_SECRET is set instead. */
  readonly secretFile: string | null;
}

const heldBecause =
  'held: Restored from a backup, and not sent: it may have been sent since the backup was made. Send it again if not.';

const workName = 'restoring';
/** What a killed restore left behind may be removed, and the secret may be there already; anything else must not be touched. */
const mayBeThere = /^(restoring|secret|reserve|inlet\.lock.*)$/;

export async function restoreBackup(request: RestoreRequest): Promise<RestoreReport> {
  const { backup, keyFile } = request;
  const archive = await openArchive(backup);
  if (archive === null) return restoreFolder(request, backup.kind === 'folder' ? backup.path : '');
  try {
    return await inTemporaryFolder(async (folder) => {
      await unpackInto(folder, archive, keyFile === null ? null : await readKeyFile(keyFile));
      return restoreFolder(request, folder);
    });
  } finally {
    archive.destroy();
  }
}

async function restoreFolder(request: RestoreRequest, backup: string): Promise<RestoreReport> {
  const { dataDir } = await findDataDir(request.config.dataDir);
  const source = await findDataDir(backup);
  if (!source.hasDatabase) {
    throw new StoreUnavailable(`${source.dataDir.path} is no backup: there is no inlet.db in it.`);
  }
  const secretFile = await findSecret([dataDir.secret, source.dataDir.secret]);
  if (secretFile === null && request.config.secret === null) {
    throw new StoreUnavailable(
      `${source.dataDir.path} has no secret, which stored webhook secrets, CAPTCHA keys and sandbox keys are sealed with. ` +
        `Copy the secret file of the instance to ${dataDir.secret}, or set INLET_SECRET to its content, then restore again.`,
    );
  }
  await requireEmpty(dataDir.path, mayBeThere, 'Set DATA_DIR to a new folder: a restore never overwrites.');
  const closer = createCloser();
  try {
    closer.add('lock', lockDataDir(dataDir));
    // A process has served the backup itself, and may be doing so now.
    if ((await sizeOf(join(source.dataDir.path, 'inlet.lock'))) !== null) {
      closer.add('lock of the backup', lockDataDir(source.dataDir));
    }
    const report = await inNewFolder(join(dataDir.path, workName), async (work) => {
      const filled = await fill(request, source.dataDir.path, secretFile, work);
      await settle(work, dataDir.path);
      return filled;
    });
    return { ...report, folder: dataDir.path, secretFile: secretFile && dataDir.secret };
  } finally {
    await closer.close(() => {});
  }
}

/** The secret that the operator put into the new folder takes precedence over one in the backup. */
async function findSecret(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) if ((await sizeOf(path)) !== null) return path;
  return null;
}

async function fill(
  request: RestoreRequest,
  backup: string,
  secretFile: string | null,
  work: string,
): Promise<Omit<RestoreReport, 'folder' | 'secretFile'>> {
  const { config, onProgress } = request;
  // The log beside the database contains its last commits, if it was ever served.
  for (const name of ['inlet.db', 'inlet.db-wal']) {
    await copyFile(join(backup, name), join(work, name), (done, total) =>
      onProgress('database', done, total),
    );
  }
  if (secretFile !== null) await copyFile(secretFile, join(work, 'secret'), () => {});
  return withFoundation({ ...config, dataDir: work }, 'migrate', async (restored) => {
    onProgress('checking', 0, 1);
    const [fault] = await restored.store.verify();
    if (fault !== undefined) throw new StoreUnavailable(`The backup is damaged: ${fault}. Try an older one.`);
    // The rows are there and the files follow now, so the check for foreign or lost files does not apply.
    await restored.binding.adopt();
    const blobs = await openDiskBlobs({
      directory: join(backup, 'files'),
      now: systemClock.now,
      mayCreate: false,
    });
    const files = await restoreFiles(blobs, restored, (done, total) => onProgress('files', done, total));
    const pending = request.sendPending
      ? await restored.store.pendingSends()
      : await restored.store.holdSends(heldBecause, systemClock.now());
    return { ...files, migrated: restored.migrated, pending, contents: await contentsOf(restored) };
  });
}

async function copyFile(
  from: string,
  to: string,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const total = await sizeOf(from);
  if (total === null) return;
  const bytes = createReadStream(from, { highWaterMark: 1024 * 1024 });
  await writeAllSynced(to, bytes, (done) => onProgress(done, total));
}

async function restoreFiles(
  source: BlobStore,
  { store, blobs }: Foundation,
  onProgress: (done: number, total: number) => void,
): Promise<Pick<RestoreReport, 'files' | 'fileBytes' | 'missing' | 'damaged'>> {
  let total = 0;
  for await (const page of filePages(store)) total += page.length;
  const missing: string[] = [];
  const damaged: string[] = [];
  let files = 0;
  let fileBytes = 0;
  const restore = async (blob: DescribedBlob): Promise<void> => {
    const found = await carryBlob(source, blobs, blob);
    if (found === 'missing') missing.push(blob.id);
    else if (found === 'damaged') damaged.push(blob.id);
    else {
      files += 1;
      fileBytes += blob.sizeBytes;
    }
    onProgress(files, total);
  };
  for await (const page of filePages(store)) await forEachBlob(page, restore);
  return { files, fileBytes, missing, damaged };
}

/** Moves the database last, after everything that belongs to it. */
async function settle(work: string, target: string): Promise<void> {
  const parts = (await readdir(work)).filter((name) => !name.startsWith('inlet.lock') && name !== 'inlet.db');
  await moveParts(work, target, [...parts, 'inlet.db']);
}

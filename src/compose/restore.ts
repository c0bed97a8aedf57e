/**
 * Puts a backup of the embedded engine into an empty data folder. What must stay true: nothing of the backup changes,
 * and the database gets its place last: a data folder in which it lies is a whole instance, however the work ended.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openDiskBlobs } from '../adapters/blobs/disk.js';
import { findDataDir, lockDataDir, makeDataDir } from '../adapters/data-dir/data-dir.js';
import type { Config } from '../config/options.js';
import { carryBlob, forEachBlob } from '../domain/files/carrying.js';
import { systemClock } from '../kernel/clock.js';
import { createCloser } from '../kernel/lifecycle.js';
import type { Logger } from '../kernel/log.js';
import type { DescribedBlob } from '../model/blob.js';
import type { BlobStore } from '../ports/blobs.js';
import { type PendingSends, StoreUnavailable } from '../ports/store.js';
import { type Foundation, openFoundation } from './foundation.js';

export interface RestoreRequest {
  readonly config: Config;
  readonly log: Logger;
  readonly backup: string;
  /** What was pending when the backup was made is sent, although it may have been sent since. */
  readonly sendPending: boolean;
  onProgress(what: 'database' | 'files' | 'checking', done: number, total: number): void;
  /** Looks at what was restored, before it gets its place. */
  describe(restored: Foundation): Promise<void>;
}

export interface RestoreReport {
  readonly folder: string;
  readonly migrated: readonly string[];
  readonly files: number;
  readonly fileBytes: number;
  readonly missing: readonly string[];
  readonly damaged: readonly string[];
  readonly pending: PendingSends;
  /** In the restored folder; null: INLET_SECRET is set instead. */
  readonly secretFile: string | null;
}

const heldBecause =
  'held: Restored from a backup, and not sent: it may have been sent since the backup was made. Send it again if not.';

const workName = 'restoring';

export async function restoreBackup(request: RestoreRequest): Promise<RestoreReport> {
  const { dataDir } = await findDataDir(request.config.dataDir);
  const source = await findDataDir(request.backup);
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
  await makeDataDir(dataDir);
  await requireEmpty(dataDir.path);
  const work = join(dataDir.path, workName);
  const closer = createCloser();
  try {
    closer.add('lock', lockDataDir(dataDir));
    // Somebody served the backup itself, and may do so now.
    if ((await sizeOf(join(source.dataDir.path, 'inlet.lock'))) !== null) {
      closer.add('lock of the backup', lockDataDir(source.dataDir));
    }
    await rm(work, { recursive: true, force: true });
    await mkdir(work, { mode: 0o700 });
    const report = await fill(request, source.dataDir.path, secretFile, work);
    await settle(work, dataDir.path);
    return { ...report, folder: dataDir.path, secretFile: secretFile && dataDir.secret };
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    throw error;
  } finally {
    await closer.close(() => {});
  }
}

/** The one that the operator put into the new folder counts before one of the backup. */
async function findSecret(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) if ((await sizeOf(path)) !== null) return path;
  return null;
}

/** What a restore that was killed left is its own to remove; anything but the secret is somebody's. */
async function requireEmpty(path: string): Promise<void> {
  const strange = (await readdir(path)).find(
    (name) => name !== workName && name !== 'secret' && name !== 'reserve' && !name.startsWith('inlet.lock'),
  );
  if (strange === undefined) return;
  throw new StoreUnavailable(
    `${path} is not empty (${strange}). Set DATA_DIR to a new folder: a restore never overwrites.`,
  );
}

async function fill(
  request: RestoreRequest,
  backup: string,
  secretFile: string | null,
  work: string,
): Promise<Omit<RestoreReport, 'folder' | 'secretFile'>> {
  const { config, log, onProgress } = request;
  // The log beside the database holds its last commits, if it was ever served.
  for (const name of ['inlet.db', 'inlet.db-wal']) {
    await copyFile(join(backup, name), join(work, name), (done, total) =>
      onProgress('database', done, total),
    );
  }
  if (secretFile !== null) await copyFile(secretFile, join(work, 'secret'), () => {});
  const restored = await openFoundation({ ...config, dataDir: work }, log, {
    exclusive: false,
    database: 'migrate',
    onFatal: () => {},
  });
  try {
    onProgress('checking', 0, 1);
    const [fault] = await restored.store.verify();
    if (fault !== undefined) throw new StoreUnavailable(`The backup is damaged: ${fault}. Try an older one.`);
    // The rows are there, and the files come now: nobody else's, and none that were lost.
    await restored.binding.adopt();
    const blobs = await openDiskBlobs({ directory: join(backup, 'files'), now: systemClock.now });
    const files = await restoreFiles(blobs, restored, (done, total) => onProgress('files', done, total));
    const pending = request.sendPending
      ? await restored.store.pendingSends()
      : await restored.store.holdSends(heldBecause, systemClock.now());
    await request.describe(restored);
    return { ...files, migrated: restored.migrated, pending };
  } finally {
    await restored.close();
  }
}

async function copyFile(
  from: string,
  to: string,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const total = await sizeOf(from);
  if (total === null) return;
  const file = await open(to, 'wx', 0o600);
  try {
    let done = 0;
    await pipeline(createReadStream(from, { highWaterMark: 1024 * 1024 }), async (chunks) => {
      for await (const chunk of chunks as AsyncIterable<Buffer>) {
        await file.writeFile(chunk);
        done += chunk.length;
        onProgress(done, total);
      }
    });
    await file.sync();
  } finally {
    await file.close();
  }
}

const pageLength = 200;

async function restoreFiles(
  source: BlobStore,
  { store, blobs }: Foundation,
  onProgress: (done: number, total: number) => void,
): Promise<Pick<RestoreReport, 'files' | 'fileBytes' | 'missing' | 'damaged'>> {
  const total = await countFiles(store);
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

async function* filePages({ files }: Foundation['store']): AsyncGenerator<readonly DescribedBlob[]> {
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof files.list>> = await files.list({ limit: pageLength, after });
    if (page.length === 0) return;
    after = page.at(-1)?.id ?? null;
    yield page.map(({ id, blobKey, sizeBytes, sha256 }) => ({ id, key: blobKey, sizeBytes, sha256 }));
  }
}

async function countFiles(store: Foundation['store']): Promise<number> {
  let total = 0;
  for await (const page of filePages(store)) total += page.length;
  return total;
}

/** The database last, and what belongs to it before it. */
async function settle(work: string, target: string): Promise<void> {
  const parts = (await readdir(work)).filter((name) => !name.startsWith('inlet.lock') && name !== 'inlet.db');
  for (const part of [...parts, 'inlet.db']) await rename(join(work, part), join(target, part));
  await rm(work, { recursive: true });
  const folder = await open(target, 'r');
  await folder.sync().finally(() => folder.close());
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(resolve(path))).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Blobs as files (see disk-layout.ts).
 *
 * Invariants: a file under its key is complete and synced before `put` resolves (file sync, rename, folder sync,
 * in this order). However a call ends, it leaves no descriptor open. Staging is in the same directory, because a
 * rename across file systems is a copy, which a crash can cut short.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { blockBytes } from '../../kernel/byte-blocks.js';
import { hasCode, syncFolder, unlessAbsent, writeSynced } from '../../kernel/durable-files.js';
import { type BlobStore, BlobsFull, BlobsUnavailable } from '../../ports/blobs.js';
import { listFolder } from './disk-files.js';
import { type BlobPlace, fanOut, placeOf, stagedPath, stagingName } from './disk-layout.js';
import { diskNotes } from './disk-notes.js';
import { diskOwner } from './disk-owner.js';
import { diskTrash, eraseDiscarded } from './disk-trash.js';
import type { KeepSmall } from './file-thread-end.js';
import { requireKey, requireRange } from './keys.js';
import { sharedByFolder } from './shared-syncs.js';

// One write per 256 KiB instead of one per 16 KiB chunk took less than half the time. Chunks are copied into
// one block, so that a client that sends single bytes cannot pile up one buffer object per byte.
const writeBytes = 256 * 1024;
// 1.4 times the throughput of Node's 64 KiB. A larger buffer would take more memory for each slow reader.
const readBytes = 128 * 1024;

export interface DiskBlobsOptions {
  readonly directory: string;
  readonly now: () => number;
  /** False for a command that only reads: a folder that has disappeared must not be recreated empty. */
  readonly mayCreate?: boolean;
  /** Writes small files that are already in memory. Without it, they are written like streams. */
  readonly keepSmall?: KeepSmall;
  /** Called when `keepSmall` was unavailable and a file was written as a stream instead. */
  readonly onDetour?: (error: BlobsUnavailable) => void;
  /** Whether the remaining space is reserved for deleting. */
  readonly isReserveInUse?: () => boolean;
}

/** Creates the store's missing folders and syncs them, so that no later write has to. */
export async function openDiskBlobs(options: DiskBlobsOptions): Promise<BlobStore> {
  const root = resolve(options.directory);
  const staging = join(root, stagingName);
  if (options.mayCreate !== false) await createFolders(root);
  const syncShared = sharedByFolder(syncFolder);
  const requireSpace = (): void => {
    if (options.isReserveInUse?.()) throw new BlobsFull('The disk is full: its reserve is in use');
  };

  function checkedPlaceOf(key: string): BlobPlace {
    requireKey(key);
    return placeOf(root, key);
  }

  const put: BlobStore['put'] = async (key, source) => {
    const { folder, target } = checkedPlaceOf(key);
    // An error on a stream without a listener ends the process, and copying only listens once it reads.
    source.on('error', () => {});
    let written = stagedPath(root, key);
    try {
      requireSpace();
      const sizeBytes = await writeSynced(written, async (file) => {
        const copied = await copyBlocks(source, file);
        // A blob's age is measured by the service's clock. A network file system's clock may differ.
        const at = options.now() / 1000;
        await file.utimes(at, at);
        return copied;
      });
      await rename(written, target);
      written = target;
      await syncShared(folder);
      return { sizeBytes };
    } catch (error) {
      source.destroy();
      await unlessAbsent(unlink(written)).catch(() => {});
      throw error === source.errored ? error : asBlobFault(error);
    }
  };

  const putAsStream = async (key: string, bytes: Buffer): Promise<void> => {
    await put(key, Readable.from(bytes.length > 0 ? [bytes] : [], { objectMode: false }));
  };

  return {
    put,

    async putBytes(key, bytes) {
      const { keepSmall } = options;
      requireKey(key);
      if (!keepSmall || bytes.length > blockBytes) return putAsStream(key, bytes);
      requireSpace();
      try {
        await keepSmall(key, bytes, options.now());
      } catch (error) {
        if (!(error instanceof BlobsUnavailable)) throw asBlobFault(error);
        options.onDetour?.(error);
        await putAsStream(key, bytes);
      }
    },

    async open(key, range) {
      const path = checkedPlaceOf(key).target;
      if (range) requireRange(range);
      const file = await unlessAbsent(open(path, 'r'));
      return file?.createReadStream({ ...range, highWaterMark: readBytes }) ?? null;
    },

    async lend(key) {
      const path = checkedPlaceOf(key).target;
      return (await unlessAbsent(stat(path))) ? { path, giveBack: async () => {} } : null;
    },

    async size(key) {
      const found = await unlessAbsent(stat(checkedPlaceOf(key).target));
      return found?.size ?? null;
    },

    // Not synced: a file that reappears after a power loss is an orphan, which the orphan sweep finds again.
    async remove(key) {
      await unlessAbsent(unlink(checkedPlaceOf(key).target));
    },

    async erase(key) {
      const { folder, target } = checkedPlaceOf(key);
      await unlessAbsent(unlink(target));
      await syncFolder(folder);
      await eraseDiscarded(root, key);
    },

    ...diskNotes(root),
    ...diskOwner(root),
    ...diskTrash(root, checkedPlaceOf, options.now),

    async *list() {
      for (const name of fanOut) yield* listFolder(join(root, name));
    },

    async sweepUnfinished(startedBefore) {
      let swept = 0;
      for await (const entry of await opendir(staging)) {
        const path = join(staging, entry.name);
        const found = await unlessAbsent(stat(path));
        if (!found || found.mtimeMs >= startedBefore) continue;
        await unlessAbsent(unlink(path));
        swept += 1;
      }
      return swept;
    },

    async describe() {
      const { bavail, bsize } = await statfs(staging);
      return { kind: 'disk', freeBytes: bavail * bsize };
    },

    async check() {
      requireSpace();
      const probe = join(staging, `probe.${randomUUID()}`);
      try {
        await writeSynced(probe, (file) => file.writeFile('probe'));
      } catch (error) {
        throw asBlobFault(error);
      } finally {
        await unlessAbsent(unlink(probe));
      }
    },

    links: null,
  };
}

/** The folder was moved, unmounted or made inaccessible, or its disk fails. A retry may succeed once the operator has fixed it. */
const unavailableCodes = ['ENOENT', 'EACCES', 'EPERM', 'EIO', 'EROFS', 'ESTALE'];

/** Picks out the faults that callers handle: no space left, or a folder that cannot be written to. Others are returned as they are. */
export function asBlobFault(error: unknown): unknown {
  const full = hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT');
  if (full) return new BlobsFull('No space left for files', { cause: error });
  if (!(error instanceof Error && unavailableCodes.some((code) => hasCode(error, code)))) return error;
  return new BlobsUnavailable(`The folder of files cannot be written to: ${error.message}`, { cause: error });
}

async function createFolders(root: string): Promise<void> {
  const firstCreated = await mkdir(root, { recursive: true, mode: 0o700 });
  const present = new Set(await readdir(root));
  for (const name of [stagingName, ...fanOut]) {
    // Synchronous, because that takes 5 ms instead of 15, once, before the service accepts requests. Recursive, because then it
    // does not fail if another process created the folder first.
    if (!present.has(name)) mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
  }
  // Also when nothing was missing: an earlier start may have crashed between creating and syncing.
  await syncFolder(root);
  if (firstCreated === undefined) return;
  let created = root;
  while (created.length >= firstCreated.length) {
    created = dirname(created);
    await syncFolder(created);
  }
}

async function copyBlocks(source: Readable, file: FileHandle): Promise<number> {
  const block = Buffer.allocUnsafeSlow(writeBytes);
  let filled = 0;
  let sizeBytes = 0;
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.length;
    for (let taken = 0; taken < chunk.length; ) {
      const part = chunk.subarray(taken, taken + block.length - filled);
      block.set(part, filled);
      taken += part.length;
      filled += part.length;
      if (filled < block.length) continue;
      // `writeFile` on a handle continues where the last one ended and, unlike `write`, retries short writes.
      await file.writeFile(block);
      filled = 0;
    }
  }
  if (filled > 0) await file.writeFile(block.subarray(0, filled));
  return sizeBytes;
}

/**
 * Space reserved for when the disk is full. Deleting needs space too: the database writes its log before it can free a
 * page, and a start rebuilds the log's index. When such a write finds the disk full, the reserve is released and the
 * write retried. Submissions are rejected until there is room for the reserve again.
 *
 * While the reserve is in use, its file stays but is empty, so that a restart knows.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, statfs, unlink } from 'node:fs/promises';
import { Mutex } from '../../kernel/concurrency.js';
import { sizeOf } from '../../kernel/durable-files.js';

export interface SpaceReserve {
  /** True if it was released and there is not enough room yet to restore it. */
  readonly isInUse: boolean;
  /** How much is currently reserved. */
  readonly bytes: number;
  /** Makes the space available. Returns false if there was none to release. */
  release(): Promise<boolean>;
  /** Restores the missing part of the reserve if the disk has plenty of room. */
  restore(): Promise<void>;
  freeBytes(): Promise<number>;
}

export interface SpaceReserveOptions {
  readonly path: string;
  /** A folder on the same disk. */
  readonly folder: string;
  readonly onReleased: () => void;
  readonly onRestored: () => void;
}

const mebibyte = 1024 * 1024;
/** Twice the usual maximum size of the database's log, which is what deleting needs. */
const wantedBytes = 32 * mebibyte;
/** On a small disk it takes no more than this share, and on a tiny one nothing. */
const largestPart = 1 / 32;
const leastBytes = 4 * mebibyte;

function sizeFor(diskBytes: number): number {
  const bytes = Math.min(wantedBytes, Math.floor((diskBytes * largestPart) / mebibyte) * mebibyte);
  return bytes < leastBytes ? 0 : bytes;
}

export async function openSpaceReserve(options: SpaceReserveOptions): Promise<SpaceReserve> {
  const { path, folder } = options;
  const turn = new Mutex();
  const found = await sizeOf(path);
  let bytes = found ?? 0;
  let isInUse = found === 0;
  let isThere = found !== null;

  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    const done = await turn.acquire();
    try {
      return await work();
    } finally {
      done();
    }
  };

  /** Another process may have released it, or a user may have deleted it. */
  const look = async (): Promise<void> => {
    const size = await sizeOf(path);
    if (size === 0 || (size === null && bytes > 0)) isInUse = true;
    bytes = size ?? 0;
    isThere = size !== null;
  };

  return {
    get isInUse() {
      return isInUse;
    },
    get bytes() {
      return bytes;
    },

    release: () =>
      alone(async () => {
        await look();
        if (bytes === 0) return false;
        await withFile(path, (file) => file.truncate(0));
        bytes = 0;
        isInUse = true;
        options.onReleased();
        return true;
      }),

    restore: () =>
      alone(async () => {
        await look();
        const { bavail, blocks, bsize } = await statfs(folder);
        const wanted = sizeFor(blocks * bsize);
        const missing = wanted - bytes;
        // As much again must stay free: otherwise the next submissions would fill the disk again.
        if (missing <= 0 || bavail * bsize < missing + wanted) return;
        const before = { isThere, bytes };
        const isWhole = await withFile(path, (file) => extend(file, before.bytes, missing));
        if (!isWhole) {
          // An empty file would mean that the reserve is in use.
          if (!before.isThere) await unlink(path);
          return;
        }
        bytes = wanted;
        if (isInUse) options.onRestored();
        isInUse = false;
      }),

    async freeBytes() {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
  };
}

async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'a', 0o600);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Random bytes, which no file system can compress or leave out. Returns false if the disk filled up meanwhile. */
async function extend(file: FileHandle, sizeBytes: number, byBytes: number): Promise<boolean> {
  const block = randomBytes(mebibyte);
  try {
    for (let left = byBytes; left > 0; left -= block.length) await file.appendFile(block.subarray(0, left));
    await file.sync();
    return true;
  } catch {
    await file.truncate(sizeBytes);
    return false;
  }
}

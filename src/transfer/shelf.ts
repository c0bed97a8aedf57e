/**
 * A place for many backups, each named after the time at which it was started: a folder, or a prefix of a bucket. In a
 * folder a backup is a folder or, if encrypted, one file; in a bucket it is one object.
 *
 * Invariant: only complete backups are listed, and only what was made here is removed, never anything else beside it.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { openBucketArchives } from '../adapters/blobs/s3-archives.js';
import { DataDirInUse, findDataDir, lockDataDir } from '../adapters/data-dir/data-dir.js';
import { bucketOf } from '../config/urls.js';
import { hasCode, syncFolder, unlessAbsent, writeAllSynced } from '../kernel/durable-files.js';
import { sealedMark } from '../kernel/sealed-stream.js';
import { StoreUnavailable } from '../ports/store.js';

export type ShelfPlace =
  | { readonly kind: 'folder'; readonly path: string }
  /** `url` without the prefix, which ends with a slash or is empty. */
  | { readonly kind: 's3'; readonly url: string; readonly prefix: string };

export interface Shelf {
  /** The complete backups, oldest first. */
  list(): Promise<readonly string[]>;
  remove(name: string): Promise<void>;
  /** Writes one file or object, which appears only when it is complete. Resolves with its size. */
  putArchive(name: string, source: AsyncIterable<Uint8Array>): Promise<number>;
  /** Makes an empty folder for a backup, which is listed once it has a database; null when the shelf only takes archives. */
  readonly makeFolder: ((name: string) => Promise<string>) | null;
  /** The argument for `inlet restore`. */
  addressOf(name: string): string;
  close(): void;
}

export const archiveEnding = '.tar';
export const sealedEnding = '.tar.enc';
/** A file in every folder that was made here. */
const markName = 'made-by-inlet-backup';
const unfinishedEnding = '.unfinished';
const nameShape = /^inlet-backup-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z(?<ending>\.tar|\.tar\.enc)?$/;
/** Longer than any backup takes. */
const unfinishedForMs = 3 * 24 * 60 * 60_000;

export const backupName = (at: number): string =>
  `inlet-backup-${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}`;

const exists = async (path: string): Promise<boolean> =>
  (await unlessAbsent(stat(path), { orBelowFile: true })) !== null;

const isSealed = async (path: string): Promise<boolean> => {
  for await (const chunk of createReadStream(path, { end: sealedMark.length - 1 })) {
    return sealedMark.equals(chunk as Buffer);
  }
  return false;
};

async function isWholeIn(folder: string, name: string): Promise<boolean> {
  const ending = nameShape.exec(name)?.groups?.ending;
  if (ending !== undefined) return ending === sealedEnding && (await isSealed(join(folder, name)));
  return (await exists(join(folder, name, markName))) && (await exists(join(folder, name, 'inlet.db')));
}

/** Oldest first. */
async function wholeIn(folder: string): Promise<readonly string[]> {
  const whole: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (nameShape.test(name) && (await isWholeIn(folder, name))) whole.push(name);
  }
  return whole;
}

export const openShelf = (place: ShelfPlace, now: () => number): Promise<Shelf> =>
  place.kind === 's3' ? openBucketShelf(place, now) : openFolderShelf(place.path);

/** Allows one backup at a time: anything unfinished was left by one that was cut off, and is removed. */
async function openFolderShelf(path: string): Promise<Shelf> {
  const folder = resolve(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unlock = await lockShelf(folder);
  const removeUnfinished = async (): Promise<void> => {
    for (const name of await readdir(folder)) {
      const isFile =
        name.endsWith(unfinishedEnding) && nameShape.test(name.slice(0, -unfinishedEnding.length));
      const isFolder =
        nameShape.test(name) &&
        (await exists(join(folder, name, markName))) &&
        !(await isWholeIn(folder, name));
      if (isFile || isFolder) await rm(join(folder, name), { recursive: true, force: true });
    }
  };
  try {
    await removeUnfinished();
  } catch (error) {
    unlock();
    throw error;
  }
  return {
    list: () => wholeIn(folder),
    async remove(name) {
      // First what makes it a backup: if the removal is cut off after that, the rest is not listed as a complete one.
      await rm(join(folder, name, 'inlet.db'), { force: true }).catch((error: unknown) => {
        if (!hasCode(error, 'ENOTDIR')) throw error;
      });
      await rm(join(folder, name), { recursive: true, force: true });
    },
    async putArchive(name, source) {
      const draft = join(folder, name + unfinishedEnding);
      try {
        const size = await writeAllSynced(draft, source);
        await rename(draft, join(folder, name));
        await syncFolder(folder);
        return size;
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    async makeFolder(name) {
      const made = join(folder, name);
      await mkdir(made, { mode: 0o700 });
      await (await open(join(made, markName), 'wx', 0o600)).close();
      return made;
    },
    addressOf: (name) => join(folder, name),
    close: unlock,
  };
}

async function lockShelf(folder: string): Promise<() => void> {
  try {
    return lockDataDir((await findDataDir(folder)).dataDir);
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error;
    throw new StoreUnavailable(`Another backup into ${folder} is under way, or Inlet serves that folder.`);
  }
}

type BucketPlace = Extract<ShelfPlace, { kind: 's3' }>;

async function openBucketShelf({ url, prefix }: BucketPlace, now: () => number): Promise<Shelf> {
  const archives = openBucketArchives({ ...bucketOf(url), prefix });
  await archives.sweepUnfinished(now() - unfinishedForMs);
  return {
    list: async () =>
      (await archives.list()).filter((name) => nameShape.exec(name)?.groups?.ending !== undefined).sort(),
    remove: (name) => archives.remove(name),
    putArchive: (name, source) => archives.put(name, source),
    makeFolder: null,
    addressOf(name) {
      const [, head = '', query = ''] = /^([^/?]+:\/\/[^/?]*)\/?(.*)$/.exec(url) ?? [];
      return `${head}/${prefix}${name}${query}`;
    },
    close: () => {},
  };
}

const chooseText = (whole: readonly string[]): string =>
  `Name one of the backups there, the newest first: ${[...whole].reverse().slice(0, 10).join(', ')}`;

/** Throws when the folder is not a backup itself, but contains some. */
async function refuseShelf(folder: string): Promise<void> {
  if (await exists(join(folder, 'inlet.db'))) return;
  const whole = await wholeIn(folder);
  if (whole.length > 0) throw new StoreUnavailable(chooseText(whole));
}

/** The bytes of an archive. Returns null when `place` is a folder instead. */
export async function openArchive(place: ShelfPlace): Promise<Readable | null> {
  if (place.kind === 'folder') {
    const path = resolve(place.path);
    const found = await unlessAbsent(stat(path));
    if (found?.isDirectory()) await refuseShelf(path);
    return found?.isFile() ? createReadStream(path, { highWaterMark: 1024 * 1024 }) : null;
  }
  const at = place.prefix.lastIndexOf('/', place.prefix.length - 2) + 1;
  const [prefix, name] = [place.prefix.slice(0, at), place.prefix.slice(at).replace(/\/$/, '')];
  const found = name === '' ? null : await openBucketArchives({ ...bucketOf(place.url), prefix }).open(name);
  if (found) return found;
  const whole = await (await openBucketShelf(place, Date.now)).list();
  throw new StoreUnavailable(
    whole.length === 0 ? 'There is no backup at that address of the bucket.' : chooseText(whole),
  );
}

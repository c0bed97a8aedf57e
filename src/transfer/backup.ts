/**
 * Backs up the embedded engine while it is being served.
 *
 * Invariant: the database is copied first and the files after it, following the rows of the copy. Files never change, so
 * every row of the copy finds its bytes, unless the file was deleted meanwhile. The database is moved into place last: a
 * folder that contains it is a complete backup, however the copying ended.
 *
 * The secret is left out unless the request includes it: backups go to places that may read submissions, but that do not
 * need to sign webhooks and download links in the name of this instance.
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Foundation, withFoundation } from '../compose/foundation.js';
import type { Config } from '../config/options.js';
import { filePages, forEachBlob } from '../domain/files/carrying.js';
import { moveParts, sizeOf, writeSynced } from '../kernel/durable-files.js';
import type { DescribedBlob } from '../model/blob.js';
import { StoreUnavailable } from '../ports/store.js';
import { packFolder, readKeyFile } from './archive.js';
import { type Contents, contentsOf } from './contents.js';
import { inNewFolder, inTemporaryFolder, requireEmpty } from './folders.js';
import { isInFolder } from './places.js';
import { archiveEnding, backupName, openShelf, type Shelf, type ShelfPlace, sealedEnding } from './shelf.js';

export interface BackupRequest {
  readonly config: Config;
  readonly place: ShelfPlace;
  /** The place holds many backups; otherwise it becomes this one. */
  readonly isShelf: boolean;
  /** How many of them to keep; null for all. */
  readonly keep: number | null;
  readonly keyFile: string | null;
  readonly withSecret: boolean;
  onDatabase(done: number, total: number): void;
  onFile(done: { readonly files: number; readonly bytes: number }): void;
  onPhase(phase: 'checking' | 'archive'): void;
}

export interface BackupReport extends CopiedInstance {
  /** The argument for `inlet restore`. */
  readonly location: string;
  /** Older backups that were deleted. */
  readonly removed: readonly string[];
  /** Where this instance has its secret; null when INLET_SECRET is set. */
  readonly secretFile: string | null;
}

interface CopiedFiles {
  readonly files: number;
  readonly bytes: number;
  /** In the copied rows, but deleted before their bytes were copied. */
  readonly deletedMeanwhile: number;
  /** Ids of files that have no bytes, or not as many as they should. */
  readonly missing: readonly string[];
}

interface CopiedInstance extends CopiedFiles, Contents {
  readonly databaseBytes: number;
}

export async function backUp(request: BackupRequest): Promise<BackupReport> {
  const { config, place } = request;
  // It would be lost together with the folder, and inside its `files` folder the service would delete it.
  if (place.kind === 'folder' && (await isInFolder(place.path, config.dataDir))) {
    throw new StoreUnavailable(
      `${resolve(place.path)} is in DATA_DIR. Name a folder outside of it, best on another disk.`,
    );
  }
  return withFoundation(config, 'existing', async (source) => {
    const startedAt = source.clock.now();
    const made = await makeBackup(request, source, startedAt);
    // The time at which it started: everything after that would be lost.
    if (made.missing.length === 0) await source.store.recordBackup(startedAt);
    return { ...made, secretFile: config.secret === null ? source.dataDir.secret : null };
  });
}

async function makeBackup(
  request: BackupRequest,
  source: Foundation,
  startedAt: number,
): Promise<Omit<BackupReport, 'secretFile'>> {
  const { place, keyFile, keep } = request;
  if (!request.isShelf && place.kind === 'folder') {
    const location = resolve(place.path);
    await requireEmpty(location, /^$/, 'Name a new folder: a backup never overwrites.');
    return { ...(await copyInto(request, source, location)), location, removed: [] };
  }
  const shelf = await openShelf(place, source.clock.now);
  try {
    const key = keyFile === null ? null : await readKeyFile(keyFile);
    const isArchive = shelf.makeFolder === null || key !== null;
    const name = backupName(startedAt) + (isArchive ? (key === null ? archiveEnding : sealedEnding) : '');
    const done = isArchive
      ? await putArchive(request, source, shelf, { name, key })
      : await putFolder(request, source, await shelf.makeFolder(name));
    // Only after the new one is complete: an older one may have the files that are missing in this one.
    const removed = keep === null || done.missing.length > 0 ? [] : (await shelf.list()).slice(0, -keep);
    for (const old of removed) await shelf.remove(old);
    return { ...done, location: shelf.addressOf(name), removed };
  } finally {
    shelf.close();
  }
}

async function putFolder(
  request: BackupRequest,
  source: Foundation,
  folder: string,
): Promise<CopiedInstance> {
  try {
    return await copyInto(request, source, folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

const putArchive = (
  request: BackupRequest,
  source: Foundation,
  shelf: Shelf,
  { name, key }: { readonly name: string; readonly key: Buffer | null },
): Promise<CopiedInstance> =>
  inTemporaryFolder(async (folder) => {
    const done = await copyInto(request, source, folder);
    request.onPhase('archive');
    await shelf.putArchive(name, packFolder(folder, key));
    return done;
  });

const copyInto = (request: BackupRequest, source: Foundation, target: string): Promise<CopiedInstance> =>
  inNewFolder(join(target, 'unfinished'), async (folder) => {
    const done = await fill(request, source, folder);
    await moveParts(folder, target, ['files', ...(request.withSecret ? ['secret'] : []), 'inlet.db']);
    return done;
  });

async function fill(request: BackupRequest, source: Foundation, folder: string): Promise<CopiedInstance> {
  await source.store.backup(join(folder, 'inlet.db'), request.onDatabase);
  const { secret } = source;
  if (request.withSecret) await writeSynced(join(folder, 'secret'), (file) => file.writeFile(`${secret}\n`));
  return withFoundation({ ...request.config, dataDir: folder, secret }, 'create', async (copy) => {
    await copy.binding.adopt();
    const copied = await copyFiles(source, copy, request.onFile);
    request.onPhase('checking');
    const [fault] = await copy.store.verify();
    if (fault !== undefined) {
      throw new StoreUnavailable(
        `The copy of the database is damaged: ${fault}. Check the source: inlet doctor`,
      );
    }
    const databaseBytes = (await sizeOf(copy.dataDir.database)) ?? 0;
    return { ...copied, ...(await contentsOf(copy)), databaseBytes };
  });
}

/** Copies the bytes of every file in the copied database. */
async function copyFiles(
  source: Foundation,
  copy: Foundation,
  onFile: BackupRequest['onFile'],
): Promise<CopiedFiles> {
  const done = { files: 0, bytes: 0, deletedMeanwhile: 0, missing: [] as string[] };
  const copyOne = async (blob: DescribedBlob): Promise<void> => {
    const content = await source.blobs.open(blob.key);
    const sizeBytes = content ? (await copy.blobs.put(blob.key, content)).sizeBytes : null;
    if (sizeBytes === blob.sizeBytes) {
      done.files += 1;
      done.bytes += sizeBytes;
      onFile(done);
      return;
    }
    if (sizeBytes !== null) await copy.blobs.remove(blob.key);
    const current = await source.store.files.findAny(blob.id);
    if (current === null || current.deletedAt !== null) done.deletedMeanwhile += 1;
    else done.missing.push(blob.id);
  };
  for await (const page of filePages(copy.store)) await forEachBlob(page, copyOne);
  return done;
}

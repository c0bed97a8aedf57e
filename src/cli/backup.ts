/**
 * `inlet backup`: a copy of the whole instance, made while it is served.
 *
 * What must stay true: the database is copied first and the files after it, by the rows of the copy. Files never
 * change, so every row of the copy finds its bytes, unless the file was deleted meanwhile. The database gets its place
 * last: a folder in which it lies is a whole backup, however the copying ended.
 *
 * The secret stays out unless it is asked for: backups travel to places that may read submissions, but that need not be
 * able to sign webhooks and download links in the name of this instance.
 */
import { mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FolderShelf, Shelf, ShelfPlace } from '../compose/backup-shelf.js';
import type { Foundation } from '../compose/foundation.js';
import type { Config } from '../config/options.js';
import { type CopiedFiles, copyFiles } from './backup-files.js';
import { type Arguments, CannotRun, type Command, WrongUsage } from './command.js';
import { type Contents, contentsOf, contentsText } from './contents.js';
import { openForCommand, requireConfig, withFoundation } from './foundation.js';
import { shelfAddress, shelfPlace } from './places.js';
import { shellWord, sizeText, type Terminal } from './terminal.js';

const words = ['backup'];

export const backupCommand: Command = {
  words,
  summary: 'Copy database and files to a folder or a bucket, while the service runs.',
  notes: [
    'The copy is checked before the command ends. `inlet restore` puts it into an empty DATA_DIR.',
    'The secret is not included. Keep a copy of it elsewhere: a backup cannot be restored without it.',
    'With --keep, --encrypt-to-key or s3://… PLACE holds many backups, each named after its time. An encrypted backup is one',
    'file, one in a bucket is one object; making either needs room for the whole copy in the temporary folder (TMPDIR).',
  ],
  options: {
    to: {
      value: 'PLACE',
      doc: 'A folder, created if absent, which must be empty unless it holds many backups; or s3://bucket/prefix?endpoint=… (keys from the usual AWS variables).',
    },
    keep: {
      value: 'N',
      doc: 'Once the new backup in PLACE is complete, delete the oldest ones there, so that N are left.',
    },
    'encrypt-to-key': {
      value: 'FILE',
      doc: 'Encrypt the backup (AES-256-GCM) with the 32-byte key in FILE. Make one: openssl rand -hex 32',
    },
    'with-secret': { doc: 'Include the secret: anyone who reads the backup can then read stored secrets.' },
    record: { doc: 'Back up nothing: record that a backup was made now by other means, such as pgBackRest.' },
  },
  async run({ args, env, terminal }) {
    const wish = wishOf(args);
    const config = requireConfig(env);
    if (wish === 'record') return recordOnly(config, terminal);
    requireEmbedded(config);
    await requireOutside(config.dataDir, wish.place);
    return withFoundation(config, 'existing', async (source) => {
      const startedAt = source.clock.now();
      const withSecret = args.isOn('with-secret');
      const made = await makeBackup({ config, source, withSecret, terminal }, wish, startedAt);
      const isWhole = made.done.missing.length === 0;
      // From when it began: that is how much would be lost.
      if (isWhole) await source.store.recordBackup(startedAt);
      terminal.progress.clear();
      const location = config.secret === null ? source.dataDir.secret : 'INLET_SECRET';
      report(made, { isIncluded: withSecret, location }, terminal);
      return isWhole ? 0 : 1;
    });
  },
};

interface Wish {
  readonly place: ShelfPlace;
  /** PLACE holds many backups; else it becomes this one. */
  readonly isShelf: boolean;
  readonly keep: number | null;
  readonly keyFile: string | null;
}

function wishOf(args: Arguments): Wish | 'record' {
  const [to, keep, keyFile] = [args.text('to'), args.text('keep'), args.text('encrypt-to-key')];
  if (args.isOn('record')) {
    if (to === null && keep === null && keyFile === null) return 'record';
    throw new WrongUsage('--record backs nothing up: leave the other options out.', words);
  }
  if (to === null) throw new WrongUsage('--to is missing.', words);
  const place = shelfPlace('--to', to, words);
  const most = keep === null ? null : Number(keep);
  if (most !== null && !(Number.isSafeInteger(most) && most >= 1)) {
    throw new WrongUsage(`--keep "${keep}" is not a whole number from 1.`, words);
  }
  const isShelf = most !== null || keyFile !== null || place.kind === 's3';
  return { place, isShelf, keep: most, keyFile };
}

async function recordOnly(config: Config, terminal: Terminal): Promise<number> {
  return withFoundation(config, 'existing', async ({ store, clock }) => {
    const at = clock.now();
    await store.recordBackup(at);
    const text = new Date(at).toISOString();
    if (terminal.json) terminal.sayJson({ backed_up_at: text });
    else terminal.say(`Recorded: a backup was made at ${text}`);
    return 0;
  });
}

interface Made {
  readonly done: BackupResult;
  /** What `inlet restore` is given. */
  readonly location: string;
  readonly keyFile: string | null;
  /** Older backups that were deleted. */
  readonly removed: readonly string[];
}

async function makeBackup(request: BackupRequest, wish: Wish, startedAt: number): Promise<Made> {
  const { place, keyFile } = wish;
  if (!wish.isShelf && place.kind === 'folder') {
    const location = resolve(place.path);
    await requireEmpty(location);
    return { done: await backUp(request, location), location, keyFile, removed: [] };
  }
  const { backupName, openBucketShelf, openFolderShelf } = await import('../compose/backup-shelf.js');
  const name = backupName(startedAt);
  if (place.kind === 's3') {
    const shelf = await openBucketShelf(place, request.source.clock.now);
    const { done, archive } = await putArchive(request, shelf, name, keyFile);
    const { removed } = await rotate(shelf, wish, done);
    return { done, location: shelfAddress(place, archive), keyFile, removed };
  }
  const shelf = await openFolderShelf(place.path);
  try {
    const made =
      keyFile === null
        ? { archive: name, done: await putFolder(request, shelf, name) }
        : await putArchive(request, shelf, name, keyFile);
    const { removed } = await rotate(shelf, wish, made.done);
    return { done: made.done, location: join(resolve(place.path), made.archive), keyFile, removed };
  } finally {
    shelf.close();
  }
}

async function putFolder(request: BackupRequest, shelf: FolderShelf, name: string): Promise<BackupResult> {
  const folder = await shelf.makeFolder(name);
  try {
    return await backUp(request, folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function putArchive(
  request: BackupRequest,
  shelf: Shelf,
  name: string,
  keyFile: string | null,
): Promise<{ readonly done: BackupResult; readonly archive: string }> {
  const { packFolder, readKeyFile } = await import('../compose/archive.js');
  const key = keyFile === null ? null : await readKeyFile(keyFile);
  const archive = `${name}${key === null ? '.tar' : '.tar.enc'}`;
  const work = await mkdtemp(join(tmpdir(), 'inlet-backup-'));
  try {
    const done = await backUp(request, work);
    request.terminal.progress.show('Writing the archive');
    await shelf.putArchive(archive, packFolder(work, key));
    return { done, archive };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Only after the new one is whole: an older one may have the files that this one misses. */
async function rotate(
  shelf: Shelf,
  { keep }: Wish,
  { missing }: BackupResult,
): Promise<{ readonly removed: readonly string[] }> {
  if (keep === null || missing.length > 0) return { removed: [] };
  const removed = (await shelf.list()).slice(0, -keep);
  for (const name of removed) await shelf.remove(name);
  return { removed };
}

/** What others hold is backed up with their own tools, which need not read it through us. */
function requireEmbedded({ databaseUrl, storageUrl }: Config): void {
  const lines = [
    ...(databaseUrl === null
      ? []
      : ['DATABASE_URL is set: back PostgreSQL up with pg_dump or its archiving.']),
    ...(storageUrl === null
      ? []
      : ['STORAGE_URL is set: keep the bucket safe with versioning or replication.']),
  ];
  if (lines.length === 0) return;
  throw new CannotRun(
    ...lines,
    '`inlet backup` is for the data folder alone. With the service stopped, `inlet copy --from … --to FOLDER` makes one of all.',
  );
}

/** A backup in the data folder is lost with it, and in the folder of files it lies among what the service deletes. */
async function requireOutside(dataDir: string, place: ShelfPlace): Promise<void> {
  if (place.kind !== 'folder') return;
  const { isInFolder } = await import('../compose/places.js');
  if (await isInFolder(place.path, dataDir)) {
    throw new CannotRun(
      `${resolve(place.path)} is in DATA_DIR. Name a folder outside of it, best on another disk.`,
    );
  }
}

async function requireEmpty(target: string): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 });
  if ((await readdir(target)).length > 0) {
    throw new CannotRun(`${target} is not empty. Name a new folder: a backup never overwrites.`);
  }
}

interface BackupResult extends CopiedFiles, Contents {
  readonly databaseBytes: number;
}

interface BackupRequest {
  readonly config: Config;
  readonly source: Foundation;
  readonly withSecret: boolean;
  readonly terminal: Terminal;
}

async function backUp(request: BackupRequest, target: string): Promise<BackupResult> {
  const unfinished = join(target, 'unfinished');
  await mkdir(unfinished, { mode: 0o700 });
  try {
    const result = await fill(request, unfinished);
    await finish(unfinished, target, ['files', ...(request.withSecret ? ['secret'] : []), 'inlet.db']);
    return result;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function fill(
  { config, source, withSecret, terminal }: BackupRequest,
  folder: string,
): Promise<BackupResult> {
  await source.store.backup(join(folder, 'inlet.db'), (done, total) =>
    terminal.progress.show(`Copying the database: ${Math.floor((100 * done) / Math.max(1, total))} %`),
  );
  if (withSecret) await writeSynced(join(folder, 'secret'), `${source.secret}\n`);
  // The copy is whole by itself: files of a bucket come into the folder too.
  const copyConfig = { ...config, dataDir: folder, storageUrl: null, secret: source.secret };
  const copy = await openForCommand(copyConfig, 'create');
  try {
    await copy.binding.adopt();
    const copied = await copyFiles(source, copy, (done) =>
      terminal.progress.show(`Copying files: ${done.files}, ${sizeText(done.bytes)}`),
    );
    terminal.progress.show('Checking the copy');
    const faults = await copy.store.verify();
    if (faults.length > 0) {
      throw new CannotRun(
        `The copy of the database is damaged: ${faults[0]}. Check the source: inlet doctor`,
      );
    }
    return { ...copied, ...(await contentsOf(copy)), databaseBytes: await sizeOf(copy.dataDir.database) };
  } finally {
    await copy.close();
  }
}

/** In this order: once the last part is there, all of it is. */
async function finish(from: string, to: string, parts: readonly string[]): Promise<void> {
  for (const part of parts) await rename(join(from, part), join(to, part));
  await rm(from, { recursive: true });
  const folder = await open(to, 'r');
  await folder.sync();
  await folder.close();
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

interface SecretOf {
  readonly isIncluded: boolean;
  /** Where this instance has it: a file, or the name of the setting. */
  readonly location: string;
}

function report(made: Made, secret: SecretOf, terminal: Terminal): void {
  const { done, location, keyFile, removed } = made;
  if (done.missing.length > 0) {
    terminal.note(
      `${done.missing.length} stored files have no bytes on this disk, and so none in the backup. ` +
        `The first: ${done.missing[0]}. Check the disk, or fetch them from an older backup.`,
    );
  }
  if (!secret.isIncluded) {
    // To stderr: a scheduled backup usually throws stdout away, and its operator must learn of this before the disk dies.
    terminal.note(
      `The secret is not included. Keep a copy of ${secret.location} elsewhere: without it this backup cannot be restored.`,
    );
  }
  if (terminal.json) {
    terminal.sayJson({
      folder: location,
      encrypted: keyFile !== null,
      removed,
      database_bytes: done.databaseBytes,
      accounts: done.accounts,
      projects: done.projects,
      forms: done.forms,
      submissions: done.submissions,
      files: done.files,
      file_bytes: done.bytes,
      files_deleted_meanwhile: done.deletedMeanwhile,
      files_missing: done.missing,
      secret_included: secret.isIncluded,
      secret_location: secret.location,
    });
    return;
  }
  terminal.say(
    `Backup   ${location}`,
    `Holds    ${contentsText(done)} (${sizeText(done.databaseBytes)}), ${done.files} files (${sizeText(done.bytes)})`,
    ...(secret.isIncluded
      ? ['Secret   included: anyone who reads this folder can read the stored secrets']
      : []),
    ...(removed.length > 0 ? [`Deleted  ${removed.join(', ')}`] : []),
    `Restore  DATA_DIR=restored inlet restore ${shellWord(location)}${keyFile === null ? '' : ` --key ${shellWord(keyFile)}`}`,
  );
}

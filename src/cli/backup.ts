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
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Foundation } from '../compose/foundation.js';
import type { Config } from '../config/options.js';
import { type CopiedFiles, copyFiles } from './backup-files.js';
import { CannotRun, type Command } from './command.js';
import { type Contents, contentsOf, contentsText } from './contents.js';
import { openForCommand, requireConfig, withFoundation } from './foundation.js';
import { shellWord, sizeText, type Terminal } from './terminal.js';

export const backupCommand: Command = {
  words: ['backup'],
  summary: 'Copy database and files into a folder, while the service runs.',
  notes: [
    'The copy is checked before the command ends. `inlet restore FOLDER` puts it into an empty DATA_DIR.',
    'The secret is not included. Keep a copy of it elsewhere: a backup cannot be restored without it.',
  ],
  options: {
    to: { value: 'FOLDER', required: true, doc: 'Where to; made if absent, must be empty.' },
    'with-secret': { doc: 'Include the secret: anyone who reads the backup can then read stored secrets.' },
  },
  run({ args, env, terminal }) {
    const config = requireConfig(env);
    requireEmbedded(config);
    const target = resolve(args.required('to'));
    return withFoundation(config, 'existing', async (source) => {
      await requireEmpty(target);
      const withSecret = args.isOn('with-secret');
      const done = await backUp({ config, source, withSecret, terminal }, target);
      terminal.progress.clear();
      const location = config.secret === null ? source.dataDir.secret : 'INLET_SECRET';
      report(target, done, { isIncluded: withSecret, location }, terminal);
      return done.missing.length === 0 ? 0 : 1;
    });
  },
};

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
  const copy = await openForCommand(copyConfig, 'existing');
  try {
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

function report(target: string, done: BackupResult, secret: SecretOf, terminal: Terminal): void {
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
      folder: target,
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
    `Backup   ${target}`,
    `Holds    ${contentsText(done)} (${sizeText(done.databaseBytes)}), ${done.files} files (${sizeText(done.bytes)})`,
    ...(secret.isIncluded
      ? ['Secret   included: anyone who reads this folder can read the stored secrets']
      : []),
    `Restore  DATA_DIR=restored npx inlet restore ${shellWord(target)}`,
  );
}

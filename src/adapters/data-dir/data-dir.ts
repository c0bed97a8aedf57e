/** The data folder of an embedded instance: its layout, its secret, and the lock that keeps a second instance out. */
import { accessSync } from 'node:fs';
import { access, constants, link, mkdir, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { hasCode, sizeOf, syncFolder, unlessAbsent, writeSynced } from '../../kernel/durable-files.js';
import { randomText } from '../../kernel/secrets.js';
import { StoreUnavailable } from '../../ports/store.js';

export interface DataDir {
  readonly path: string;
  readonly database: string;
  readonly files: string;
  /** The file with the generated secret. Absent if the operator sets one. */
  readonly secret: string;
  /** Space reserved for when the disk is full. */
  readonly reserve: string;
}

/** Paths in that folder. Nothing is created. */
function dataDirAt(path: string): DataDir {
  const absolute = resolve(path);
  return {
    path: absolute,
    database: join(absolute, 'inlet.db'),
    files: join(absolute, 'files'),
    secret: join(absolute, 'secret'),
    reserve: join(absolute, 'reserve'),
  };
}

/** Creates nothing: only `makeDataDir` creates the folder. */
export async function findDataDir(path: string): Promise<{ dataDir: DataDir; hasDatabase: boolean }> {
  const dataDir = dataDirAt(path);
  return { dataDir, hasDatabase: (await sizeOf(dataDir.database)) !== null };
}

/**
 * A database that was moved or lost leaves its log and its files behind. A new database in its place would delete the log,
 * which contains the latest submissions, and would not know the files.
 */
export async function refuseLostDatabase({ path, database, files }: DataDir): Promise<void> {
  const log = `${database}-wal`;
  const remains = (await isFilled(log))
    ? 'its log, inlet.db-wal, is'
    : (await hasFiles(files))
      ? 'its files are'
      : null;
  if (remains === null) return;
  throw new StoreUnavailable(
    `inlet.db is missing in ${path}, but ${remains} there. Put inlet.db back, or restore a backup into another folder. ` +
      'To begin anew, set DATA_DIR to an empty folder.',
  );
}

const ifThere = <T>(found: Promise<T>): Promise<T | null> => unlessAbsent(found, { orBelowFile: true });

const isFilled = async (path: string): Promise<boolean> => ((await ifThere(stat(path)))?.size ?? 0) > 0;

/** The owner's mark counts too: files were stored there once. Copies lent to codecs and unfinished uploads do not. */
async function hasFiles(folder: string): Promise<boolean> {
  for (const item of (await ifThere(readdir(folder, { withFileTypes: true }))) ?? []) {
    if (item.isFile()) return true;
    if (!item.isDirectory() || item.name === '.staging' || item.name === 'lent') continue;
    if ((await readdir(join(folder, item.name))).length > 0) return true;
  }
  return false;
}

const lockOf = ({ path }: DataDir): string => join(path, 'inlet.lock');

/** For a folder or file without write permission, SQLite only reports that it cannot be opened. */
export async function refuseUnwritable(dataDir: DataDir): Promise<void> {
  await access(dataDir.path, constants.W_OK | constants.X_OK);
  const { database } = dataDir;
  for (const file of [database, `${database}-wal`, lockOf(dataDir)]) {
    await ifThere(access(file, constants.R_OK | constants.W_OK));
  }
}

export async function makeDataDir({ path }: DataDir): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** The secret generated on the first start. `mayMake`: nothing has been sealed with another secret yet. */
export async function generatedSecret(dataDir: DataDir, options: { mayMake: boolean }): Promise<string> {
  const path = dataDir.secret;
  if (options.mayMake) await putSecret(path, randomText(64));
  const secret = await unlessAbsent(readFile(path, 'utf8'));
  if (secret === null) {
    throw new StoreUnavailable(
      `${path} is missing. Put the secret of this instance there, or set INLET_SECRET to it: stored secrets are sealed with it, and a new one would not open them.`,
    );
  }
  if (secret.trim().length < 32) throw new StoreUnavailable(`${path} is damaged. Put your copy of it there.`);
  return secret.trim();
}

/** A folder that takes over an instance takes over its secret too. Returns false if it has a different one, which stays. */
export async function adoptSecret(dataDir: DataDir, secret: string): Promise<boolean> {
  await putSecret(dataDir.secret, secret);
  return (await generatedSecret(dataDir, { mayMake: false })) === secret;
}

/** All or nothing: linked under its name only once it is synced. An existing secret stays. */
async function putSecret(path: string, secret: string): Promise<void> {
  const draft = `${path}.${randomText(8)}`;
  await writeSynced(draft, (file) => file.writeFile(`${secret}\n`));
  try {
    await link(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
}

export class DataDirInUse extends StoreUnavailable {}

const busy = 5;

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** In a container, the user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.());
  }
}

/**
 * Locked by the one process that serves this folder. An SQLite transaction rather than a pid file: the kernel releases
 * the lock when the process dies, however it dies.
 */
export function lockDataDir(dataDir: DataDir): () => void {
  const path = lockOf(dataDir);
  let lock: DatabaseSyncInstance | null = null;
  try {
    lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    const { message, errcode } = error as Error & { errcode?: number };
    if (errcode !== undefined && (errcode & 0xff) === busy) {
      throw new DataDirInUse(`Another Inlet serves ${dataDir.path}. Stop it first, or set another DATA_DIR.`);
    }
    throw new StoreUnavailable(
      mayWrite(dataDir.path)
        ? `Cannot lock ${path}: ${message}`
        : `User ${userName()} may not write to ${dataDir.path}. Check who owns the folder, and its permissions.`,
    );
  }
  const held = lock;
  return () => held.close();
}

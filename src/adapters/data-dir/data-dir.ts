/** The data folder of an embedded instance: where things lie, its secret, and the lock that keeps a second one out. */
import { access, mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { randomText } from '../../kernel/secrets.js';
import { StoreUnavailable } from '../../ports/store.js';

export interface DataDir {
  readonly path: string;
  readonly database: string;
  readonly files: string;
  /** The file of the generated secret; absent while the operator sets one. */
  readonly secret: string;
}

/** Where things lie in that folder; nothing is touched. */
export function dataDirAt(path: string): DataDir {
  const absolute = resolve(path);
  return {
    path: absolute,
    database: join(absolute, 'inlet.db'),
    files: join(absolute, 'files'),
    secret: join(absolute, 'secret'),
  };
}

/** `mustExist`: a mistyped folder is said, not filled with an empty database. */
export async function openDataDir(path: string, options: { mustExist: boolean }): Promise<DataDir> {
  const dataDir = dataDirAt(path);
  if (options.mustExist) {
    await access(dataDir.database).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new StoreUnavailable(
        `There is no Inlet database in ${dataDir.path}. Set DATA_DIR to its folder, or make one: inlet migrate`,
      );
    });
  }
  await mkdir(dataDir.path, { recursive: true, mode: 0o700 });
  return dataDir;
}

/** The secret that was generated on the first start; made, synced and kept from then on. */
export async function generatedSecret(dataDir: DataDir): Promise<string> {
  const path = dataDir.secret;
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(`${randomText(64)}\n`);
      // Sealed values are worthless without it: it must survive whatever they survive.
      await file.sync();
    } finally {
      await file.close();
    }
    const folder = await open(dirname(path), 'r');
    await folder.sync();
    await folder.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = (await readFile(path, 'utf8')).trim();
  if (secret.length < 32) throw new StoreUnavailable(`${path} is damaged; restore it from a backup`);
  return secret;
}

export class DataDirInUse extends StoreUnavailable {}

const busy = 5;

/**
 * Held by the one process that serves this folder. An SQLite transaction rather than a pid file: the kernel lets go of
 * it when the process dies, however it dies.
 */
export function lockDataDir(dataDir: DataDir): () => void {
  const path = join(dataDir.path, 'inlet.lock');
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
    throw new StoreUnavailable(`Cannot lock ${path}: ${message}`);
  }
  const held = lock;
  return () => held.close();
}

/** The data folder of an embedded instance: where things lie, its secret, and the lock that keeps a second one out. */
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { randomText } from '../../kernel/secrets.js';

export interface DataDir {
  readonly path: string;
  readonly database: string;
  readonly files: string;
}

export async function openDataDir(path: string): Promise<DataDir> {
  const absolute = resolve(path);
  await mkdir(absolute, { recursive: true, mode: 0o700 });
  return { path: absolute, database: join(absolute, 'inlet.db'), files: join(absolute, 'files') };
}

/** The secret that was generated on the first start; made, synced and kept from then on. */
export async function generatedSecret(dataDir: DataDir): Promise<string> {
  const path = join(dataDir.path, 'secret');
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
  if (secret.length < 32) throw new Error(`${path} is damaged; restore it from a backup`);
  return secret;
}

export class DataDirInUse extends Error {}

/**
 * Held by the one process that serves this folder. An SQLite transaction rather than a pid file: the kernel lets go of
 * it when the process dies, however it dies.
 */
export function lockDataDir(dataDir: DataDir): () => void {
  const lock = new DatabaseSync(join(dataDir.path, 'inlet.lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new DataDirInUse(`Another Inlet serves ${dataDir.path}. Stop it first, or set another DATA_DIR.`);
  }
  return () => lock.close();
}

/** The folders that an instance is written to, and those in which it is assembled. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailable } from '../ports/store.js';

/** Creates the folder if it does not exist. Names that match `known` may be in it. */
export async function requireEmpty(folder: string, known: RegExp, remedy: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const strange = (await readdir(folder)).find((name) => !known.test(name));
  if (strange !== undefined) throw new StoreUnavailable(`${folder} is not empty (${strange}). ${remedy}`);
}

/** Runs the work in a folder that is empty at first and is deleted when the work fails. */
export async function inNewFolder<T>(folder: string, work: (folder: string) => Promise<T>): Promise<T> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  try {
    return await work(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-transfer-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

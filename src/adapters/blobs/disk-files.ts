/** The system calls that several parts of the store on disk need. */
import { type FileHandle, open, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobEntry } from '../../ports/blobs.js';
import { isKey } from './keys.js';

export async function writeSynced<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'wx', 0o600);
  try {
    const result = await write(file);
    await file.sync();
    return result;
  } finally {
    await file.close();
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

export async function unlessAbsent<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

export async function* listFolder(folder: string): AsyncGenerator<BlobEntry> {
  for await (const entry of await opendir(folder)) {
    if (!isKey(entry.name)) continue;
    const found = await unlessAbsent(stat(join(folder, entry.name)));
    // Rounded, because a time that was set in seconds comes back a microsecond short.
    if (found) yield { key: entry.name, modifiedAt: Math.round(found.mtimeMs) };
  }
}

/** Writes files and folders to stable storage: they are durable once the call resolves. */
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

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

/** Resolves with the number of bytes. */
export const writeAllSynced = (
  path: string,
  source: AsyncIterable<Uint8Array>,
  onBytes: (total: number) => void = () => {},
): Promise<number> =>
  writeSynced(path, async (file) => {
    let sizeBytes = 0;
    for await (const chunk of source) {
      await file.writeFile(chunk);
      sizeBytes += chunk.length;
      onBytes(sizeBytes);
    }
    return sizeBytes;
  });

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Moves the parts of a folder into another, in this order, and deletes the rest. Once the last part is there, all are. */
export async function moveParts(from: string, to: string, parts: readonly string[]): Promise<void> {
  for (const part of parts) await rename(join(from, part), join(to, part));
  await rm(from, { recursive: true });
  await syncFolder(to);
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Returns null when the file does not exist. With `orBelowFile`, also when a part of the path is a file. */
export async function unlessAbsent<T>(
  found: Promise<T>,
  { orBelowFile }: { readonly orBelowFile: boolean } = { orBelowFile: false },
): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || (orBelowFile && hasCode(error, 'ENOTDIR'))) return null;
    throw error;
  }
}

export const sizeOf = async (path: string): Promise<number | null> =>
  (await unlessAbsent(stat(path)))?.size ?? null;

/** Everything that an instance has on disk, byte by byte: what was erased must be nowhere in it. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isOnPostgres, storedRows } from './engine.js';

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory()) yield* filesBelow(path);
    else if (found?.isFile()) yield path;
  }
}

/** The folder with all files of the server, including its log, once everything is written to them. */
async function clusterFolder(dataDir: string): Promise<string> {
  await storedRows(dataDir, 'CHECKPOINT');
  const [row] = await storedRows<{ folder: string }>(
    dataDir,
    `SELECT current_setting('data_directory') AS folder`,
  );
  if (!row) throw new Error('no folder');
  return row.folder;
}

const asBytes = (text: string): string => Buffer.from(text).toString('latin1').toLowerCase();

/** The files that contain the text, in upper or lower case. */
export const filesWith = async (dataDir: string, text: string): Promise<readonly string[]> =>
  filesBelowWith(isOnPostgres ? [dataDir, await clusterFolder(dataDir)] : [dataDir], text);

export async function filesBelowWith(folders: readonly string[], text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of folders)
    for await (const path of filesBelow(folder)) {
      const bytes = await readFile(path).catch(() => null);
      if (bytes?.toString('latin1').toLowerCase().includes(asBytes(text))) found.push(path);
    }
  return found;
}

/** Lists the blobs in one folder of the disk store. */
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessAbsent } from '../../kernel/durable-files.js';
import type { BlobEntry } from '../../ports/blobs.js';
import { isKey } from './keys.js';

export async function* listFolder(folder: string): AsyncGenerator<BlobEntry> {
  for await (const entry of await opendir(folder)) {
    if (!isKey(entry.name)) continue;
    const found = await unlessAbsent(stat(join(folder, entry.name)));
    // Rounded: a time set in seconds reads back a microsecond short.
    if (found) yield { key: entry.name, modifiedAt: Math.round(found.mtimeMs) };
  }
}

/** What lies in a folder of the store on disk. */
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessAbsent } from '../../kernel/durable-files.js';
import type { BlobEntry } from '../../ports/blobs.js';
import { isKey } from './keys.js';

export async function* listFolder(folder: string): AsyncGenerator<BlobEntry> {
  for await (const entry of await opendir(folder)) {
    if (!isKey(entry.name)) continue;
    const found = await unlessAbsent(stat(join(folder, entry.name)));
    // Rounded, because a time that was set in seconds comes back a microsecond short.
    if (found) yield { key: entry.name, modifiedAt: Math.round(found.mtimeMs) };
  }
}

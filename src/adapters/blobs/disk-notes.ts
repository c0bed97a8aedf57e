/** Small texts stored next to the blobs on disk, in a folder that listings and sweeps skip. */
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, unlessAbsent, writeSynced } from '../../kernel/durable-files.js';
import { randomText } from '../../kernel/secrets.js';
import type { BlobStore } from '../../ports/blobs.js';
import { isKey, requireKey } from './keys.js';

const name = '.notes';

export function diskNotes(root: string): Pick<BlobStore, 'keepNote' | 'notes'> {
  const folder = join(root, name);
  return {
    async keepNote(key, text) {
      requireKey(key);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await syncFolder(root);
      const draft = join(folder, `.${key}.${randomText(8)}`);
      await writeSynced(draft, (file) => file.writeFile(text));
      await rename(draft, join(folder, key));
      await syncFolder(folder);
    },

    async *notes() {
      for (const key of (await unlessAbsent(readdir(folder))) ?? []) {
        if (isKey(key)) yield { key, text: await readFile(join(folder, key), 'utf8') };
      }
    },
  };
}

/** Whose files these are: a file beside the blobs with the id of the instance. */
import { link, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../../ports/blobs.js';
import { hasCode, syncFolder, unlessAbsent, writeSynced } from './disk-files.js';
import { stagedPath } from './disk-layout.js';

const name = '.instance';

export function diskOwner(root: string): Pick<BlobStore, 'owner' | 'claim'> {
  const path = join(root, name);
  const owner = async (): Promise<string | null> =>
    (await unlessAbsent(readFile(path, 'utf8')))?.trim() ?? null;
  return {
    owner,
    async claim(instance, options) {
      const draft = stagedPath(root, 'instance');
      try {
        await writeSynced(draft, (file) => file.writeFile(`${instance}\n`));
        // A link fails where there is an owner already: of two who claim at once, one is the first.
        await (options?.replace ? rename(draft, path) : link(draft, path));
        await syncFolder(root);
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error;
      } finally {
        await unlessAbsent(unlink(draft));
      }
      return (await owner()) ?? instance;
    },
  };
}

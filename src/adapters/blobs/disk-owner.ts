/** Marks the store's owner: a file next to the blobs with the id of the instance. */
import { type FileHandle, link, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, syncFolder, unlessAbsent, writeSynced } from '../../kernel/durable-files.js';
import type { BlobStore } from '../../ports/blobs.js';
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
        await writeSynced(draft, async (file) => {
          await file.writeFile(`${instance}\n`);
          await giveToOwnerOf(root, file);
        });
        // `link` fails if there is an owner already: of two concurrent claims, only one succeeds.
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

/** A command run as root must not leave a file that the service's user cannot read. */
async function giveToOwnerOf(folder: string, file: FileHandle): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if (uid !== 0) await file.chown(uid, gid);
}

/** The trash of the store on disk: a folder beside the blobs. The time of a file in it is when it got there. */
import { mkdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, syncFolder, unlessAbsent } from '../../kernel/durable-files.js';
import type { BlobEntry, BlobStore } from '../../ports/blobs.js';
import { listFolder } from './disk-files.js';
import type { BlobPlace } from './disk-layout.js';

type Trash = Pick<BlobStore, 'discard' | 'recover' | 'listDiscarded' | 'sweepDiscarded'>;

const name = '.trash';

export async function eraseDiscarded(root: string, key: string): Promise<void> {
  const folder = join(root, name);
  if ((await unlessAbsent(unlink(join(folder, key)).then(() => true))) !== null) await syncFolder(folder);
}

export function diskTrash(root: string, placeOf: (key: string) => BlobPlace, now: () => number): Trash {
  const folder = join(root, name);

  async function* listDiscarded(): AsyncGenerator<BlobEntry> {
    if ((await unlessAbsent(stat(folder))) !== null) yield* listFolder(folder);
  }

  return {
    async discard(key) {
      const { target } = placeOf(key);
      // Not before there is something to put into it: a backup may lie on a disk that takes no writes.
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const at = now() / 1000;
      // First: what a crash leaves in its place counts as young, and is found again later.
      await unlessAbsent(utimes(target, at, at));
      await unlessAbsent(rename(target, join(folder, key)));
    },

    async recover(key) {
      const place = placeOf(key);
      try {
        await rename(join(folder, key), place.target);
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return false;
        throw error;
      }
      await syncFolder(place.folder);
      return true;
    },

    listDiscarded,

    async sweepDiscarded(discardedBefore) {
      let swept = 0;
      for await (const { key, modifiedAt } of listDiscarded()) {
        if (modifiedAt >= discardedBefore) continue;
        await unlessAbsent(unlink(join(folder, key)));
        swept += 1;
      }
      return swept;
    },
  };
}

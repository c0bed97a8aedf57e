/** The trash of the disk store: a folder next to the blobs. A file's modification time there is when it was discarded. */
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
      // Created only when first needed: a backup may be on a read-only disk.
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const at = now() / 1000;
      // Set before the move: if a crash leaves the file where it was, it counts as young and is found again later.
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

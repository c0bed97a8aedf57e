/** Local copies of remote bytes, for programs that read files. All of them are disposable. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LentFile } from '../../ports/blobs.js';

export interface LentFiles {
  lend(bytes: Readable): Promise<LentFile>;
  /** Removes what a crash left. Newer copies may be in use by another process. */
  sweep(madeBefore: number): Promise<void>;
}

const ending = '.lent';

export function createLentFiles(directory: string): LentFiles {
  const folder = resolve(directory);
  return {
    async lend(bytes) {
      const path = join(folder, `${randomUUID()}${ending}`);
      const giveBack = (): Promise<void> => rm(path, { force: true });
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await pipeline(bytes, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      } catch (error) {
        bytes.destroy();
        await giveBack();
        throw error;
      }
      return { path, giveBack };
    },

    async sweep(madeBefore) {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      for (const name of names.filter((other) => other.endsWith(ending))) {
        const path = join(folder, name);
        const found = await stat(path).catch(() => null);
        if (found && found.mtimeMs < madeBefore) await rm(path, { force: true });
      }
    },
  };
}

/** A separate file system that can be filled to the last byte. Only root may mount one. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm, rmdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs } from './needs.js';

export const canMount = needs(
  'root, to mount a small disk',
  process.platform === 'linux' && process.getuid?.() === 0,
);

export interface SmallDisk {
  readonly path: string;
  /** Uses up all free space. */
  fill(): Promise<void>;
  /** Frees it again. */
  clear(): Promise<void>;
  freeBytes(): Promise<number>;
  dispose(): Promise<void>;
}

const run = (command: string, ...words: string[]): void => {
  const { status, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr}`);
};

export async function mountSmallDisk(mebibytes: number): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), 'inlet-small-disk-'));
  run('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'tmpfs', path);
  const leave = (): void => void spawnSync('umount', ['--lazy', path]);
  process.once('exit', leave);
  const filler = join(path, 'filler');
  const freeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  };
  return {
    path,
    freeBytes,
    async fill() {
      const file = await open(filler, 'a');
      try {
        for (let left = await freeBytes(); left > 0; left = await freeBytes()) {
          // Also takes what a server frees meanwhile.
          await file.write(Buffer.alloc(Math.min(left, 1024 * 1024), 1)).catch(() => {});
        }
      } finally {
        await file.close();
      }
    },
    clear: () => rm(filler, { force: true }),
    async dispose() {
      run('umount', '--lazy', path);
      process.off('exit', leave);
      await rmdir(path);
    },
  };
}

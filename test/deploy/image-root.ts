/**
 * Runs the program with the root of the image: what the last stage made and the libraries of its base, nothing else. Everything is
 * read-only except /data and /tmp. Only root may mount it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import type { Image } from './dockerfile.js';

/** The packages of gcr.io/distroless/cc-debian12 that contain libraries. */
const packages = ['libc6', 'libssl3', 'libgcc-s1', 'libgomp1', 'libstdc++6'];

export function addLibraries(image: Image): void {
  const listed = spawnSync('dpkg', ['-L', ...packages], { encoding: 'utf8' }).stdout.split('\n');
  const libraries = listed.filter((path) => /^\/(usr\/)?lib.*\.so(\.|$)/.test(path) && existsSync(path));
  const copied = spawnSync('cp', ['--parents', '--no-dereference', ...libraries, image.root], {
    encoding: 'utf8',
  });
  if (copied.status !== 0) throw new Error(copied.stderr);
  for (const folder of ['dev', 'proc', 'tmp']) mkdirSync(image.at(folder));
  for (const device of ['null', 'urandom']) writeFileSync(image.at(`dev/${device}`), '');
}

const script = `
root=$1 user=$2; shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$root/data" "$root/data"
mount -o remount,bind,ro "$root"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for name in null urandom; do mount --bind "/dev/$name" "$root/dev/$name"; done
mount --rbind /proc "$root/proc"
exec chroot --userspec="$user" "$root" "$@"
`;

/** The command line that runs a command of the image. The process is the command itself, so it gets every signal. */
export const readOnlyRoot = (image: Image, words: readonly string[]): readonly string[] => [
  ...['unshare', '--mount', 'sh', '-euc', script, 'sh'],
  ...[image.root, `${image.user.uid}:${image.user.gid}`, ...words],
];

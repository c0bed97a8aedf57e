/**
 * The temporary files of all tests, in memory if the machine has plenty of it. Servers still sync as usual, but how long a disk takes for
 * that is not what the tests are about (the store's contract: 37 s instead of 80).
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** More than all tests together write. Containers often have 64 MiB. */
const neededBytes = 6 * 1024 ** 3;

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
}

let folder: string | undefined;

export function setup(): void {
  folder = mkdtempSync(join(hasRoom() ? memory : tmpdir(), 'inlet-tests-'));
  // Servers of the tests that do not run as root have their own folders in it.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

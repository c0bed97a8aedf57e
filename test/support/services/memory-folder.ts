/**
 * Where a database server of the tests keeps its data: in memory, where the machine has plenty of it. The server syncs as
 * it always does; how long a disk takes for that is nothing that these tests ask (one file of them: 43 s instead of 115).
 */
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** More than all tests together write; containers often have 64 MiB. */
const neededBytes = 4 * 1024 ** 3;

async function hasRoom(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(memory);
    return bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
}

export const memoryFolder = async (prefix: string): Promise<string> =>
  mkdtemp(join((await hasRoom()) ? memory : tmpdir(), prefix));

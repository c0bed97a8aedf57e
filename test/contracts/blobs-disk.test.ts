import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepInThread } from '#inlet/adapters/blobs/file-thread-end.js';
import { openDiskBlobs } from '../../src/adapters/blobs/disk.js';
import { blobStoreContract } from './blobs.js';

for (const hasThread of [true, false]) {
  const name = hasThread ? 'disk, with the thread for small files' : 'disk';
  blobStoreContract(name, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'inlet-blobs-'));
    const options = { directory, now: Date.now };
    return {
      store: await openDiskBlobs(
        hasThread ? { ...options, keepSmall: keepInThread({ directory }) } : options,
      ),
      dispose: () => rm(directory, { recursive: true, force: true }),
    };
  });
}

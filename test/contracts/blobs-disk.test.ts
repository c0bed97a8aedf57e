import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskBlobs } from '../../src/adapters/blobs/disk.js';
import { blobStoreContract } from './blobs.js';

blobStoreContract('disk', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'inlet-blobs-'));
  return {
    store: await openDiskBlobs({ directory, now: Date.now }),
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
});

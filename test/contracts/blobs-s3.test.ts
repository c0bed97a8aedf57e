import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openS3Blobs } from '../../src/adapters/blobs/s3.js';
import { type ObjectStore, startObjectStore } from '../support/services/object-store.js';
import { blobStoreContract } from './blobs.js';

let server: ObjectStore;
beforeAll(async () => {
  server = await startObjectStore();
});
afterAll(() => server.dispose());

blobStoreContract('s3', async () => {
  const lendingFolder = await mkdtemp(join(tmpdir(), 'inlet-lent-'));
  const { endpoint, accessKeyId, secretAccessKey } = server;
  return {
    store: await openS3Blobs({
      bucket: await server.newBucket(),
      endpoint,
      region: null,
      credentials: { accessKeyId, secretAccessKey },
      lendingFolder,
      links: true,
      now: Date.now,
    }),
    dispose: () => rm(lendingFolder, { recursive: true, force: true }),
  };
});

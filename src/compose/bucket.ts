/** A bucket for a command. It lends no files to other programs, so the lending folder is never created. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bucketOf } from '../config/urls.js';
import { systemClock } from '../kernel/clock.js';
import type { BlobStore } from '../ports/blobs.js';

export async function openBucket(url: string): Promise<BlobStore> {
  // Loaded on demand: most instances have no bucket.
  const { openS3Blobs } = await import('../adapters/blobs/s3.js');
  const lendingFolder = join(tmpdir(), 'inlet-lent');
  return openS3Blobs({ ...bucketOf(url), lendingFolder, now: systemClock.now });
}

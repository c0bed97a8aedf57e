import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { someTime } from '../../../test/support/nouns.js';
import { openDiskBlobs } from '../../adapters/blobs/disk.js';
import { type BlobStore, BlobsFull } from '../../ports/blobs.js';
import type { Downloads } from '../../ports/downloads.js';
import { createStaging } from '../files/staging.js';
import { fetchFiles } from './fetch-files.js';

it('stops at an internal error, and removes what it has stored', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'inlet-fetch-files-'));
  const clock = { now: () => someTime };
  const disk = await openDiskBlobs({ directory, now: clock.now });
  const opened: Readable[] = [];
  const downloads: Downloads = {
    async open() {
      const content = Readable.from([Buffer.from('a file')]);
      opened.push(content);
      return { content, filename: 'cv.txt', type: 'text/plain' };
    },
  };
  let stored = 0;
  const blobs: BlobStore = {
    ...disk,
    async put(...file) {
      if (stored === 2) throw new BlobsFull('no space left');
      const put = await disk.put(...file);
      stored += 1;
      return put;
    },
  };
  const links = Array.from({ length: 100 }, (_, n) => ({
    field: 'cv',
    url: `https://files.example.com/${n}`,
    filename: null,
  }));
  const fetching = fetchFiles({
    files: { downloads, maxFileBytes: 1_000, timeoutMs: 1_000 },
    staging: createStaging({ blobs, clock }),
    rows: [{ id: 'a row', row: { line: 2, links } }],
    onStored() {},
    onFailed() {},
    onStep() {},
  });
  await expect(fetching).rejects.toThrow('no space left');
  // What is in progress ends: at most one file of each lane.
  expect(opened.length).toBeLessThan(10);
  expect(opened.every(({ destroyed }) => destroyed)).toBe(true);
  const left: string[] = [];
  for await (const { key } of disk.list()) left.push(key);
  expect(left).toEqual([]);
  await rm(directory, { recursive: true });
});

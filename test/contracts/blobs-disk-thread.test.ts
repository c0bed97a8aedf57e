/** The thread that writes small files, when something goes wrong: with real files and real threads. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDiskBlobs } from '#inlet/adapters/blobs/disk.js';
import { type KeepSmall, keepInThread } from '#inlet/adapters/blobs/file-thread-end.js';
import { type BlobStore, BlobsUnavailable } from '#inlet/ports/blobs.js';

const at = 1_700_000_000_123;

describe('the thread for small files', () => {
  let directory: string;
  let store: BlobStore;
  const threads: Worker[] = [];
  const detours: Error[] = [];
  const onThread = (thread: Worker): number => threads.push(thread);

  beforeEach(async () => {
    threads.length = 0;
    detours.length = 0;
    process.on('worker', onThread);
    directory = await mkdtemp(join(tmpdir(), 'inlet-thread-'));
    store = await openDiskBlobs({
      directory,
      now: () => at,
      keepSmall: keepInThread({ directory }),
      onDetour: (error) => void detours.push(error),
    });
  });
  afterEach(async () => {
    process.off('worker', onThread);
    await Promise.all(threads.map((thread) => thread.terminate()));
    await rm(directory, { recursive: true, force: true });
  });

  const staged = () => readdir(join(directory, '.staging'));

  it('starts with the first file, and is one for all', async () => {
    expect(threads).toHaveLength(0);
    await Promise.all(Array.from({ length: 20 }, () => store.putBytes(randomUUID(), randomBytes(1000))));
    await store.putBytes(randomUUID(), randomBytes(1000));
    expect(threads).toHaveLength(1);
    expect(await staged()).toEqual([]);
  });

  it('keeps each of more files than it takes at once', async () => {
    const files = Array.from({ length: 100 }, () => ({ key: randomUUID(), bytes: randomBytes(50_000) }));
    await Promise.all(files.map(({ key, bytes }) => store.putBytes(key, bytes)));
    for (const { key, bytes } of files) {
      const stream = await store.open(key);
      expect(stream && (await buffer(stream)).equals(bytes)).toBe(true);
    }
  });

  it('lets nobody but its own user read, and dates a file by the clock it was given', async () => {
    const key = '0123456789-aa';
    await store.putBytes(key, Buffer.from('x'));
    const { mode, mtimeMs } = await stat(join(directory, 'aa', key));
    expect([(mode & 0o777).toString(8), Math.round(mtimeMs)]).toEqual(['600', at]);
  });

  /** A file on its own is synced synchronously, several are synced concurrently. */
  describe.each([1, 10])('a fault among %i', (count) => {
    const attempt = (key: string) =>
      Promise.allSettled([
        store.putBytes(key, randomBytes(1000)),
        ...Array.from({ length: count - 1 }, () => store.putBytes(randomUUID(), randomBytes(1000))),
      ]);

    it('fails only whom it concerns, with its code, and leaves nothing in staging', async () => {
      await mkdir(join(directory, 'aa', 'in-the-way-aa'));
      const [refused, ...others] = await attempt('in-the-way-aa');
      expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'EISDIR' } });
      expect(others.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
      expect(await staged()).toEqual([]);
    });

    it('does not end the thread', async () => {
      await rm(join(directory, '.staging'), { recursive: true });
      const outcomes = await attempt('0123456789-aa');
      expect(outcomes.map((outcome) => 'reason' in outcome && outcome.reason)).toEqual(
        Array(count).fill(expect.any(BlobsUnavailable)),
      );
      await mkdir(join(directory, '.staging'));
      await store.putBytes('0123456789-aa', randomBytes(1000));
      expect(threads).toHaveLength(1);
    });

    it.runIf(process.platform === 'linux')('keeps no descriptor', async () => {
      await mkdir(join(directory, 'aa', 'in-the-way-aa'));
      await attempt('in-the-way-aa');
      await attempt('0123456789-bb');
      const open = await readdir('/proc/self/fd');
      const paths = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
      expect(paths.filter((path) => path.startsWith(directory))).toEqual([]);
    });
  });

  it('is done without when it ends, and starts anew for the next', async () => {
    await store.putBytes(randomUUID(), randomBytes(1000));
    const files = Array.from({ length: 20 }, () => ({ key: randomUUID(), bytes: randomBytes(100_000) }));
    const kept = Promise.all(files.map(({ key, bytes }) => store.putBytes(key, bytes)));
    await threads[0]?.terminate();
    await kept;
    // Some may have been written before the thread ended.
    expect(detours.length).toBeGreaterThan(0);
    expect(detours.map(({ message }) => message)).toEqual(
      detours.map(() => 'The thread that writes files has ended: it was stopped'),
    );
    for (const { key, bytes } of files) {
      const stream = await store.open(key);
      expect(stream && (await buffer(stream)).equals(bytes)).toBe(true);
    }
    await store.putBytes(randomUUID(), Buffer.from('after'));
    expect(threads).toHaveLength(2);
  });

  it('is done without when it cannot start', async () => {
    const unstartable: KeepSmall = () => Promise.reject(new BlobsUnavailable('no thread'));
    const bereft = await openDiskBlobs({ directory, now: () => at, keepSmall: unstartable });
    const key = randomUUID();
    await bereft.putBytes(key, Buffer.from('kept'));
    expect(await bereft.size(key)).toBe(4);
  });
});

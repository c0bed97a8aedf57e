import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readdir, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlobStore, BlobsFull, BlobsUnavailable } from '../../ports/blobs.js';
import { asBlobFault, openDiskBlobs } from './disk.js';

const at = 1_700_000_000_123;

describe('disk blobs', () => {
  let parent: string;
  let directory: string;
  let store: BlobStore;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'inlet-disk-'));
    directory = join(parent, 'new', 'files');
    store = await openDiskBlobs({ directory, now: () => at });
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  const staged = () => readdir(join(directory, '.staging'));
  const bytesSource = (bytes: Buffer) => Readable.from([bytes], { objectMode: false });

  async function failPut(key: string): Promise<void> {
    const source = new PassThrough();
    const refused = expect(store.put(key, source)).rejects.toThrow('cut off');
    if (!source.write(randomBytes(400_000))) await once(source, 'drain');
    source.destroy(new Error('cut off'));
    await refused;
  }

  it('puts a key into the folder of its last two characters, or into the one for other endings', async () => {
    await store.put('0123456789-ef', bytesSource(Buffer.from('x')));
    await store.put('0123456789-eg', bytesSource(Buffer.from('x')));
    expect(await readdir(join(directory, 'ef'))).toEqual(['0123456789-ef']);
    expect(await readdir(join(directory, 'other'))).toEqual(['0123456789-eg']);
  });

  it('lets nobody but its own user read', async () => {
    const key = `${randomUUID().slice(0, -2)}00`;
    await store.put(key, bytesSource(Buffer.from('x')));
    const modes = await Promise.all(
      [directory, join(directory, '.staging'), join(directory, '00'), join(directory, '00', key)].map(
        async (path) => ((await stat(path)).mode & 0o777).toString(8),
      ),
    );
    expect(modes).toEqual(['700', '700', '700', '600']);
  });

  it('leaves nothing in staging after success, failure and check', async () => {
    await store.put(randomUUID(), bytesSource(randomBytes(400_000)));
    await failPut(randomUUID());
    await store.check();
    expect(await staged()).toEqual([]);
  });

  it('leaves nothing in staging when the rename fails, and ends the source', async () => {
    const key = '0123456789-aa';
    await rm(join(directory, 'aa'), { recursive: true });
    const source = bytesSource(randomBytes(1000));
    await expect(store.put(key, source)).rejects.toThrow('ENOENT');
    expect(await staged()).toEqual([]);
    expect(source.destroyed).toBe(true);
  });

  it('ends the source when staging cannot be written', async () => {
    await rm(join(directory, '.staging'), { recursive: true });
    const source = new PassThrough();
    source.write('x');
    await expect(store.put(randomUUID(), source)).rejects.toThrow('ENOENT');
    expect(source.destroyed).toBe(true);
    await expect(store.check()).rejects.toThrow('ENOENT');
  });

  it('refuses a source of text, whose length in bytes it would miscount', async () => {
    const key = randomUUID();
    await expect(store.put(key, Readable.from(['text']))).rejects.toThrow(TypeError);
    expect(await staged()).toEqual([]);
    expect(await store.size(key)).toBeNull();
  });

  it('sweeps what a crash left, and spares what is younger', async () => {
    const old = join(directory, '.staging', 'left-by-a-crash.1');
    const young = join(directory, '.staging', 'being-written.2');
    await writeFile(old, 'half');
    await writeFile(young, 'half');
    await utimes(old, (at - 1) / 1000, (at - 1) / 1000);
    await utimes(young, (at + 1) / 1000, (at + 1) / 1000);
    expect(await store.sweepUnfinished(at)).toBe(1);
    expect(await staged()).toEqual(['being-written.2']);
  });

  it('dates a blob by the clock it was given', async () => {
    const key = randomUUID();
    await store.put(key, bytesSource(Buffer.from('x')));
    const entries = [];
    for await (const entry of store.list()) entries.push(entry);
    expect(entries).toEqual([{ key, modifiedAt: at }]);
  });

  it('lists no file that cannot be a blob', async () => {
    await writeFile(join(directory, 'other', '.DS_Store'), '');
    for await (const entry of store.list()) expect.unreachable(entry.key);
    expect(await readdir(join(directory, 'other'))).toEqual(['.DS_Store']);
  });

  it('opens over an existing store, and creates what was lost of its folders', async () => {
    const key = randomUUID();
    await store.put(key, bytesSource(Buffer.from('kept')));
    await rm(join(directory, '.staging'), { recursive: true });
    const again = await openDiskBlobs({ directory, now: () => at });
    await again.check();
    const stream = await again.open(key);
    expect(stream && (await buffer(stream)).toString()).toBe('kept');
  });

  it('opens twice at the same time', async () => {
    const other = join(parent, 'other');
    await Promise.all([1, 2].map(() => openDiskBlobs({ directory: other, now: () => at })));
    expect(await readdir(other)).toHaveLength(258);
  });

  it('refuses to open where a file stands', async () => {
    const file = join(parent, 'file');
    await writeFile(file, '');
    await expect(openDiskBlobs({ directory: file, now: () => at })).rejects.toThrow('EEXIST');
  });

  it('finishes every one of many puts into the same folder', async () => {
    const keys = Array.from({ length: 50 }, (_, i) => `same-folder-${i}-c0`);
    await Promise.all(keys.map((key) => store.put(key, bytesSource(Buffer.from(key)))));
    expect((await readdir(join(directory, 'c0'))).sort()).toEqual(keys.sort());
  });

  it.each([
    { start: 5, end: 4 },
    { start: -1, end: 4 },
    { start: 0.5, end: 4 },
    { start: 0, end: Number.NaN },
  ])('refuses the range $start to $end', async (range) => {
    const key = randomUUID();
    await store.put(key, bytesSource(randomBytes(10)));
    await expect(store.open(key, range)).rejects.toThrow(RangeError);
  });

  describe('a full disk', () => {
    const coded = (code: string) => Object.assign(new Error(code), { code });

    it.each(['ENOSPC', 'EDQUOT'])('is what %s means', (code) => {
      const error = coded(code);
      const fault = asBlobFault(error);
      expect(fault).toBeInstanceOf(BlobsFull);
      expect(fault).toHaveProperty('cause', error);
    });

    it('is not what other faults mean', () => {
      for (const error of [coded('EMFILE'), new Error('ENOSPC'), 'ENOSPC', null])
        expect(asBlobFault(error)).toBe(error);
    });

    it.each(['ENOENT', 'EACCES', 'EPERM', 'EIO', 'EROFS', 'ESTALE'])('is not what %s means', (code) => {
      const error = coded(code);
      const fault = asBlobFault(error);
      expect(fault).toBeInstanceOf(BlobsUnavailable);
      expect(fault).toHaveProperty('cause', error);
    });

    it("is not what a source's own error means", async () => {
      const error = coded('ENOSPC');
      const source = new PassThrough();
      const refused = expect(store.put(randomUUID(), source)).rejects.toBe(error);
      source.destroy(error);
      await refused;
    });
  });

  if (process.platform === 'linux') {
    it('knows the error that the system gives for a full disk', async () => {
      const full = await open('/dev/full', 'w');
      const error: unknown = await full.writeFile('x').catch((thrown: unknown) => thrown);
      await full.close();
      expect(asBlobFault(error)).toBeInstanceOf(BlobsFull);
    });

    it('keeps no descriptor, whatever way a call ends', async () => {
      const key = randomUUID();
      await store.put(key, bytesSource(randomBytes(400_000)));
      await failPut(randomUUID());
      await mkdir(join(directory, 'aa', 'in-the-way-aa'));
      await expect(store.put('in-the-way-aa', bytesSource(randomBytes(10)))).rejects.toThrow('EISDIR');
      await store.check();
      await store.sweepUnfinished(at);
      expect(await store.open(randomUUID())).toBeNull();
      await expect(store.open(key, { start: 1, end: 0 })).rejects.toThrow(RangeError);
      for await (const _ of store.list()) break;

      const whole = await store.open(key);
      if (whole) await buffer(whole);
      const unread = await store.open(key);
      const partlyRead = await store.open(key);
      if (partlyRead) await once(partlyRead, 'readable');
      for (const stream of [unread, partlyRead]) {
        if (!stream) throw new Error('the blob is absent');
        stream.destroy();
        await once(stream, 'close');
      }
      expect(await openPathsUnder(directory)).toEqual([]);
    });
  }
});

async function openPathsUnder(directory: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const paths = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(directory));
}

/**
 * The contract of every blob store. Nothing here knows how a store keeps bytes, waits for its clock or looks behind the port. All tests
 * share one store, because a new one is slow to create. Each test starts with it empty.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BlobStore } from '../../src/ports/blobs.js';

export interface BlobStoreHarness {
  readonly store: BlobStore;
  dispose(): Promise<void>;
}

const KiB = 1024;

/** The bytes in chunks that match no block size: 1, 7, 4097 and 70,001 bytes in turn. */
function inOddChunks(bytes: Buffer): Readable {
  const sizes = [1, 7, 4097, 70_001];
  function* pieces(): Generator<Buffer> {
    let turn = 0;
    for (let at = 0; at < bytes.length; ) {
      const size = sizes[turn % sizes.length] ?? 1;
      yield bytes.subarray(at, at + size);
      at += size;
      turn += 1;
    }
  }
  return Readable.from(pieces(), { objectMode: false });
}

async function readAll(stream: Readable | null): Promise<Buffer> {
  if (stream === null) throw new Error('the blob is absent');
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function keysOf(store: BlobStore): Promise<string[]> {
  const keys = new Set<string>();
  for await (const entry of store.list()) keys.add(entry.key);
  return [...keys].sort();
}

export function blobStoreContract(name: string, make: () => Promise<BlobStoreHarness>): void {
  describe(`blob store: ${name}`, () => {
    let harness: BlobStoreHarness;
    let store: BlobStore;

    beforeAll(async () => {
      harness = await make();
      store = harness.store;
    });
    afterEach(async () => {
      for (const key of await keysOf(store)) await store.remove(key);
    });
    afterAll(() => harness.dispose());

    async function putNew(bytes: Buffer): Promise<string> {
      const key = randomUUID();
      await store.put(key, inOddChunks(bytes));
      return key;
    }

    async function expectNothingUnder(key: string): Promise<void> {
      expect(await store.open(key)).toBeNull();
      expect(await store.size(key)).toBeNull();
      expect(await keysOf(store)).not.toContain(key);
    }

    describe('put and open', () => {
      const sizes = [0, 1, 64 * KiB - 1, 64 * KiB, 64 * KiB + 1, 256 * KiB, 3_000_000];
      it.each(sizes)('gives back the same %i bytes', async (size) => {
        const bytes = randomBytes(size);
        const key = randomUUID();
        expect(await store.put(key, inOddChunks(bytes))).toEqual({ sizeBytes: size });
        expect(await store.size(key)).toBe(size);
        const back = await readAll(await store.open(key));
        expect(back.equals(bytes)).toBe(true);
      });

      it('takes one chunk that is larger than any block', async () => {
        const bytes = randomBytes(2_000_001);
        const key = randomUUID();
        await store.put(key, Readable.from([bytes], { objectMode: false }));
        expect((await readAll(await store.open(key))).equals(bytes)).toBe(true);
      });

      it('keeps many parallel writes apart', async () => {
        const blobs = Array.from({ length: 40 }, (_, i) => ({
          key: randomUUID(),
          bytes: randomBytes(i * 9001),
        }));
        await Promise.all(blobs.map(({ key, bytes }) => store.put(key, inOddChunks(bytes))));
        const same = await Promise.all(
          blobs.map(async ({ key, bytes }) => (await readAll(await store.open(key))).equals(bytes)),
        );
        expect(same).not.toContain(false);
        expect(await keysOf(store)).toEqual(blobs.map(({ key }) => key).sort());
      });

      it('serves several readers of one blob at once', async () => {
        const bytes = randomBytes(500_000);
        const key = await putNew(bytes);
        const reads = await Promise.all(
          Array.from({ length: 8 }, async () => readAll(await store.open(key))),
        );
        expect(reads.every((read) => read.equals(bytes))).toBe(true);
      });

      it.each(['01234567', 'a'.repeat(80), 'not-hex-at-its-end-zz', '--------', '0f-w640-q80-webp'])(
        'takes the key %s',
        async (key) => {
          await store.put(key, inOddChunks(Buffer.from('bytes')));
          expect((await readAll(await store.open(key))).toString()).toBe('bytes');
          expect(await keysOf(store)).toEqual([key]);
          await store.remove(key);
          await expectNothingUnder(key);
        },
      );

      it('says null for an absent key', async () => {
        await expectNothingUnder(randomUUID());
      });
    });

    describe('putBytes', () => {
      it.each([0, 1, 100_000, 128 * KiB, 128 * KiB + 1, 3_000_000])(
        'gives back the same %i bytes',
        async (size) => {
          const bytes = randomBytes(size);
          const key = randomUUID();
          await store.putBytes(key, bytes);
          // From here on, the caller may reuse the buffer.
          const wanted = Buffer.from(bytes);
          bytes.fill(0);
          expect(await store.size(key)).toBe(size);
          expect((await readAll(await store.open(key))).equals(wanted)).toBe(true);
        },
      );

      it('takes a window into larger memory, and nothing beside it', async () => {
        const around = randomBytes(1000);
        const key = randomUUID();
        await store.putBytes(key, around.subarray(3, 503));
        expect((await readAll(await store.open(key))).equals(around.subarray(3, 503))).toBe(true);
      });

      it('keeps many apart, one after the other and at the same time', async () => {
        const blobs = Array.from({ length: 80 }, (_, i) => ({
          key: randomUUID(),
          bytes: randomBytes(i * 1_601),
        }));
        for (const { key, bytes } of blobs.slice(0, 10)) await store.putBytes(key, bytes);
        await Promise.all(blobs.slice(10).map(({ key, bytes }) => store.putBytes(key, bytes)));
        const same = await Promise.all(
          blobs.map(async ({ key, bytes }) => (await readAll(await store.open(key))).equals(bytes)),
        );
        expect(same).not.toContain(false);
        expect(await keysOf(store)).toEqual(blobs.map(({ key }) => key).sort());
      });

      it('replaces what was there whole', async () => {
        const key = randomUUID();
        await store.putBytes(key, randomBytes(5_000));
        await store.putBytes(key, Buffer.from('short'));
        expect((await readAll(await store.open(key))).toString()).toBe('short');
      });
    });

    describe('an unfinished put', () => {
      /** Resolves once the store has begun to read: the stream was full and has drained. */
      async function feed(source: PassThrough): Promise<void> {
        if (!source.write(randomBytes(300_000))) await once(source, 'drain');
      }

      it('shows no reader anything until it is complete', async () => {
        const key = randomUUID();
        const source = new PassThrough();
        const putting = store.put(key, source);
        await feed(source);
        await expectNothingUnder(key);
        source.end();
        expect(await putting).toEqual({ sizeBytes: 300_000 });
        expect(await store.size(key)).toBe(300_000);
      });

      it('leaves nothing and gives the source its own error back when the source fails', async () => {
        const key = randomUUID();
        const source = new PassThrough();
        const fault = new Error('the client went away');
        const refused = expect(store.put(key, source)).rejects.toBe(fault);
        await feed(source);
        source.destroy(fault);
        await refused;
        await expectNothingUnder(key);
      });

      it('leaves nothing when the source fails in the same turn', async () => {
        const key = randomUUID();
        const source = new PassThrough();
        const fault = new Error('the client went away');
        const refused = expect(store.put(key, source)).rejects.toBe(fault);
        source.destroy(fault);
        await refused;
        await expectNothingUnder(key);
      });

      it('leaves nothing when the source had failed before', async () => {
        const key = randomUUID();
        const source = new PassThrough();
        const fault = new Error('the client went away');
        source.on('error', () => {});
        await new Promise((resolve) => source.on('close', resolve).destroy(fault));
        await expect(store.put(key, source)).rejects.toBe(fault);
        await expectNothingUnder(key);
      });

      it('takes a source that is cut off without an error as failed, not as complete', async () => {
        const key = randomUUID();
        const source = new PassThrough();
        const refused = expect(store.put(key, source)).rejects.toBeInstanceOf(Error);
        await feed(source);
        source.destroy();
        await refused;
        await expectNothingUnder(key);
      });

      it('harms no other put and can be tried again under its key', async () => {
        const key = randomUUID();
        const failing = new PassThrough();
        const refused = expect(store.put(key, failing)).rejects.toBeInstanceOf(Error);
        const bytes = randomBytes(400_000);
        const other = putNew(bytes);
        await feed(failing);
        failing.destroy(new Error('the client went away'));
        await refused;
        expect((await readAll(await store.open(await other))).equals(bytes)).toBe(true);
        await store.put(key, inOddChunks(bytes));
        expect((await readAll(await store.open(key))).equals(bytes)).toBe(true);
      });

      it('is spared by a sweep of older ones', async () => {
        const key = randomUUID();
        const source = new PassThrough();
        const putting = store.put(key, source);
        await feed(source);
        // One minute of tolerance: the store's clock may be another machine's.
        expect(await store.sweepUnfinished(Date.now() - 60_000)).toBe(0);
        source.end();
        await putting;
        expect(await store.size(key)).toBe(300_000);
      });
    });

    it('sweeps no finished blob, however old', async () => {
      const key = await putNew(randomBytes(1000));
      await store.sweepUnfinished(Date.now() + 60_000);
      expect(await store.size(key)).toBe(1000);
    });

    describe('ranges', () => {
      const bytes = randomBytes(300_000);
      const last = bytes.length - 1;
      it.each([
        ['the first byte', 0, 0],
        ['the last byte', last, last],
        ['one byte inside', 131_072, 131_072],
        ['the beginning', 0, 99_999],
        ['the end', 200_000, last],
        ['a middle over block borders', 65_535, 262_145],
        ['the whole', 0, last],
      ])('gives %s', async (_, start, end) => {
        const key = await putNew(bytes);
        const part = await readAll(await store.open(key, { start, end }));
        expect(part.equals(bytes.subarray(start, end + 1))).toBe(true);
      });

      it('says null for an absent key', async () => {
        expect(await store.open(randomUUID(), { start: 0, end: 9 })).toBeNull();
      });
    });

    describe('lend', () => {
      it.each([0, 1, 3_000_000])('gives a file with exactly the %i bytes', async (size) => {
        const bytes = randomBytes(size);
        const key = await putNew(bytes);
        const lent = await store.lend(key);
        if (!lent) throw new Error('the blob is absent');
        expect(isAbsolute(lent.path)).toBe(true);
        expect((await readFile(lent.path)).equals(bytes)).toBe(true);
        await lent.giveBack();
        // The stored blob remains.
        expect((await readAll(await store.open(key))).equals(bytes)).toBe(true);
      });

      it('gives one blob to several borrowers, who give it back one by one', async () => {
        const bytes = randomBytes(100_000);
        const key = await putNew(bytes);
        const lent = (await Promise.all([store.lend(key), store.lend(key)])).flatMap((file) => file ?? []);
        expect(lent).toHaveLength(2);
        const [first, second] = lent;
        await first?.giveBack();
        expect((await readFile(second?.path ?? '')).equals(bytes)).toBe(true);
        await second?.giveBack();
        expect(await store.size(key)).toBe(bytes.length);
      });

      it('can be given back after the blob is gone', async () => {
        const key = await putNew(randomBytes(10));
        const lent = await store.lend(key);
        await store.remove(key);
        await lent?.giveBack();
        await expectNothingUnder(key);
      });

      it('says null for an absent key', async () => {
        expect(await store.lend(randomUUID())).toBeNull();
        const key = await putNew(randomBytes(10));
        await store.remove(key);
        expect(await store.lend(key)).toBeNull();
      });

      it('lists nothing that was not put', async () => {
        const key = await putNew(randomBytes(10));
        const lent = await store.lend(key);
        expect(await keysOf(store)).toEqual([key]);
        await lent?.giveBack();
        expect(await keysOf(store)).toEqual([key]);
      });
    });

    it('refuses keys that could climb, everywhere', async () => {
      const climbing = ['', 'short', '../x', '/etc/passwd', '../../etc/passwd', 'with/slash', 'dots..dots'];
      const odd = ['UPPER-CASE', 'with space', 'with\0null', 'new-line\n', 'ünïcöde-key', 'a'.repeat(81)];
      for (const key of [...climbing, ...odd]) {
        const told = JSON.stringify(key);
        await expect(store.put(key, Readable.from([Buffer.from('x')])), told).rejects.toThrow(TypeError);
        await expect(store.putBytes(key, Buffer.from('x')), told).rejects.toThrow(TypeError);
        await expect(store.open(key), told).rejects.toThrow(TypeError);
        await expect(store.lend(key), told).rejects.toThrow(TypeError);
        await expect(store.size(key), told).rejects.toThrow(TypeError);
        await expect(store.remove(key), told).rejects.toThrow(TypeError);
        await expect(store.discard(key), told).rejects.toThrow(TypeError);
        await expect(store.recover(key), told).rejects.toThrow(TypeError);
      }
      expect(await keysOf(store)).toEqual([]);
    });

    describe('remove', () => {
      it('takes the blob away, and only this one', async () => {
        const gone = await putNew(randomBytes(10));
        const kept = await putNew(randomBytes(20));
        await store.remove(gone);
        await expectNothingUnder(gone);
        expect(await store.size(kept)).toBe(20);
      });

      it('is no fault twice, at once or for a key that never was', async () => {
        const key = await putNew(randomBytes(10));
        await Promise.all([store.remove(key), store.remove(key)]);
        await store.remove(key);
        await store.remove(randomUUID());
        await expectNothingUnder(key);
      });

      it('lets a reader who opened before go on or fail, but never end early', async () => {
        const bytes = randomBytes(3_000_000);
        const key = await putNew(bytes);
        const stream = await store.open(key);
        await store.remove(key);
        const outcome = await readAll(stream).then(
          (read) => read.equals(bytes),
          (error: unknown) => error instanceof Error,
        );
        expect(outcome).toBe(true);
      });
    });

    describe('list', () => {
      it('is empty for an empty store', async () => {
        expect(await keysOf(store)).toEqual([]);
      });

      it('tells when a blob was written', async () => {
        const key = await putNew(randomBytes(10));
        const entries = [];
        for await (const entry of store.list()) entries.push(entry);
        expect(entries.map((entry) => entry.key)).toEqual([key]);
        // One minute of tolerance: the store's clock may be another machine's.
        expect(Math.abs((entries[0]?.modifiedAt ?? 0) - Date.now())).toBeLessThan(60_000);
      });

      it('names every blob that was there all the time, while others come and go', async () => {
        const staying = await Promise.all(Array.from({ length: 60 }, () => putNew(randomBytes(10))));
        const going = await Promise.all(Array.from({ length: 20 }, () => putNew(randomBytes(10))));
        const seen = new Set<string>();
        const coming: Promise<string>[] = [];
        for await (const entry of store.list()) {
          seen.add(entry.key);
          const leaving = going.pop();
          if (leaving) await store.remove(leaving);
          if (coming.length < 60) coming.push(putNew(randomBytes(10)));
        }
        expect(staying.filter((key) => !seen.has(key))).toEqual([]);
        const come = await Promise.all(coming);
        expect(await keysOf(store)).toEqual([...staying, ...going, ...come].sort());
      });

      it('can be left early', async () => {
        const key = await putNew(randomBytes(10));
        await putNew(randomBytes(10));
        for await (const entry of store.list()) {
          expect(entry.key).toHaveLength(key.length);
          break;
        }
        expect(await keysOf(store)).toHaveLength(2);
      });
    });

    describe('the trash', () => {
      const discardedKeys = async (): Promise<string[]> => {
        const keys: string[] = [];
        for await (const { key } of store.listDiscarded()) keys.push(key);
        return keys.sort();
      };
      afterEach(() => store.sweepDiscarded(Date.now() + 60_000));

      it('takes a blob where nothing else finds it, and gives it back with all its bytes', async () => {
        const bytes = randomBytes(300_000);
        const key = await putNew(bytes);
        const kept = await putNew(randomBytes(10));
        expect(await discardedKeys()).toEqual([]);
        await store.discard(key);
        await expectNothingUnder(key);
        expect(await keysOf(store)).toEqual([kept]);
        expect(await discardedKeys()).toEqual([key]);
        expect(await store.recover(key)).toBe(true);
        expect((await readAll(await store.open(key))).equals(bytes)).toBe(true);
        expect(await discardedKeys()).toEqual([]);
      });

      it('has no fault with absent keys, and says that it cannot give them back', async () => {
        const key = randomUUID();
        await store.discard(key);
        expect(await store.recover(key)).toBe(false);
        expect(await discardedKeys()).toEqual([]);
        await expectNothingUnder(key);
      });

      it('is emptied by the time at which blobs got there, whenever they were written', async () => {
        const [first, second] = [await putNew(randomBytes(10)), await putNew(randomBytes(20))];
        for (const key of [first, second]) await store.discard(key);
        for await (const { modifiedAt } of store.listDiscarded()) {
          expect(Math.abs(modifiedAt - Date.now())).toBeLessThan(60_000);
        }
        expect(await store.sweepDiscarded(Date.now() - 60_000)).toBe(0);
        expect(await discardedKeys()).toEqual([first, second].sort());
        expect(await store.sweepDiscarded(Date.now() + 60_000)).toBe(2);
        expect(await discardedKeys()).toEqual([]);
        expect(await store.recover(first)).toBe(false);
      });
    });

    describe('erase', () => {
      it('takes a blob away, and what the trash has of it, and only this one', async () => {
        await store.putBytes('erased-blob-1', Buffer.from('one'));
        await store.putBytes('erased-blob-2', Buffer.from('two'));
        await store.putBytes('erased-blob-3', Buffer.from('three'));
        await store.discard('erased-blob-2');
        for (const key of ['erased-blob-1', 'erased-blob-2', 'never-there']) await store.erase(key);
        expect(await store.open('erased-blob-1')).toBeNull();
        expect(await store.recover('erased-blob-2')).toBe(false);
        expect(await store.size('erased-blob-3')).toBe(5);
      });
    });

    it('keeps notes that are no blobs, and replaces one whole', async () => {
      const notes = async () => {
        const found: Record<string, string> = {};
        for await (const { key, text } of store.notes()) found[key] = text;
        return found;
      };
      expect(await notes()).toEqual({});
      await store.keepNote('note-0001', 'first');
      await store.keepNote('note-0002', 'Zoë');
      await store.keepNote('note-0001', 'again');
      expect(await notes()).toEqual({ 'note-0001': 'again', 'note-0002': 'Zoë' });
      expect(await store.open('note-0001')).toBeNull();
      await expect(store.keepNote('../climbing', 'x')).rejects.toThrow();
    });

    it('belongs to the first that claims it, until it is replaced on purpose', async () => {
      expect(await store.owner()).toBeNull();
      const claimed = await Promise.all(['a', 'b', 'a', 'b'].map((name) => store.claim(name.repeat(64))));
      expect(new Set(claimed).size).toBe(1);
      const [first = ''] = claimed;
      expect(await store.owner()).toBe(first);
      const other = 'c'.repeat(64);
      expect(await store.claim(other)).toBe(first);
      expect(await store.claim(other, { replace: true })).toBe(other);
      expect(await store.owner()).toBe(other);
      expect(await keysOf(store)).toEqual([]);
    });

    it('says what it is, and how much room there is where it knows', async () => {
      const { kind, freeBytes } = await store.describe();
      expect(kind).toMatch(/^[a-z0-9]+$/);
      if (freeBytes !== null) expect(freeBytes).toBeGreaterThanOrEqual(0);
    });

    it('passes its check, also several at once, and leaves no blob by it', async () => {
      await Promise.all([store.check(), store.check(), store.check()]);
      expect(await keysOf(store)).toEqual([]);
    });
  });
}

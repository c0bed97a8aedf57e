import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { someTime } from '../../../test/support/nouns.js';
import { only } from '../../../test/support/ports.js';
import { openDiskBlobs } from '../../adapters/blobs/disk.js';
import { type BlobStore, BlobsFull } from '../../ports/blobs.js';
import { createStaging, type Staging } from './staging.js';

describe('staging', () => {
  let directory: string;
  let blobs: BlobStore;
  let staging: Staging;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'inlet-staging-'));
    blobs = await openDiskBlobs({ directory, now: () => someTime });
    staging = createStaging({ blobs, clock: { now: () => someTime } });
  });
  afterEach(async () => {
    for (const key of await keys()) await blobs.remove(key);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const incoming = (content: Readable, declaredType = 'text/plain') => ({
    field: 'cv',
    filename: 'Lebenslauf.txt',
    declaredType,
    content,
  });
  const keys = async () => {
    const found: string[] = [];
    for await (const { key } of blobs.list()) found.push(key);
    return found;
  };

  it('keeps exactly the bytes, with their length and hash, however they were cut', async () => {
    const bytes = randomBytes(300_000);
    const chunks = [bytes.subarray(0, 1), bytes.subarray(1, 5_000), bytes.subarray(5_000)];
    const staged = await staging.stage(incoming(Readable.from(chunks)));
    expect(staged).toMatchObject({
      fieldName: 'cv',
      filename: 'Lebenslauf.txt',
      sizeBytes: 300_000,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    const stored = await blobs.open(staged.blobKey);
    expect(stored && (await buffer(stored)).equals(bytes)).toBe(true);
  });

  it('finds the type by the first bytes also when they come one by one', async () => {
    const head = Buffer.from('%PDF-1.7 and the rest of the file');
    const content = Readable.from([...head].map((byte) => Buffer.from([byte])));
    const staged = await staging.stage(incoming(content, 'text/plain'));
    expect(staged).toMatchObject({ mimeType: 'application/pdf', category: 'document' });
  });

  it('takes an empty file', async () => {
    const staged = await staging.stage(incoming(Readable.from([])));
    expect(staged).toMatchObject({ sizeBytes: 0, sha256: createHash('sha256').digest('hex') });
    expect(await blobs.size(staged.blobKey)).toBe(0);
  });

  it('gives two uploads of the same file two blobs, so that one can go without the other', async () => {
    const [one, two] = await Promise.all([
      staging.stage(incoming(Readable.from([Buffer.from('same')]))),
      staging.stage(incoming(Readable.from([Buffer.from('same')]))),
    ]);
    await staging.discard([one]);
    expect(await keys()).toEqual([two.blobKey]);
  });

  it('leaves nothing behind when the upload is cut off', async () => {
    const content = new PassThrough().on('error', () => {});
    const staged = expect(staging.stage(incoming(content))).rejects.toThrow('cut off');
    content.write(randomBytes(10_000));
    content.destroy(new Error('cut off'));
    await staged;
    expect(await keys()).toEqual([]);
    expect(await readdir(join(directory, '.staging'))).toEqual([]);
  });

  it('stops reading an upload that the blob store cannot take, and says why', async () => {
    const full = createStaging({
      blobs: only<BlobStore>({
        async put(_key, source) {
          source.on('error', () => {});
          source.destroy();
          throw new BlobsFull('No space');
        },
      }),
      clock: { now: () => someTime },
    });
    const content = Readable.from([Buffer.from('never read')]);
    await expect(full.stage(incoming(content))).rejects.toThrow(BlobsFull);
  });

  it('discards all that it is given, and what is gone already is no fault', async () => {
    const staged = await Promise.all(
      ['a', 'b', 'c'].map((text) => staging.stage(incoming(Readable.from([Buffer.from(text)])))),
    );
    await staging.discard(staged.slice(0, 2));
    expect(await keys()).toEqual([staged[2]?.blobKey]);
    await staging.discard(staged);
    expect(await keys()).toEqual([]);
    await staging.discard([]);
  });
});

/**
 * Blobs as objects of a bucket: `files/<key>`, written whole or not at all. Many processes may use one bucket at once,
 * but only one instance of Inlet, whose id is in the object `instance`: what it knows nothing about under `files/` is
 * moved to `trash/`.
 *
 * Opening asks the bucket nothing: a service whose bucket is unavailable starts, takes what needs no files, and goes on by
 * itself when the bucket is back.
 */
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobEntry, BlobStore } from '../../ports/blobs.js';
import { isKey, requireKey, requireRange } from './keys.js';
import { createLentFiles } from './lent-files.js';
import { type Bucket, type BucketCalls, type CallLimits, callLimits, createBucketCalls } from './s3-calls.js';
import { bucketLinks, requireRegion } from './s3-links.js';
import { UploadMemory } from './s3-memory.js';
import { watchedStream } from './s3-reading.js';
import { upload } from './s3-upload.js';

export interface S3Limits extends CallLimits {
  /** For the next bytes of what is read. */
  readonly stallMs: number;
  /** Up to so many bytes go in one request. S3 takes no parts under 5 MiB but the last. */
  readonly partBytes: number;
  /** Of all uploads together. */
  readonly memoryBytes: number;
  /** For a place in that memory. */
  readonly memoryWaitMs: number;
}

const MiB = 1024 * 1024;
const s3Limits: S3Limits = {
  ...callLimits,
  stallMs: 20_000,
  partBytes: 8 * MiB,
  memoryBytes: 256 * MiB,
  memoryWaitMs: 10_000,
};

export interface S3BlobsOptions extends Bucket {
  /** For copies of blobs that a program on this machine has to read. */
  readonly lendingFolder: string;
  readonly now: () => number;
  /** Whether those who download are sent to the bucket itself. */
  readonly links: boolean;
  readonly limits?: Partial<S3Limits>;
}

const prefix = 'files/';
/** Beside the blobs, so that no listing and no sweep meets it. */
const probePrefix = 'probe/';
const trashPrefix = 'trash/';
const notePrefix = 'notes/';
const ownerObject = 'instance';
/** Longer than anybody works with a lent file. */
const lentForMs = 60 * 60 * 1000;
/** A write costs money; in between it is enough to see that the bucket is there and lets us in. */
const writeProofMs = 60_000;

export async function openS3Blobs(options: S3BlobsOptions): Promise<BlobStore> {
  const limits = { ...s3Limits, ...options.limits };
  const calls = createBucketCalls(options, limits);
  const region = await requireRegion(calls.client);
  const memory = new UploadMemory(limits.memoryBytes, limits.memoryWaitMs);
  const lent = createLentFiles(options.lendingFolder);
  await lent.sweep(options.now() - lentForMs);
  const writing = writeProof(calls);

  const objectOf = (key: string): string => {
    requireKey(key);
    return `${prefix}${key}`;
  };

  const trashOf = (key: string): string => {
    requireKey(key);
    return `${trashPrefix}${key}`;
  };

  const noteOf = (key: string): string => {
    requireKey(key);
    return `${notePrefix}${key}`;
  };

  async function* listUnder(under: string): AsyncGenerator<BlobEntry> {
    for await (const { key: object, modifiedAt } of calls.list(under)) {
      const key = object.slice(under.length);
      if (isKey(key)) yield { key, modifiedAt };
    }
  }

  const owner = async (): Promise<string | null> => (await calls.getText(ownerObject))?.trim() ?? null;

  const open: BlobStore['open'] = async (key, range) => {
    const object = objectOf(key);
    if (range) requireRange(range);
    const answer = await calls.get(object, range);
    if (answer === null) return null;
    if (answer === 'empty') return Readable.from([], { objectMode: false });
    return watchedStream(answer.Body as Readable, answer.ContentLength ?? Number.NaN, limits.stallMs);
  };

  const put: BlobStore['put'] = async (key, source) => {
    const object = objectOf(key);
    // A stream that fails while nobody listens ends the process; the copying listens only once it reads.
    source.on('error', () => {});
    try {
      const sizeBytes = await upload(object, source, { calls, memory, partBytes: limits.partBytes });
      writing.proven();
      return { sizeBytes };
    } catch (error) {
      source.destroy();
      throw error;
    }
  };

  return {
    put,

    // The network takes so much longer than a stream that one way in is enough.
    async putBytes(key, bytes) {
      await put(key, Readable.from(bytes.length > 0 ? [bytes] : [], { objectMode: false }));
    },

    open,

    async lend(key) {
      const bytes = await open(key);
      return bytes && lent.lend(bytes);
    },

    size: async (key) => calls.size(objectOf(key)),

    remove: async (key) => calls.remove(objectOf(key)),

    async erase(key) {
      for (const object of [objectOf(key), trashOf(key)]) {
        await calls.remove(object);
        await calls.removeVersions(object);
      }
    },

    keepNote: async (key, text) => calls.putText(noteOf(key), text, { ifAbsent: false }),

    async *notes() {
      for await (const { key } of listUnder(notePrefix)) yield (await calls.getText(noteOf(key))) ?? '';
    },

    list: () => listUnder(prefix),

    owner,

    async claim(instance, options) {
      await calls.putText(ownerObject, `${instance}\n`, { ifAbsent: options?.replace !== true });
      // Somebody else may have been faster, or later where the server knows no conditions.
      return (await owner()) ?? instance;
    },

    async discard(key) {
      if (await calls.copy(objectOf(key), trashOf(key))) await calls.remove(objectOf(key));
    },

    async recover(key) {
      const isThere = await calls.copy(trashOf(key), objectOf(key));
      if (isThere) await calls.remove(trashOf(key));
      return isThere;
    },

    listDiscarded: () => listUnder(trashPrefix),

    async sweepDiscarded(discardedBefore) {
      let swept = 0;
      for await (const { key, modifiedAt } of listUnder(trashPrefix)) {
        if (modifiedAt >= discardedBefore) continue;
        await calls.remove(trashOf(key));
        swept += 1;
      }
      return swept;
    },

    async sweepUnfinished(startedBefore) {
      await lent.sweep(Math.min(startedBefore, options.now() - lentForMs));
      let swept = 0;
      for await (const { object, uploadId, startedAt } of calls.listUploads(prefix)) {
        if (startedAt >= startedBefore) continue;
        await calls.abortUpload(object, uploadId);
        swept += 1;
      }
      return swept;
    },

    describe: async () => ({ kind: 's3', freeBytes: null }),

    check: writing.check,

    links: options.links ? bucketLinks(options, region, calls, objectOf) : null,
  };
}

/**
 * That the bucket can be read does not say that it takes bytes: a key may have lost the right to write. So a small
 * object is written and removed, unless something was written a moment ago.
 */
function writeProof(calls: BucketCalls) {
  const probe = `${probePrefix}${randomUUID()}`;
  const bytes = Buffer.from('probe');
  const md5 = createHash('md5').update(bytes).digest('base64');
  let provenAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;
  const proven = (): void => {
    provenAt = performance.now();
  };
  const examine = async (): Promise<void> => {
    try {
      if (performance.now() - provenAt < writeProofMs) return await calls.headBucket();
      await calls.putObject(probe, { bytes, md5 });
      await calls.remove(probe);
      proven();
    } catch (error) {
      // The next readiness check must see that bytes are taken again.
      provenAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
  };
  return {
    proven,
    check(): Promise<void> {
      checking ??= examine().finally(() => {
        checking = null;
      });
      return checking;
    },
  };
}

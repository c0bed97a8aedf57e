/**
 * Blobs as objects in a bucket: `files/<key>`, written completely or not at all. Many processes may share a bucket, but
 * only one instance of Inlet, whose id is in the object `instance`. It moves unknown objects under `files/` to `trash/`.
 *
 * Opening makes no request: while its bucket is unavailable, a service starts, accepts what needs no files, and recovers
 * on its own once the bucket is back.
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
  /** How long a read waits for its next bytes. */
  readonly stallMs: number;
  /** Up to this size, a blob goes in one request. S3 rejects parts under 5 MiB, except for the last. */
  readonly partBytes: number;
  /** For all uploads together. */
  readonly memoryBytes: number;
  /** How long an upload waits for its share of that memory. */
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
  /** For local copies of blobs that a program on this machine has to read. */
  readonly lendingFolder: string;
  readonly now: () => number;
  /** Whether downloads are redirected to the bucket itself. */
  readonly links: boolean;
  readonly limits?: Partial<S3Limits>;
}

const prefix = 'files/';
/** Not under the blobs' prefix, so that listings and sweeps skip it. */
const probePrefix = 'probe/';
const trashPrefix = 'trash/';
const notePrefix = 'notes/';
const ownerObject = 'instance';
/** Longer than any use of a lent file. */
const lentForMs = 60 * 60 * 1000;
/** A write costs money. In between it is enough to check that the bucket exists and grants access. */
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
    // An error on a stream without a listener ends the process, and copying only listens once it reads.
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

    // The network takes so much longer than a stream that a separate path would gain nothing.
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
      for await (const { key } of listUnder(notePrefix)) {
        const text = await calls.getText(noteOf(key));
        if (text !== null) yield { key, text };
      }
    },

    list: () => listUnder(prefix),

    owner,

    async claim(instance, options) {
      await calls.putText(ownerObject, `${instance}\n`, { ifAbsent: options?.replace !== true });
      // Another instance may have claimed it first, or replaced our claim if the server has no conditional writes.
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
 * A readable bucket is not necessarily writable: a key may have lost its write permission. So this writes and removes a
 * small object, unless something was written a moment ago.
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
      // The next readiness check must write again to prove that the bucket accepts bytes.
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

/**
 * Backups as single objects under a prefix of a bucket. An object appears only once all of its bytes are there, so an
 * interrupted backup is never found.
 */
import { Readable } from 'node:stream';
import { type Bucket, callLimits, createBucketCalls } from './s3-calls.js';
import { UploadMemory } from './s3-memory.js';
import { watchedStream } from './s3-reading.js';
import { upload } from './s3-upload.js';

export interface BucketArchives {
  /** Resolves with the number of bytes. */
  put(name: string, source: AsyncIterable<Uint8Array>): Promise<number>;
  /** Returns null when there is no backup of this name. */
  open(name: string): Promise<Readable | null>;
  /** Names without the prefix. */
  list(): Promise<readonly string[]>;
  remove(name: string): Promise<void>;
  /** Aborts uploads under the prefix that began before that time and never finished: their parts cost money. */
  sweepUnfinished(startedBefore: number): Promise<void>;
}

const MiB = 1024 * 1024;
/** Large parts: nothing else needs the memory, and backups are big. */
const partBytes = 16 * MiB;
const memoryBytes = 512 * MiB;
const memoryWaitMs = 60_000;
const stallMs = 60_000;

export function openBucketArchives(place: Bucket & { readonly prefix: string }): BucketArchives {
  const calls = createBucketCalls(place, callLimits);
  const memory = new UploadMemory(memoryBytes, memoryWaitMs);
  const objectOf = (name: string): string => `${place.prefix}${name}`;
  return {
    put: (name, source) =>
      upload(objectOf(name), Readable.from(source, { objectMode: false }), { calls, memory, partBytes }),
    async open(name) {
      const answer = await calls.get(objectOf(name));
      if (answer === null || answer === 'empty') return null;
      return watchedStream(answer.Body as Readable, answer.ContentLength ?? Number.NaN, stallMs);
    },
    async list() {
      const names: string[] = [];
      for await (const { key } of calls.list(place.prefix)) names.push(key.slice(place.prefix.length));
      return names;
    },
    remove: (name) => calls.remove(objectOf(name)),
    async sweepUnfinished(startedBefore) {
      for await (const { object, uploadId, startedAt } of calls.listUploads(place.prefix)) {
        if (startedAt < startedBefore) await calls.abortUpload(object, uploadId);
      }
    },
  };
}

/**
 * Uploads bytes of unknown length into one object. Invariants: a partial object is never visible; memory does not grow
 * with the size of the object; and whatever fails, no part of the upload is still running once the promise has settled.
 */
import type { Readable } from 'node:stream';
import { BlobsUnavailable } from '../../ports/blobs.js';
import type { BucketCalls, SentPart } from './s3-calls.js';
import { isRefusal, isUploadAbsent } from './s3-faults.js';
import type { UploadMemory } from './s3-memory.js';
import { type Part, PartReader } from './s3-parts.js';

/** S3's limit per upload. */
const maxParts = 10_000;
const partsInFlight = 2;
/** The visitor's response waits for the cleanup. The sweeps find what it does not finish. */
const cleanUpMs = 1_000;

/** Grows after every 1,000 parts, so that 10,000 parts reach 400 GiB. */
const sizeOfPart = (number: number, partBytes: number): number => partBytes * Math.ceil(number / 1_000);

export interface UploadOptions {
  readonly calls: BucketCalls;
  readonly memory: UploadMemory;
  readonly partBytes: number;
}

/** Resolves with the number of bytes once all of them are stored. */
export async function upload(object: string, source: Readable, options: UploadOptions): Promise<number> {
  const { calls, memory, partBytes } = options;
  const parts = new PartReader(source, memory);
  const first = await parts.next(partBytes);
  if (!first.isLast) return await uploadInParts(object, source, first, parts, options);
  try {
    await calls.putObject(object, first);
    return first.bytes.length;
  } catch (error) {
    await tidyAfter(error, (signal) => calls.remove(object, signal));
    throw error;
  } finally {
    first.release();
  }
}

async function uploadInParts(
  object: string,
  source: Readable,
  first: Part,
  parts: PartReader,
  { calls, partBytes }: UploadOptions,
): Promise<number> {
  const stopping = new AbortController();
  const sending = new Set<Promise<void>>();
  const sent: SentPart[] = [];
  let sizeBytes = 0;
  let uploadId: string | null = null;
  let current: Part | null = first;

  const send = (id: string, number: number, part: Part): void => {
    const mine = calls
      .putPart(object, id, number, part, stopping.signal)
      .then((done) => void sent.push(done))
      .finally(() => {
        part.release();
        sending.delete(mine);
      });
    sending.add(mine);
    // The loop may be waiting for a slow client. Destroying the source makes it stop.
    mine.catch((error: Error) => source.destroy(error));
  };

  try {
    const id = await calls.beginUpload(object);
    uploadId = id;
    for (let number = 1; current; number += 1) {
      const { isLast }: Part = current;
      sizeBytes += current.bytes.length;
      send(id, number, current);
      current = null;
      if (sending.size >= partsInFlight) await Promise.race(sending);
      if (isLast) break;
      if (number === maxParts) throw new RangeError('More bytes than an upload in parts can hold');
      current = await parts.next(sizeOfPart(number + 1, partBytes));
    }
    await Promise.all(sending);
    sent.sort((a, b) => a.PartNumber - b.PartNumber);
    await complete(calls, object, id, sent, sizeBytes);
    return sizeBytes;
  } catch (error) {
    current?.release();
    stopping.abort();
    await Promise.allSettled(sending);
    const id = uploadId;
    if (id !== null) await tidy((signal) => calls.abortUpload(object, id, signal));
    throw error;
  }
}

async function complete(
  calls: BucketCalls,
  object: string,
  uploadId: string,
  parts: readonly SentPart[],
  sizeBytes: number,
): Promise<void> {
  try {
    await calls.completeUpload(object, uploadId, parts).catch((error: unknown) => {
      // Probably an earlier attempt succeeded and only its response was lost. The size check below verifies that.
      if (!isUploadAbsent((error as Error).cause)) throw error;
    });
    const stored = await calls.size(object);
    if (stored !== sizeBytes) {
      throw new BlobsUnavailable(`The bucket holds ${stored} of ${sizeBytes} bytes after an upload`);
    }
  } catch (error) {
    await tidyAfter(error, (signal) => calls.remove(object, signal));
    throw error;
  }
}

/** After a 4xx nothing was stored. Without a response, something may have been. */
async function tidyAfter(error: unknown, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (!(error instanceof Error && isRefusal(error.cause))) await tidy(work);
}

const tidy = (work: (signal: AbortSignal) => Promise<void>): Promise<void> =>
  work(AbortSignal.timeout(cleanUpMs)).catch(() => {});

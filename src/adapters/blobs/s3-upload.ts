/**
 * Bytes of unknown length into one object. What must stay true: nobody sees a part of it; memory stays flat however
 * large it is; and whatever fails, nothing of it goes on once the promise has settled.
 */
import type { Readable } from 'node:stream';
import { BlobsUnavailable } from '../../ports/blobs.js';
import type { BucketCalls, SentPart } from './s3-calls.js';
import { isRefusal, isUploadAbsent } from './s3-faults.js';
import type { UploadMemory } from './s3-memory.js';
import { type Part, PartReader } from './s3-parts.js';

/** Of S3: no upload may have more. */
const maxParts = 10_000;
const partsInFlight = 2;
/** The answer to the visitor waits for it, and what it does not reach the sweeps find later. */
const cleanUpMs = 1_000;

/** Larger from each thousandth part on, so that 10,000 of them reach 400 GiB. */
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
    // The loop may be waiting for a slow client: this is how it hears of the fault.
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
      // An earlier attempt was done, and only its answer was lost; whether that is so is seen next.
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

/** After a refusal nothing is there; without an answer something may be. */
async function tidyAfter(error: unknown, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (!(error instanceof Error && isRefusal(error.cause))) await tidy(work);
}

const tidy = (work: (signal: AbortSignal) => Promise<void>): Promise<void> =>
  work(AbortSignal.timeout(cleanUpMs)).catch(() => {});

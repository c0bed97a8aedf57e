/**
 * Incoming uploads: counted, hashed and sniffed while they stream to the blob store. A staged file is durable but belongs
 * to nothing yet; it is either committed with its submission or discarded. A crash in between leaves an orphan, which
 * upkeep sweeps.
 */
import { createHash, hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { categoryOf, type FileCategory } from '../../model/file.js';
import type { BlobStore } from '../../ports/blobs.js';
import { sniffBytes, sniffType } from './sniffing.js';

export interface IncomingFile {
  readonly field: string;
  readonly filename: string;
  readonly declaredType: string;
  /** A Buffer with the whole file if it is small, otherwise a stream. */
  readonly content: Buffer | Readable;
}

export interface StagedFile {
  readonly id: string;
  readonly fieldName: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly category: FileCategory;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly blobKey: string;
}

export interface Staging {
  stage(file: IncomingFile): Promise<StagedFile>;
  discard(staged: readonly StagedFile[]): Promise<void>;
}

export function createStaging({ blobs, clock }: { blobs: BlobStore; clock: Clock }): Staging {
  return {
    async stage({ field, filename, declaredType, content }) {
      const id = newId(clock.now());
      const { head, sizeBytes, sha256 } =
        content instanceof Readable
          ? await keepStream(blobs, id, content)
          : await keepBytes(blobs, id, content);
      const mimeType = await sniffType(head, declaredType).catch(async (error: unknown) => {
        // The caller never gets the id, so the blob must be removed here. If that fails, upkeep sweeps it.
        await blobs.remove(id).catch(() => {});
        throw error;
      });
      return {
        id,
        fieldName: field,
        filename,
        mimeType,
        category: categoryOf(mimeType),
        sizeBytes,
        sha256,
        blobKey: id,
      };
    },
    async discard(staged) {
      await Promise.all(staged.map((file) => blobs.remove(file.blobKey)));
    },
  };
}

interface Kept {
  /** The first bytes, to detect the type. */
  readonly head: Uint8Array;
  readonly sizeBytes: number;
  readonly sha256: string;
}

async function keepBytes(blobs: BlobStore, key: string, bytes: Buffer): Promise<Kept> {
  const putting = blobs.putBytes(key, bytes);
  // Hashed while the disk is writing.
  const sha256 = hash('sha256', bytes);
  await putting;
  return { head: bytes.subarray(0, sniffBytes), sizeBytes: bytes.length, sha256 };
}

async function keepStream(blobs: BlobStore, key: string, content: Readable): Promise<Kept> {
  // The loop below reports errors. Until it starts, an error without a listener would end the process.
  content.on('error', () => {});
  const hashing = createHash('sha256');
  const head: Buffer[] = [];
  let headBytes = 0;

  async function* observed(): AsyncGenerator<Buffer> {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      hashing.update(chunk);
      if (headBytes < sniffBytes) {
        head.push(chunk.subarray(0, sniffBytes - headBytes));
        headBytes += chunk.length;
      }
      yield chunk;
    }
  }

  const { sizeBytes } = await blobs.put(key, Readable.from(observed(), { highWaterMark: 1 }));
  return { head: Buffer.concat(head), sizeBytes, sha256: hashing.digest('hex') };
}

/**
 * Uploads on their way in: counted, hashed and sniffed while they stream to the blob store. A staged file is durable
 * but belongs to nothing yet; it is either committed with its submission or discarded. A crash in between leaves an
 * orphan, which upkeep sweeps.
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
  /** All of it where it is little, else as it comes. */
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
        // Nobody is told its id, so nobody else can take it away again; if we cannot either, the sweep does.
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
  /** The first bytes, which tell the type. */
  readonly head: Uint8Array;
  readonly sizeBytes: number;
  readonly sha256: string;
}

async function keepBytes(blobs: BlobStore, key: string, bytes: Buffer): Promise<Kept> {
  const putting = blobs.putBytes(key, bytes);
  // Computed while the disk is at work.
  const sha256 = hash('sha256', bytes);
  await putting;
  return { head: bytes.subarray(0, sniffBytes), sizeBytes: bytes.length, sha256 };
}

async function keepStream(blobs: BlobStore, key: string, content: Readable): Promise<Kept> {
  // Its failure reaches us through the loop below; before that starts, nobody else would hear it.
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

/**
 * Uploads on their way in: counted, hashed and sniffed while they stream to the blob store. A staged file is durable
 * but belongs to nothing yet; it is either committed with its submission or discarded. A crash in between leaves an
 * orphan, which upkeep sweeps.
 */
import { createHash } from 'node:crypto';
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
  readonly content: Readable;
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
      // Its failure reaches us through the loop below; before that starts, nobody else would hear it.
      content.on('error', () => {});
      const hash = createHash('sha256');
      const head: Buffer[] = [];
      let headBytes = 0;

      async function* observed(): AsyncGenerator<Buffer> {
        for await (const chunk of content as AsyncIterable<Buffer>) {
          hash.update(chunk);
          if (headBytes < sniffBytes) {
            head.push(chunk.subarray(0, sniffBytes - headBytes));
            headBytes += chunk.length;
          }
          yield chunk;
        }
      }

      const { sizeBytes } = await blobs.put(id, Readable.from(observed(), { highWaterMark: 1 }));
      const mimeType = await sniffType(Buffer.concat(head), declaredType);
      return {
        id,
        fieldName: field,
        filename,
        mimeType,
        category: categoryOf(mimeType),
        sizeBytes,
        sha256: hash.digest('hex'),
        blobKey: id,
      };
    },
    async discard(staged) {
      await Promise.all(staged.map((file) => blobs.remove(file.blobKey)));
    },
  };
}

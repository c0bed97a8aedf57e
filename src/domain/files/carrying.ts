/**
 * Copies blobs from one store to another. Invariant: bytes that do not match their row are never stored under its key in the
 * target, and memory does not grow with the size or number of files.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { forEachConcurrently } from '../../kernel/concurrency.js';
import type { DescribedBlob } from '../../model/blob.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { Store } from '../../ports/store.js';

const pageLength = 200;

/** Yields all uploads that have bytes, page by page. */
export async function* filePages({ files }: Pick<Store, 'files'>): AsyncGenerator<readonly DescribedBlob[]> {
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof files.list>> = await files.list({ limit: pageLength, after });
    if (page.length === 0) return;
    after = page.at(-1)?.id ?? null;
    yield page.map(({ id, blobKey, sizeBytes, sha256 }) => ({ id, key: blobKey, sizeBytes, sha256 }));
  }
}

/** `damaged`: there are bytes, but they do not match the row. */
export type Found = 'whole' | 'missing' | 'damaged';

/** Yields the bytes, and throws at the end if they do not match the row. */
async function* checked(
  content: Readable,
  blob: DescribedBlob,
  onWrong: () => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of content as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    yield chunk;
  }
  if (sizeBytes === blob.sizeBytes && hash.digest('hex') === blob.sha256) return;
  onWrong();
  throw new Error(`The bytes of ${blob.key} are not those of its row`);
}

/** Resolves with the state of the blob in the source. Only an intact blob reaches the target. */
export async function carryBlob(source: BlobStore, target: BlobStore, blob: DescribedBlob): Promise<Found> {
  const content = await source.open(blob.key);
  if (!content) return 'missing';
  let isDamaged = false;
  const bytes = checked(content, blob, () => {
    isDamaged = true;
  });
  try {
    await target.put(blob.key, Readable.from(bytes, { objectMode: false }));
    return 'whole';
  } catch (error) {
    if (isDamaged) return 'damaged';
    throw error;
  } finally {
    content.destroy();
  }
}

/** Checks a blob by reading all its bytes. */
export async function inspectBlob(blobs: BlobStore, blob: DescribedBlob): Promise<Found> {
  const content = await blobs.open(blob.key);
  if (!content) return 'missing';
  let isDamaged = false;
  try {
    for await (const _ of checked(content, blob, () => {
      isDamaged = true;
    }));
    return 'whole';
  } catch (error) {
    if (isDamaged) return 'damaged';
    throw error;
  } finally {
    content.destroy();
  }
}

/** Each file waits for its own sync or response. Eight at once make good use of disk and network. */
const atOnce = 8;

export const forEachBlob = (
  blobs: readonly DescribedBlob[],
  work: (blob: DescribedBlob) => Promise<void>,
): Promise<void> => forEachConcurrently(blobs, atOnce, work);

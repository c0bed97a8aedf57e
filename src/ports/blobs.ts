/**
 * The blob store: bytes under a key, durable and immutable.
 *
 * The contract, which `test/contracts/blobs.ts` runs against every adapter:
 * - `put` resolves only when all bytes are on stable storage under the key; nobody ever finds a part of them there.
 *   A source that fails or is destroyed leaves nothing behind under the key, and a failed `put` destroys its source.
 *   A second `put` under a key replaces the first whole.
 * - `remove` of an absent key is no fault.
 * - `open` yields exactly the bytes that were put, or the given range of them (cut at their end); an absent key gives
 *   null.
 * - `lend` gives a file of this machine with exactly the bytes, for programs that read files. It may be the stored one: the
 *   borrower only reads, and gives it back.
 * - `list` yields every key at least once if it was there during the whole listing.
 * - Keys are made by the domain: `[a-z0-9-]{8,80}`; anything else is refused, so that no key can climb.
 */
import type { Readable } from 'node:stream';

export interface ByteRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

export interface BlobEntry {
  readonly key: string;
  readonly modifiedAt: number;
}

export interface LentFile {
  readonly path: string;
  giveBack(): Promise<void>;
}

/** There is no space left for the bytes. */
export class BlobsFull extends Error {
  override readonly name = 'BlobsFull';
}

export interface BlobStore {
  put(key: string, source: Readable): Promise<{ sizeBytes: number }>;
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  lend(key: string): Promise<LentFile | null>;
  size(key: string): Promise<number | null>;
  remove(key: string): Promise<void>;
  list(): AsyncIterable<BlobEntry>;
  /** Removes leftovers of writes that a crash cut off and that began before the given time. */
  sweepUnfinished(startedBefore: number): Promise<number>;
  /** What it is, and the room that is left; null where that is not known. */
  describe(): Promise<{ readonly kind: string; readonly freeBytes: number | null }>;
  /** Resolves when the store can take bytes now. */
  check(): Promise<void>;
}

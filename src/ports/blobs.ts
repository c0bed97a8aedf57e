/**
 * The blob store: bytes under a key, durable and immutable.
 *
 * The contract, which `test/contracts/blobs.ts` runs against every adapter:
 * - `put` resolves only when all bytes are on stable storage under the key; readers never see a part of them.
 *   A source that fails or is destroyed leaves nothing behind under the key, and a failed `put` destroys its source.
 *   When the store did not respond, all bytes may still end up there: an orphan, which upkeep sweeps.
 *   A second `put` under a key replaces the first completely.
 * - `remove` of an absent key is not an error.
 * - `open` yields exactly the bytes that were put, or the given range of them (cut off at their end); null for an absent
 *   key.
 * - `lend` provides a local file with exactly the bytes, for programs that read files. It may be the stored one: the
 *   borrower only reads it, and gives it back.
 * - `list` yields every key at least once if it was there during the whole listing.
 * - A store belongs to the one instance that claims it. When two claim it at once, one gets it, and both receive its id.
 * - `discard` moves a blob to the trash, where only the trash methods find it. Neither the trash nor the owner's mark is
 *   ever listed as a blob.
 * - `links.to` returns an address that serves the bytes, or a range of them, to anyone until it expires; null for an
 *   absent key.
 * - Failures are reported as `BlobsFull` or `BlobsUnavailable`; anything else is an internal error. Every call ends: no
 *   store may wait for a response indefinitely.
 * - Keys are made by the domain: `[a-z0-9-]{8,80}`; anything else is rejected, so that no key can traverse paths.
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

/** The store cannot be reached, or rejects our requests for now. Nothing stored is lost: a later call may succeed. */
export class BlobsUnavailable extends Error {
  override readonly name = 'BlobsUnavailable';
}

/** The headers that the bytes behind a link are served with: the address is public, the store's own metadata is not. */
export interface LinkTerms {
  readonly expiresInSeconds: number;
  readonly contentType: string;
  readonly contentDisposition: string;
}

/** Addresses at which the store itself serves the bytes. */
export interface BlobLinks {
  /** The origin of these addresses, as a browser writes it. */
  readonly origin: string;
  to(key: string, terms: LinkTerms): Promise<string | null>;
}

export interface BlobStore {
  put(key: string, source: Readable): Promise<{ sizeBytes: number }>;
  /** Like `put`, for bytes in memory. They must not change until it settles. */
  putBytes(key: string, bytes: Buffer): Promise<void>;
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  lend(key: string): Promise<LentFile | null>;
  size(key: string): Promise<number | null>;
  remove(key: string): Promise<void>;
  /** Like `remove`, including everything else the store has of it: earlier versions, and what is in the trash. Durable. */
  erase(key: string): Promise<void>;
  list(): AsyncIterable<BlobEntry>;
  /** The id of the instance that owns these blobs; null when none has claimed them. */
  owner(): Promise<string | null>;
  /** Claims a store without an owner, or any store with `replace`. Resolves with the id of the owner from now on. */
  claim(instance: string, options?: { readonly replace: boolean }): Promise<string>;
  /** Moves a blob to the trash; an absent key is not an error. */
  discard(key: string): Promise<void>;
  /** Restores a blob from the trash. Returns false when it is not there. */
  recover(key: string): Promise<boolean>;
  /** Lists the trash; `modifiedAt` is when a blob was moved there. */
  listDiscarded(): AsyncIterable<BlobEntry>;
  /** Permanently removes what was moved to the trash before the given time. Returns how many. */
  sweepDiscarded(discardedBefore: number): Promise<number>;
  /** Removes leftovers of writes that a crash interrupted and that began before the given time. */
  sweepUnfinished(startedBefore: number): Promise<number>;
  /** Durably stores a small text under a key beside the blobs, for what must survive a restore of the database. */
  keepNote(key: string, text: string): Promise<void>;
  notes(): AsyncIterable<{ readonly key: string; readonly text: string }>;
  /** The kind of store and its free space; null where that is not known. */
  describe(): Promise<{ readonly kind: string; readonly freeBytes: number | null }>;
  /** Resolves when the store can accept bytes now. */
  check(): Promise<void>;
  /** null where only this program can reach the bytes. */
  readonly links: BlobLinks | null;
}

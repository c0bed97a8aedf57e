/**
 * The blob store: bytes under a key, durable and immutable.
 *
 * The contract, which `test/contracts/blobs.ts` runs against every adapter:
 * - `put` resolves only when all bytes are on stable storage under the key; nobody ever finds a part of them there.
 *   A source that fails or is destroyed leaves nothing behind under the key, and a failed `put` destroys its source.
 *   Where the store gave no response, all bytes may yet be there in the end: an orphan, which upkeep sweeps.
 *   A second `put` under a key replaces the first whole.
 * - `remove` of an absent key is no fault.
 * - `open` yields exactly the bytes that were put, or the given range of them (cut at their end); an absent key gives
 *   null.
 * - `lend` gives a file of this machine with exactly the bytes, for programs that read files. It may be the stored one: the
 *   borrower only reads, and gives it back.
 * - `list` yields every key at least once if it was there during the whole listing.
 * - A store belongs to one instance, which claims it. Of two that claim at once, one gets it, and both are given its id.
 * - `discard` moves a blob to the trash, where only the methods of the trash find it. Neither the trash nor the owner's
 *   mark is ever listed as a blob.
 * - `links.to` gives an address at which anybody gets the whole bytes or a range of them until it expires; an absent key
 *   gives null.
 * - Faults arrive as `BlobsFull` or `BlobsUnavailable`; anything else is an internal error. Every call ends: no store
 *   may wait for a response without end.
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

/** The store cannot be reached, or refuses us now. What is stored is not lost: a later call may find it. */
export class BlobsUnavailable extends Error {
  override readonly name = 'BlobsUnavailable';
}

/** How the bytes behind a link call themselves: the address is public, the store's own words are not. */
export interface LinkTerms {
  readonly expiresInSeconds: number;
  readonly contentType: string;
  readonly contentDisposition: string;
}

/** Addresses at which the store itself gives the bytes out. */
export interface BlobLinks {
  /** Where they lead to, as a browser names it. */
  readonly origin: string;
  to(key: string, terms: LinkTerms): Promise<string | null>;
}

export interface BlobStore {
  put(key: string, source: Readable): Promise<{ sizeBytes: number }>;
  /** As `put`, of bytes that are at hand. They must stay as they are until it settles. */
  putBytes(key: string, bytes: Buffer): Promise<void>;
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  lend(key: string): Promise<LentFile | null>;
  size(key: string): Promise<number | null>;
  remove(key: string): Promise<void>;
  /** As `remove`, with all that the store keeps of it: earlier versions, and what is in the trash. Durable. */
  erase(key: string): Promise<void>;
  list(): AsyncIterable<BlobEntry>;
  /** The id of the instance whose blobs these are; null: nobody has claimed them. */
  owner(): Promise<string | null>;
  /** Claims a store without an owner, or, with `replace`, any. Resolves with the id of its owner from now on. */
  claim(instance: string, options?: { readonly replace: boolean }): Promise<string>;
  /** To the trash; an absent key is no fault. */
  discard(key: string): Promise<void>;
  /** Back from the trash; false: it is not there. */
  recover(key: string): Promise<boolean>;
  /** The trash; `modifiedAt` is when a blob got there. */
  listDiscarded(): AsyncIterable<BlobEntry>;
  /** Removes for good what got into the trash before the given time. Returns how many. */
  sweepDiscarded(discardedBefore: number): Promise<number>;
  /** Removes leftovers of writes that a crash cut off and that began before the given time. */
  sweepUnfinished(startedBefore: number): Promise<number>;
  /** Keeps a small text under a key beside the blobs, durably: what must survive a restore of the database. */
  keepNote(key: string, text: string): Promise<void>;
  notes(): AsyncIterable<string>;
  /** What it is, and the room that is left; null where that is not known. */
  describe(): Promise<{ readonly kind: string; readonly freeBytes: number | null }>;
  /** Resolves when the store can take bytes now. */
  check(): Promise<void>;
  /** null where only this program can reach the bytes. */
  readonly links: BlobLinks | null;
}

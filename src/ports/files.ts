/** What the store knows about files and the variants made from them. For their bytes, see blobs.ts. */

import type { StoredFile } from '../model/file.js';
import type { Variant } from '../model/image.js';
import type { SweepReport } from '../model/orphans.js';
import type { Reach } from '../model/reach.js';
import type { Page } from './scopes.js';

export interface FileStore {
  /** Finds tombstones too. */
  find(reach: Reach, id: string): Promise<StoredFile | null>;
  /** In any account: for requests with a token for this very file, and for upkeep. */
  findAny(id: string): Promise<StoredFile | null>;
  markDeleted(id: string, deletedAt: number): Promise<void>;
  /** Files that are not deleted, across all accounts, in id order. */
  list(page: Page): Promise<readonly StoredFile[]>;
  /** Tombstones whose bytes may still be in the blob store. */
  listUnremoved(limit: number): Promise<readonly StoredFile[]>;
  forgetBlobs(ids: readonly string[]): Promise<void>;
  /** Those of the blob keys that a file or a variant refers to, including rows whose bytes are still to be removed. */
  referenced(blobKeys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Remembers what the last sweep for orphans found and did. */
  noteSweep(report: SweepReport): Promise<void>;
  lastSweep(): Promise<SweepReport | null>;
}

/** `gone`: the file is deleted, and nothing was stored. `taken`: another request was faster. */
export type Kept = 'kept' | 'taken' | 'gone';

/** Transformed images. They are removed with their file: what removes the file marks them as removed. */
export interface VariantStore {
  find(fileId: string, recipe: string): Promise<Variant | null>;
  /**
   * Stores all of them in one transaction and returns what became of each. Only the `maxPerFile` most recently used
   * variants of a file stay; the others are marked as removed.
   */
  keep(variants: readonly Variant[], maxPerFile: number): Promise<readonly Kept[]>;
  touch(blobKey: string, usedAt: number): Promise<void>;
  totalBytes(): Promise<number>;
  /** Marks the least recently used as removed until the rest has at most `maxTotalBytes`. */
  trim(maxTotalBytes: number, now: number): Promise<void>;
  markRemoved(blobKey: string, now: number): Promise<void>;
  /** The keys of variants that are marked as removed and whose bytes may still be in the blob store. */
  listUnremoved(limit: number): Promise<readonly string[]>;
  forget(blobKeys: readonly string[]): Promise<void>;
}

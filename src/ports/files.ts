/** What the store knows of files and of the images made from them. Their bytes: blobs.ts. */

import type { StoredFile } from '../model/file.js';
import type { Variant } from '../model/image.js';
import type { SweepReport } from '../model/orphans.js';
import type { Reach } from '../model/reach.js';
import type { Page } from './scopes.js';

export interface FileStore {
  /** Also tombstones. */
  find(reach: Reach, id: string): Promise<StoredFile | null>;
  /** Of any account: for those who hold a token of this very file, and for upkeep. */
  findAny(id: string): Promise<StoredFile | null>;
  markDeleted(id: string, deletedAt: number): Promise<void>;
  /** Those that are not deleted, of all accounts, in the order of their ids. */
  list(page: Page): Promise<readonly StoredFile[]>;
  /** Tombstones whose bytes may still be in the blob store. */
  listUnremoved(limit: number): Promise<readonly StoredFile[]>;
  forgetBlobs(ids: readonly string[]): Promise<void>;
  /** Of these blob keys, those that a file or a variant refers to, be it a row whose bytes are still to be removed. */
  referenced(blobKeys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Remembers what the last sweep for orphans found and did. */
  noteSweep(report: SweepReport): Promise<void>;
  lastSweep(): Promise<SweepReport | null>;
}

/** `gone`: the file is deleted, and nothing was kept. `taken`: somebody else was faster. */
export type Kept = 'kept' | 'taken' | 'gone';

/** Transformed images. They go with their file: what removes the file marks them as removed. */
export interface VariantStore {
  find(fileId: string, recipe: string): Promise<Variant | null>;
  /**
   * What became of each, all of them in one transaction. Of the variants of a file only the `maxPerFile` most recently
   * used stay; the others are marked as removed.
   */
  keep(variants: readonly Variant[], maxPerFile: number): Promise<readonly Kept[]>;
  touch(blobKey: string, usedAt: number): Promise<void>;
  totalBytes(): Promise<number>;
  /** Marks the least recently used as removed until the rest has at most so many bytes. */
  trim(maxTotalBytes: number, now: number): Promise<void>;
  markRemoved(blobKey: string, now: number): Promise<void>;
  /** The keys of those that are marked as removed and whose bytes may still be in the blob store. */
  listUnremoved(limit: number): Promise<readonly string[]>;
  forget(blobKeys: readonly string[]): Promise<void>;
}

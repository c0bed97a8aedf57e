/** Compares file rows with stored files in both directions. Works in pages, so that memory does not grow with their number. */
import type { Clock } from '../../kernel/clock.js';
import type { DescribedBlob } from '../../model/blob.js';
import { orphanAgeMs } from '../../model/orphans.js';
import type { BlobEntry, BlobStore } from '../../ports/blobs.js';
import type { Store } from '../../ports/store.js';
import { filePages } from './carrying.js';

export type VerifyPhase = 'rows' | 'files' | 'trash';

export interface Examples {
  readonly count: number;
  /** The first ones found. */
  readonly examples: readonly string[];
}

export interface Verification {
  /** Uploaded files in the database. */
  readonly rows: number;
  /** Stored files, image variants included. */
  readonly files: number;
  /** Ids of uploads whose bytes are lost. */
  readonly missing: Examples;
  /** Ids of uploads whose bytes were moved back from the trash. */
  readonly restored: Examples;
  /** Keys of stored files without a row, older than an hour. */
  readonly orphans: Examples;
  /** Younger stored files without a row: they may be uploads in progress. */
  readonly youngWithoutRow: number;
  /** Keys of files in the trash. */
  readonly trash: Examples;
  /** How many of these a row refers to. */
  readonly trashNeeded: number;
}

export interface VerifyRequest {
  readonly store: Pick<Store, 'files'>;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  /** Moves files that rows refer to back from the trash. */
  readonly restore: boolean;
  /** Moves files without a row to the trash, however many there are. */
  readonly discardOrphans: boolean;
  readonly maxExamples: number;
  onProgress(phase: VerifyPhase, done: number): void;
}

const pageLength = 200;
/** With files in a bucket, each look is a request. */
const looksAtOnce = 20;

export async function verifyFiles(request: VerifyRequest): Promise<Verification> {
  const { store, blobs, clock, onProgress } = request;
  const collect = () => createExamples(request.maxExamples);
  const [missing, restored, orphans, trash] = [collect(), collect(), collect(), collect()];
  let [rows, files, youngWithoutRow, trashNeeded] = [0, 0, 0, 0];

  const look = async (file: DescribedBlob): Promise<'stored' | 'missing' | 'restored'> => {
    if ((await blobs.size(file.key)) !== null) return 'stored';
    if (request.restore && (await blobs.recover(file.key))) return 'restored';
    // It may have been deleted since its row was read.
    const current = await store.files.findAny(file.id);
    return current?.deletedAt === null ? 'missing' : 'stored';
  };
  for await (const page of filePages(store)) {
    for (let from = 0; from < page.length; from += looksAtOnce) {
      const some = page.slice(from, from + looksAtOnce);
      for (const [index, found] of (await Promise.all(some.map(look))).entries()) {
        if (found === 'missing') missing.add(some[index]?.id ?? '');
        if (found === 'restored') restored.add(some[index]?.id ?? '');
      }
    }
    rows += page.length;
    onProgress('rows', rows);
  }

  const before = clock.now() - orphanAgeMs;
  for await (const page of pagesOf(blobs.list())) {
    const known = await store.files.referenced(page.map(({ key }) => key));
    for (const { key, modifiedAt } of page) {
      if (known.has(key)) continue;
      if (modifiedAt >= before) {
        youngWithoutRow += 1;
        continue;
      }
      orphans.add(key);
      if (request.discardOrphans) await blobs.discard(key);
    }
    files += page.length;
    onProgress('files', files);
  }

  for await (const page of pagesOf(blobs.listDiscarded())) {
    for (const { key } of page) trash.add(key);
    trashNeeded += (await store.files.referenced(page.map(({ key }) => key))).size;
    onProgress('trash', trash.count);
  }
  return { rows, files, missing, restored, orphans, youngWithoutRow, trash, trashNeeded };
}

function createExamples(max: number) {
  const found = {
    count: 0,
    examples: [] as string[],
    add(one: string): void {
      found.count += 1;
      if (found.examples.length < max) found.examples.push(one);
    },
  };
  return found;
}

async function* pagesOf(entries: AsyncIterable<BlobEntry>): AsyncGenerator<readonly BlobEntry[]> {
  let page: BlobEntry[] = [];
  for await (const entry of entries) {
    if (page.push(entry) < pageLength) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

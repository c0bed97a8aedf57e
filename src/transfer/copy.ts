/**
 * Copies an instance to another place: rows first, then the bytes that they refer to; then both ends are read and
 * compared. The source is not changed. Until the end the target carries a mark, and no process serves it; a copy that was
 * killed continues at the mark.
 */
import { type BlobTotals, blobPages, countBlobs } from '../adapters/sql/copy/blobs.js';
import { carryRows, countAllRows, digestTables, type TableDigest } from '../adapters/sql/copy/carrying.js';
import { type CopyMark, endCopy, markInsert } from '../adapters/sql/copy/mark.js';
import { carryBlob, type Found, forEachBlob, inspectBlob } from '../domain/files/carrying.js';
import { createCloser } from '../kernel/lifecycle.js';
import type { DescribedBlob } from '../model/blob.js';
import { BlobsFull } from '../ports/blobs.js';
import { StoreConflict, StoreFull } from '../ports/store.js';
import {
  CopyRefused,
  claimFiles,
  type End,
  openSource,
  openTarget,
  refuseForeignBlobs,
  sentenceOf,
} from './copy-ends.js';
import { type InstancePlace, isSamePlace, placeName } from './places.js';

export type CopyPhase = 'rows' | 'files' | 'checking rows' | 'checking files';

export interface CopyRequest {
  readonly from: InstancePlace;
  readonly to: InstancePlace;
  /** The value of INLET_SECRET. */
  readonly setSecret: string | null;
  /** Copied files are compared by size, not read again. */
  readonly sizesOnly: boolean;
  onProgress(phase: CopyPhase, done: number, total: number): void;
  onResumed(): void;
}

export interface CopyReport {
  readonly tables: readonly TableDigest[];
  readonly files: number;
  readonly fileBytes: number;
  /** Files and variants whose bytes are missing or damaged at the source: they were not copied. */
  readonly missing: readonly string[];
  readonly damaged: readonly string[];
  readonly filesStay: boolean;
  readonly isResumed: boolean;
  /** Where the source's secret was read; null when INLET_SECRET was set. */
  readonly secretFile: string | null;
}

export async function copyInstance(request: CopyRequest): Promise<CopyReport> {
  const { from, to } = request;
  if (await isSamePlace(from.database, to.database)) {
    throw new CopyRefused(`--from and --to are the same place: ${placeName(to.database)}`);
  }
  const closer = createCloser();
  try {
    return await copy(request, closer);
  } catch (error) {
    throw translated(error, to);
  } finally {
    await closer.close(() => {});
  }
}

function translated(error: unknown, to: InstancePlace): unknown {
  const again = 'run the same command again: it goes on where it was.';
  if (error instanceof StoreFull || error instanceof BlobsFull) {
    const full = error instanceof StoreFull ? to.database : to.files;
    return new CopyRefused(`There is no space left at ${placeName(full)}. Free some, then ${again}`);
  }
  if (error instanceof StoreConflict) {
    return new CopyRefused(
      `${placeName(to.database)} refuses rows (${error.rule}): something else wrote to it, or the source is damaged. ` +
        'Empty it and start again.',
    );
  }
  const sentence = sentenceOf(error);
  return sentence === null
    ? error
    : new CopyRefused(`${sentence.replace(/\.$/, '')}. Once that is fixed, ${again}`);
}

async function copy(request: CopyRequest, closer: ReturnType<typeof createCloser>): Promise<CopyReport> {
  const { from, to, onProgress } = request;
  const source = await openSource(from, request.setSecret, closer);
  const target = await openTarget(to, source, closer);
  const { isResumed } = target;
  if (isResumed) request.onResumed();
  const filesStay = await isSamePlace(from.files, to.files);
  if (!filesStay) await refuseForeignBlobs(to.files, target, source);
  await claimFiles(to.files, target, source);

  const totalRows = await countAllRows(source.engine);
  let rows = isResumed ? await countAllRows(target.engine) : 0;
  onProgress('rows', rows, totalRows);
  const mark = await carryRows({
    source: source.engine,
    target: target.engine,
    mark: target.mark,
    onRows(count) {
      rows += count;
      onProgress('rows', rows, totalRows);
    },
  });
  const files = await countBlobs(target.engine, null);
  if (!filesStay)
    await carryFiles({ source, target, mark, isBegun: target.mark.phase === 'bytes', files, onProgress });
  await target.engine.afterImport();

  const tables = await compareRows(source, target, 2 * totalRows, onProgress);
  const found = await compareFiles({
    source,
    target,
    files,
    onProgress,
    readBytes: !filesStay && !request.sizesOnly,
  });
  await endCopy(target.engine);
  return {
    tables,
    files: files.files - found.missing.length - found.damaged.length,
    fileBytes: files.bytes - found.lostBytes,
    missing: found.missing,
    damaged: found.damaged,
    filesStay,
    isResumed,
    secretFile: source.secretFile,
  };
}

interface Ends {
  readonly source: End;
  readonly target: End;
  readonly files: BlobTotals;
  readonly onProgress: CopyRequest['onProgress'];
}

async function carryFiles(work: Ends & { mark: CopyMark; isBegun: boolean }): Promise<void> {
  const { source, target, mark, files, onProgress } = work;
  let bytes = files.bytes - (await countBlobs(target.engine, mark)).bytes;
  const carry = async (blob: DescribedBlob): Promise<void> => {
    // A key has all its bytes or does not exist, so what arrived before the copy was killed is not copied again.
    const isThere = work.isBegun && (await target.blobs.size(blob.key)) === blob.sizeBytes;
    // The comparison reports what the source does not have, because it also sees that after a copy was killed and resumed.
    if (!isThere) await carryBlob(source.blobs, target.blobs, blob);
    bytes += blob.sizeBytes;
    onProgress('files', bytes, files.bytes);
  };
  // Few and small, and kept whole or not at all: a copy that goes on carries them again.
  for await (const { key, text } of source.blobs.notes()) await target.blobs.keepNote(key, text);
  for await (const { blobs, end } of blobPages(target.engine, mark)) {
    await forEachBlob(blobs, carry);
    await target.engine.insertBatch([markInsert({ ...mark, ...end })]);
  }
}

/** Reads both ends completely, at the same time. */
async function compareRows(
  source: End,
  target: End,
  total: number,
  onProgress: CopyRequest['onProgress'],
): Promise<readonly TableDigest[]> {
  let done = 0;
  const count = (rows: number): void => {
    done += rows;
    onProgress('checking rows', done, total);
  };
  const [there, here] = await Promise.all([
    digestTables(source.engine, target.engine, count),
    digestTables(target.engine, target.engine, count),
  ]);
  const wrong = there.flatMap((wanted, index) => {
    const found = here[index];
    if (!found || found.rows !== wanted.rows) {
      return [`${wanted.table}: ${wanted.rows} rows at the source, ${found?.rows ?? 0} in the copy`];
    }
    return found.digest === wanted.digest ? [] : [`${wanted.table}: rows differ`];
  });
  if (wrong.length > 0) throw new CopyRefused(differ(wrong));
  return here;
}

const differ = (wrong: readonly string[]): string =>
  `The copy differs from its source (${wrong.slice(0, 5).join('; ')}): the source changed meanwhile, or a disk is faulty. ` +
  'Empty the target and copy again.';

interface ComparedFiles {
  readonly missing: readonly string[];
  readonly damaged: readonly string[];
  readonly lostBytes: number;
}

async function compareFiles(work: Ends & { readBytes: boolean }): Promise<ComparedFiles> {
  const { source, target, files, onProgress } = work;
  const missing: string[] = [];
  const damaged: string[] = [];
  const wrong: string[] = [];
  let bytes = 0;
  let lostBytes = 0;
  const look = async (blob: DescribedBlob): Promise<Found> => {
    if (work.readBytes) return inspectBlob(target.blobs, blob);
    const sizeBytes = await target.blobs.size(blob.key);
    if (sizeBytes === null) return 'missing';
    return sizeBytes === blob.sizeBytes ? 'whole' : 'damaged';
  };
  const compare = async (blob: DescribedBlob): Promise<void> => {
    bytes += blob.sizeBytes;
    onProgress('checking files', bytes, files.bytes);
    if ((await look(blob)) === 'whole') return;
    lostBytes += blob.sizeBytes;
    const atSource = await inspectBlob(source.blobs, blob);
    if (atSource === 'missing') missing.push(blob.id);
    else if (atSource === 'damaged') damaged.push(blob.id);
    else wrong.push(`file ${blob.id}`);
  };
  for await (const { blobs } of blobPages(target.engine, null)) await forEachBlob(blobs, compare);
  if (wrong.length > 0) throw new CopyRefused(differ(wrong));
  return { missing, damaged, lostBytes };
}

/** The blobs that the rows of an instance refer to, in key order, for copying them elsewhere. */
import { sql } from 'kysely';
import type { DescribedBlob } from '../../../model/blob.js';
import type { SqlEngine, SqlValue } from '../engine.js';
import { referencedKeys } from '../rows/files.js';

/** The tables that refer to blobs, in the order in which they are copied. */
export const blobTables = ['files', 'image_variants'] as const;

/** Small, so that a killed copy repeats little. */
const pageLength = 100;

/** A position in the order of all blobs. `after` is null before the first blob of the table. */
export interface BlobPlace {
  readonly table: string;
  readonly after: readonly SqlValue[] | null;
}

/** Leaves out files that are marked as deleted: they have bytes only until upkeep removes them. */
const filesWithBytes = ({ read }: SqlEngine, after: string) =>
  read
    .selectFrom('files')
    .where('deleted_at', 'is', null)
    .where('blob_key', 'is not', null)
    .where('id', '>', after);

const variantsWithBytes = ({ read }: SqlEngine, after: string) =>
  read.selectFrom('image_variants').where('removed_at', 'is', null).where('blob_key', '>', after);

async function readPage(
  engine: SqlEngine,
  table: (typeof blobTables)[number],
  after: string,
): Promise<readonly DescribedBlob[]> {
  const rows =
    table === 'files'
      ? await filesWithBytes(engine, after)
          .select(['id', 'blob_key', 'size_bytes', 'sha256'])
          .orderBy('id')
          .limit(pageLength)
          .execute()
      : await variantsWithBytes(engine, after)
          .select(['blob_key as id', 'blob_key', 'size_bytes', 'sha256'])
          .orderBy('blob_key')
          .limit(pageLength)
          .execute();
  return rows.map((row) => ({
    id: row.id,
    key: row.blob_key ?? '',
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
  }));
}

/** Where to continue in each table that is not done yet. */
const remaining = (from: BlobPlace | null) => {
  const names: readonly string[] = blobTables;
  const begun = from === null ? 0 : Math.max(0, names.indexOf(from.table));
  return blobTables
    .slice(begun)
    .map((table) => ({ table, after: table === from?.table ? String(from.after?.[0] ?? '') : '' }));
};

/** Yields page after page, each with the position at which it ends. */
export async function* blobPages(
  engine: SqlEngine,
  from: BlobPlace | null,
): AsyncGenerator<{ readonly blobs: readonly DescribedBlob[]; readonly end: BlobPlace }> {
  for (const { table, after } of remaining(from)) {
    for (let last = after; ; ) {
      const blobs = await readPage(engine, table, last);
      const end = blobs.at(-1)?.id;
      if (end === undefined) break;
      last = end;
      yield { blobs, end: { table, after: [end] } };
    }
  }
}

export interface BlobTotals {
  readonly files: number;
  readonly bytes: number;
}

const countedAtOnce = 50_000;

/** Counts in steps, like `countRows` in carrying.ts. */
export async function countBlobs(engine: SqlEngine, from: BlobPlace | null): Promise<BlobTotals> {
  const total = { files: 0, bytes: 0 };
  for (const { table, after } of remaining(from)) {
    for (let last = after; ; ) {
      const page =
        table === 'files'
          ? filesWithBytes(engine, last).select(['id', 'size_bytes']).orderBy('id').limit(countedAtOnce)
          : variantsWithBytes(engine, last)
              .select(['blob_key as id', 'size_bytes'])
              .orderBy('blob_key')
              .limit(countedAtOnce);
      const { rows } = await sql<{ files: number; bytes: number; end: string | null }>`
        SELECT count(*) AS files, coalesce(sum(size_bytes), 0) AS bytes, max(id) AS "end"
        FROM (${page}) AS page`.execute(engine.read);
      total.files += Number(rows[0]?.files ?? 0);
      total.bytes += Number(rows[0]?.bytes ?? 0);
      const end = rows[0]?.end ?? null;
      if (end === null) break;
      last = end;
    }
  }
  return total;
}

/** Returns the keys that no row of the instance refers to. */
export async function unknownKeys({ read }: SqlEngine, keys: readonly string[]): Promise<readonly string[]> {
  const known = await referencedKeys(read, keys);
  return keys.filter((key) => !known.has(key));
}

/** Stored image variants as rows. */
import { type Kysely, sql } from 'kysely';
import type { Variant } from '../../../model/image.js';
import type { Kept, VariantStore } from '../../../ports/files.js';
import { prepared, runBatch, type SqlContext } from '../context.js';
import type { SqlEngine } from '../engine.js';
import { mapped } from '../mapping.js';
import type { Schema } from '../schema.js';

const variants = mapped<Variant>()('blobKey fileId recipe mimeType sizeBytes sha256 createdAt usedAt');

/** Call it inside the transaction that deletes their files. */
export async function markVariantsRemoved(
  db: Kysely<Schema>,
  fileIds: readonly string[],
  removedAt: number,
): Promise<void> {
  if (fileIds.length === 0) return;
  await db
    .updateTable('image_variants')
    .set({ removed_at: removedAt })
    .where('file_id', 'in', fileIds)
    .where('removed_at', 'is', null)
    .execute();
}

// One round trip to the database: a client is waiting for the image.
const insertUnlessGone = ({ rowLock }: SqlEngine): string => `INSERT INTO image_variants
    (${variants.columns.join(', ')})
  SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM files WHERE id = ? AND deleted_at IS NULL ${rowLock})
  ON CONFLICT DO NOTHING`;
// SQLite supports OFFSET only after a LIMIT.
const removeBeyond = `UPDATE image_variants SET removed_at = ? WHERE blob_key IN (
    SELECT blob_key FROM image_variants WHERE file_id = ? AND removed_at IS NULL
    ORDER BY used_at DESC, blob_key DESC LIMIT 1000000 OFFSET ?)
  AND EXISTS (SELECT 1 FROM image_variants WHERE blob_key = ?)`;

const variantByRecipe = ({ read }: SqlContext) =>
  prepared(read, () =>
    read
      .selectFrom('image_variants')
      .selectAll()
      .where('file_id', '=', '')
      .where('recipe', '=', '')
      .where('removed_at', 'is', null),
  );

export const variantStore = (context: SqlContext, byRecipe = variantByRecipe(context)): VariantStore => ({
  async find(fileId, recipe) {
    const row = await byRecipe(fileId, recipe);
    return row ? variants.toNoun(row) : null;
  },

  async keep(made, maxPerFile) {
    const [inserted] = await runBatch(context, [
      {
        sql: insertUnlessGone(context.engine),
        rows: made.map((variant) => [...variants.values(variant), variant.fileId]),
      },
      {
        sql: removeBeyond,
        rows: made.map(({ usedAt, fileId, blobKey }) => [usedAt, fileId, maxPerFile, blobKey] as const),
      },
    ]);
    const whyNot = async ({ fileId }: Variant): Promise<Kept> => {
      const file = await context.read
        .selectFrom('files')
        .select('deleted_at')
        .where('id', '=', fileId)
        .executeTakeFirst();
      return !file || file.deleted_at !== null ? 'gone' : 'taken';
    };
    const results: Kept[] = [];
    for (const [index, variant] of made.entries()) {
      results.push(inserted?.changes[index] === 1 ? 'kept' : await whyNot(variant));
    }
    return results;
  },

  async touch(blobKey, usedAt) {
    await context.write
      .updateTable('image_variants')
      .set({ used_at: usedAt })
      .where('blob_key', '=', blobKey)
      .where('used_at', '<', usedAt)
      .execute();
  },

  async totalBytes() {
    const row = await context.read
      .selectFrom('image_variants')
      .select((e) => e.fn.sum<number>('size_bytes').as('bytes'))
      .where('removed_at', 'is', null)
      .executeTakeFirst();
    return Number(row?.bytes ?? 0);
  },

  async trim(maxTotalBytes, now) {
    await sql`UPDATE image_variants SET removed_at = ${now} WHERE blob_key IN (
      SELECT blob_key FROM (
        SELECT blob_key, SUM(size_bytes) OVER (ORDER BY used_at DESC, blob_key DESC) AS bytes_so_far
        FROM image_variants WHERE removed_at IS NULL
      ) AS ranked WHERE bytes_so_far > ${maxTotalBytes}
    )`.execute(context.write);
  },

  async markRemoved(blobKey, now) {
    await context.write
      .updateTable('image_variants')
      .set({ removed_at: now })
      .where('blob_key', '=', blobKey)
      .where('removed_at', 'is', null)
      .execute();
  },

  async listUnremoved(limit) {
    const rows = await context.read
      .selectFrom('image_variants')
      .select('blob_key')
      .where('removed_at', 'is not', null)
      .limit(limit)
      .execute();
    return rows.map((row) => row.blob_key);
  },

  async forget(blobKeys) {
    if (blobKeys.length === 0) return;
    await context.write
      .deleteFrom('image_variants')
      .where('blob_key', 'in', blobKeys)
      .where('removed_at', 'is not', null)
      .execute();
  },
});

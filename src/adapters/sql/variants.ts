/** Kept image variants as rows. */
import { type Kysely, sql } from 'kysely';
import type { Variant } from '../../model/image.js';
import type { VariantStore } from '../../ports/store.js';
import { atomically, type SqlContext } from './context.js';
import type { Schema, VariantRow } from './schema.js';

const toVariant = (row: VariantRow): Variant => ({
  fileId: row.file_id,
  recipe: row.recipe,
  mimeType: row.mime_type,
  sizeBytes: row.size_bytes,
  sha256: row.sha256,
  blobKey: row.blob_key,
  createdAt: row.created_at,
  usedAt: row.used_at,
});

/** Inside the transaction that takes their files away. */
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

export const variantStore = (context: SqlContext): VariantStore => ({
  async find(fileId, recipe) {
    const row = await context.read
      .selectFrom('image_variants')
      .selectAll()
      .where('file_id', '=', fileId)
      .where('recipe', '=', recipe)
      .where('removed_at', 'is', null)
      .executeTakeFirst();
    return row ? toVariant(row) : null;
  },

  keep: (variant, maxPerFile) =>
    atomically(context, async (db) => {
      const file = await db
        .selectFrom('files')
        .select('deleted_at')
        .where('id', '=', variant.fileId)
        .executeTakeFirst();
      if (!file || file.deleted_at !== null) return 'gone';
      const kept = await db
        .insertInto('image_variants')
        .values({
          blob_key: variant.blobKey,
          file_id: variant.fileId,
          recipe: variant.recipe,
          mime_type: variant.mimeType,
          size_bytes: variant.sizeBytes,
          sha256: variant.sha256,
          created_at: variant.createdAt,
          used_at: variant.usedAt,
          removed_at: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (kept.numInsertedOrUpdatedRows === 0n) return 'taken';
      const tooMany = db
        .selectFrom('image_variants')
        .select('blob_key')
        .where('file_id', '=', variant.fileId)
        .where('removed_at', 'is', null)
        .orderBy('used_at', 'desc')
        .orderBy('blob_key', 'desc')
        // SQLite knows OFFSET only behind a LIMIT.
        .limit(1_000_000)
        .offset(maxPerFile);
      await db
        .updateTable('image_variants')
        .set({ removed_at: variant.usedAt })
        .where('blob_key', 'in', tooMany)
        .execute();
      return 'kept';
    }),

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

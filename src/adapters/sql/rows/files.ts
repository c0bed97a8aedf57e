/** Uploaded files as rows, and their tombstones. */
import { sql } from 'kysely';
import type { StoredFile } from '../../../model/file.js';
import type { SweepReport } from '../../../model/orphans.js';
import type { Reach } from '../../../model/reach.js';
import type { FileStore } from '../../../ports/files.js';
import { atomically, prepared, type SqlContext } from '../context.js';
import { mapped } from '../mapping.js';
import { isOneOf } from '../reach.js';
import type { FileRow } from '../schema.js';
import { findValue, putValue, sweepName } from './instance.js';
import { markVariantsRemoved } from './variants.js';

export const files = mapped<StoredFile>()(
  'id accountId projectId formId submissionId fieldName filename mimeType category sizeBytes sha256 blobKey uploadedAt deletedAt',
);

export const toFile = (row: FileRow): StoredFile => files.toNoun({ ...row, blob_key: row.blob_key ?? '' });

/** What a visitor typed is deleted with the file. The tombstone has only what its 410 and its owner check need. */
export const tombstone = (deletedAt: number) => ({
  deleted_at: deletedAt,
  filename: '',
  field_name: '',
  sha256: '',
});

const fileById = (db: SqlContext['read'], id = '') =>
  db
    .selectFrom('files')
    .leftJoin('forms', 'forms.id', 'files.form_id')
    .selectAll('files')
    .select('forms.deleted_at as form_deleted_at')
    .where('files.id', '=', id);

const inProjects = (db: SqlContext['read'], reach: Reach, id: string) =>
  fileById(db, id)
    .where('files.account_id', '=', reach.accountId)
    .where(isOneOf(reach, sql`coalesce(forms.project_id, files.project_id)`));

/** Files of a deleted form count as deleted at once, although their tombstones are made in the background. */
const toFound = (row: (FileRow & { form_deleted_at: number | null }) | undefined): StoredFile | null =>
  row ? toFile({ ...row, deleted_at: row.deleted_at ?? row.form_deleted_at }) : null;

/** Returns the keys that a file or a variant refers to. */
export async function referencedKeys(
  db: SqlContext['read'],
  blobKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (blobKeys.length === 0) return new Set();
  const rows = await db
    .selectFrom('files')
    .select('blob_key')
    .where('blob_key', 'in', blobKeys)
    .unionAll(db.selectFrom('image_variants').select('blob_key').where('blob_key', 'in', blobKeys))
    .execute();
  return new Set(rows.flatMap((row) => (row.blob_key === null ? [] : [row.blob_key])));
}

/** Call it inside a transaction. */
export async function buryFiles(
  db: SqlContext['write'],
  ids: readonly string[],
  deletedAt: number,
): Promise<void> {
  await db
    .updateTable('files')
    .set(tombstone(deletedAt))
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute();
  await markVariantsRemoved(db, ids, deletedAt);
}

export const fileStore = (
  context: SqlContext,
  ofAccount = prepared(context.read, () => fileById(context.read).where('files.account_id', '=', '')),
  byId = prepared(context.read, () => fileById(context.read)),
): FileStore => ({
  find: async (reach, id) =>
    toFound(
      reach.projectIds === null
        ? await ofAccount(id, reach.accountId)
        : await inProjects(context.read, reach, id).executeTakeFirst(),
    ),
  findAny: async (id) => toFound(await byId(id)),
  async list({ limit, after }) {
    const rows = await context.read
      .selectFrom('files')
      .selectAll()
      .where('deleted_at', 'is', null)
      .where('id', '>', after ?? '')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(toFile);
  },
  markDeleted: (id, deletedAt) => atomically(context, (db) => buryFiles(db, [id], deletedAt)),
  async listUnremoved(limit) {
    const rows = await context.read
      .selectFrom('files')
      .selectAll()
      .where('deleted_at', 'is not', null)
      .where('blob_key', 'is not', null)
      .limit(limit)
      .execute();
    return rows.map(toFile);
  },
  async forgetBlobs(ids) {
    if (ids.length === 0) return;
    await context.write.updateTable('files').set({ blob_key: null }).where('id', 'in', ids).execute();
  },
  referenced: (blobKeys) => referencedKeys(context.read, blobKeys),
  noteSweep: (report) => putValue(context.write, sweepName, JSON.stringify(report)),
  async lastSweep() {
    const text = await findValue(context.read, sweepName);
    return text === null ? null : (JSON.parse(text) as SweepReport);
  },
});

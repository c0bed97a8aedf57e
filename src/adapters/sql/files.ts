/** Uploaded files as rows, and their tombstones. */
import type { FileCategory, StoredFile } from '../../model/file.js';
import type { SweepReport } from '../../model/orphans.js';
import type { FileStore } from '../../ports/store.js';
import { atomically, prepared, type SqlContext } from './context.js';
import type { SqlValue } from './engine.js';
import type { FileRow } from './schema.js';
import { markVariantsRemoved } from './variants.js';

export const fileColumns = [
  'id',
  'account_id',
  'project_id',
  'form_id',
  'submission_id',
  'field_name',
  'filename',
  'mime_type',
  'category',
  'size_bytes',
  'sha256',
  'blob_key',
  'uploaded_at',
  'deleted_at',
] as const;

export const fileValues = (file: StoredFile): readonly SqlValue[] => [
  file.id,
  file.accountId,
  file.projectId,
  file.formId,
  file.submissionId,
  file.fieldName,
  file.filename,
  file.mimeType,
  file.category,
  file.sizeBytes,
  file.sha256,
  file.blobKey,
  file.uploadedAt,
  file.deletedAt,
];

export const toFile = (row: FileRow): StoredFile => ({
  id: row.id,
  accountId: row.account_id,
  projectId: row.project_id,
  formId: row.form_id,
  submissionId: row.submission_id,
  fieldName: row.field_name,
  filename: row.filename,
  mimeType: row.mime_type,
  category: row.category as FileCategory,
  sizeBytes: row.size_bytes,
  sha256: row.sha256,
  blobKey: row.blob_key ?? '',
  uploadedAt: row.uploaded_at,
  deletedAt: row.deleted_at,
});

/** What a person typed goes with the file; the tombstone keeps only what its 410 and its owner check need. */
export const tombstone = (deletedAt: number) => ({
  deleted_at: deletedAt,
  filename: '',
  field_name: '',
  sha256: '',
});

/** Its name among the values of the instance. A copy leaves it out: it tells of the files at the old place. */
export const sweepName = 'last_sweep';

const fileById = ({ read }: SqlContext) =>
  prepared(read, () =>
    read
      .selectFrom('files')
      .leftJoin('forms', 'forms.id', 'files.form_id')
      .selectAll('files')
      .select('forms.deleted_at as form_deleted_at')
      .where('files.id', '=', ''),
  );

export const fileStore = (context: SqlContext, byId = fileById(context)): FileStore => ({
  async find(id) {
    const row = await byId(id);
    if (!row) return null;
    // A deleted form's files are gone at once, although their tombstones are made in the background.
    return toFile({ ...row, deleted_at: row.deleted_at ?? row.form_deleted_at });
  },
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
  markDeleted: (id, deletedAt) =>
    atomically(context, async (db) => {
      await db
        .updateTable('files')
        .set(tombstone(deletedAt))
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .execute();
      await markVariantsRemoved(db, [id], deletedAt);
    }),
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
  async referenced(blobKeys) {
    if (blobKeys.length === 0) return new Set();
    const rows = await context.read
      .selectFrom('files')
      .select('blob_key')
      .where('blob_key', 'in', blobKeys)
      .unionAll(
        context.read.selectFrom('image_variants').select('blob_key').where('blob_key', 'in', blobKeys),
      )
      .execute();
    return new Set(rows.flatMap((row) => (row.blob_key === null ? [] : [row.blob_key])));
  },
  async noteSweep(report) {
    const value = JSON.stringify(report);
    await context.write
      .insertInto('instance')
      .values({ name: sweepName, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  },
  async lastSweep() {
    const row = await context.read
      .selectFrom('instance')
      .select('value')
      .where('name', '=', sweepName)
      .executeTakeFirst();
    return row ? (JSON.parse(row.value) as SweepReport) : null;
  },
});

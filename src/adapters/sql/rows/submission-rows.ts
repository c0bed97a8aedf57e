/** Turns rows into submissions with their files, for everything that reads submissions. */
import type { Kysely } from 'kysely';
import type { Submission, SubmissionWithFiles } from '../../../model/submission.js';
import type { Schema, SubmissionRow } from '../schema.js';
import { toFile } from './files.js';

const shownColumns = [
  'id',
  'form_id',
  'project_id',
  'data',
  'ip',
  'user_agent',
  'submitted_from',
  'control_fields',
  'files_count',
  'webhook_state',
  'created_at',
] as const satisfies readonly (keyof SubmissionRow)[];

export type ShownRow = Pick<SubmissionRow, (typeof shownColumns)[number]>;

/** For pages of rows: SQLite took a third longer to read all columns. */
export const shownText = shownColumns.map((column) => `submissions.${column}`).join(', ');

const toSubmission = (row: ShownRow): Submission => ({
  id: row.id,
  formId: row.form_id,
  projectId: row.project_id,
  data: row.data,
  metadata: {
    ip: row.ip,
    userAgent: row.user_agent,
    submittedFrom: row.submitted_from,
    controlFields: row.control_fields,
  },
  createdAt: row.created_at,
});

export async function withFiles(
  db: Kysely<Schema>,
  rows: readonly ShownRow[],
): Promise<readonly SubmissionWithFiles[]> {
  const carrying = rows.filter((row) => row.files_count > 0).map((row) => row.id);
  const files =
    carrying.length === 0
      ? []
      : await db
          .selectFrom('files')
          .selectAll()
          .where('submission_id', 'in', carrying)
          .where('deleted_at', 'is', null)
          .orderBy('id')
          .execute();
  return rows.map((row) => ({
    ...toSubmission(row),
    files: row.files_count === 0 ? [] : files.filter((file) => file.submission_id === row.id).map(toFile),
    deliveryState: row.webhook_state,
  }));
}

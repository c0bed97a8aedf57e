/** Pure: everything that one submission writes, its deliveries included. */
import { newId } from '../../kernel/ids.js';
import type { StoredFile } from '../../model/file.js';
import type { Submission, SubmissionMetadata } from '../../model/submission.js';
import type { FormAndProject, NewSubmission } from '../../ports/store.js';
import type { StagedFile } from '../files/staging.js';
import { type Planning, planDeliveries, type Routes } from '../planning/plan.js';

export interface SubmissionContent {
  /** The text of a JSON object. */
  readonly data: string;
  readonly metadata: SubmissionMetadata;
  readonly files: readonly StagedFile[];
  /** Whom the page has copied on the notification, of those that the form allows. */
  readonly copies: readonly string[];
}

export interface SubmissionTarget extends FormAndProject {
  readonly accountId: string;
  readonly routes: Routes;
}

export function planSubmission(
  { form, project, accountId, routes }: SubmissionTarget,
  content: SubmissionContent,
  { now, planning }: { now: number; planning: Planning },
): NewSubmission {
  const submission: Submission = {
    id: newId(now),
    formId: form.id,
    projectId: project.id,
    data: content.data,
    metadata: content.metadata,
    createdAt: now,
  };
  const files: readonly StoredFile[] = content.files.map((file) => ({
    ...file,
    accountId,
    projectId: project.id,
    formId: form.id,
    submissionId: submission.id,
    uploadedAt: now,
    deletedAt: null,
  }));
  const source = { form, project, submission, files };
  const { deliveries, skipped } = planDeliveries(source, routes, planning, content.copies);
  return { submission, files, deliveries, skipped, fields: [], maxSubmissions: null, idempotency: null };
}

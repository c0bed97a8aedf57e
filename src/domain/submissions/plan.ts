/** Pure: everything that one submission writes, its deliveries and mails included. */
import { newId } from '../../kernel/ids.js';
import type { StoredFile } from '../../model/file.js';
import type { Submission, SubmissionMetadata } from '../../model/submission.js';
import type { IntakeForm, NewSubmission } from '../../ports/store.js';
import type { StagedFile } from '../files/staging.js';
import { planMails } from '../mail/plan.js';
import { planDeliveries } from '../webhooks/plan.js';

export interface SubmissionContent {
  /** The text of a JSON object. */
  readonly data: string;
  readonly metadata: SubmissionMetadata;
  readonly files: readonly StagedFile[];
}

export function planSubmission(
  { form, project, accountId }: IntakeForm,
  content: SubmissionContent,
  { now, sendsMail }: { now: number; sendsMail: boolean },
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
  return {
    submission,
    files,
    deliveries: planDeliveries({ form, project, submission, files }),
    mails: sendsMail ? planMails({ form, project, submission }) : [],
    idempotency: null,
  };
}

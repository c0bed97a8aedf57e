/** Plans everything that one submission writes, including its deliveries. Pure. */
import type { DoubleOptIn } from '../../contract/double-opt-in.js';
import { newId } from '../../kernel/ids.js';
import { chooseLanguage } from '../../kernel/language.js';
import { controlOf, controlsIn } from '../../model/fields.js';
import type { StoredFile } from '../../model/file.js';
import type { OptIn } from '../../model/opt-in.js';
import type { Submission, SubmissionMetadata } from '../../model/submission.js';
import type { FormAndProject, NewSubmission } from '../../ports/store.js';
import type { StagedFile } from '../files/staging.js';
import { addressIn } from '../opt-in/address.js';
import { type Planning, planConfirmationMail, planDeliveries, type Routes } from '../planning/plan.js';

export interface SubmissionContent {
  /** The text of a JSON object. */
  readonly data: string;
  readonly metadata: SubmissionMetadata;
  readonly files: readonly StagedFile[];
  /** Addresses that the page copies on the notification, as far as the form allows them. */
  readonly copies: readonly string[];
  /** The languages that the visitor reads, as sent by the browser. */
  readonly acceptLanguage: string | undefined;
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
  const optIn = form.doubleOptIn === null ? null : planOptIn(form.doubleOptIn, content, submission);
  const { deliveries, skipped } =
    optIn === null
      ? planDeliveries(source, routes, planning, content.copies)
      : planConfirmationMail(source, optIn, planning);
  return {
    submission,
    files,
    deliveries,
    skipped,
    fields: [],
    maxSubmissions: null,
    optIn,
    idempotency: null,
  };
}

const dayMs = 86_400_000;

/** Returns null when there is no address, which only happens for what goes into quarantine. */
function planOptIn(
  { field, expires_days: days }: DoubleOptIn,
  { data, metadata, acceptLanguage }: SubmissionContent,
  { id, formId, createdAt }: Submission,
): OptIn | null {
  const address = addressIn(data, field);
  if (address === null) return null;
  const asked = controlOf(controlsIn(metadata.controlFields), 'language');
  return {
    submissionId: id,
    formId,
    address,
    language: chooseLanguage(asked === null ? acceptLanguage : `${asked}, ${acceptLanguage ?? ''}`),
    expiresAt: createdAt + days * dayMs,
    sentAt: null,
    confirmedAt: null,
    ip: null,
    userAgent: null,
  };
}

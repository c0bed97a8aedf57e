/** Pure: which deliveries a submission causes, each with its body text frozen. */
import { isoTime } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { type Delivery, type DeliveryTarget, queues } from '../../model/delivery.js';
import type { StoredFile } from '../../model/file.js';
import type { Form } from '../../model/form.js';
import type { Project } from '../../model/project.js';
import type { Submission } from '../../model/submission.js';

export interface PlannedEvent {
  readonly form: Form;
  readonly project: Project;
  readonly submission: Submission;
  readonly files: readonly StoredFile[];
}

export type EventName = 'submission.created' | 'webhook.test';

/**
 * The webhook's body. The data is put in as the text it is: parsing and writing it again would reorder its keys
 * and round its numbers.
 */
export function eventBody(
  name: EventName,
  {
    form,
    submission,
    files,
  }: {
    form: Pick<Form, 'id' | 'publicId' | 'slug' | 'name'>;
    submission: Submission;
    files: readonly StoredFile[];
  },
): string {
  const at = JSON.stringify(isoTime(submission.createdAt));
  const { metadata } = submission;
  const formText = JSON.stringify({
    id: form.id,
    public_id: form.publicId,
    slug: form.slug,
    name: form.name,
  });
  const filesText = JSON.stringify(
    files.map((file) => ({
      id: file.id,
      field: file.fieldName,
      filename: file.filename,
      type: file.mimeType,
      size: file.sizeBytes,
    })),
  );
  const metadataText = JSON.stringify({
    ip: metadata.ip,
    user_agent: metadata.userAgent,
    submitted_from: metadata.submittedFrom,
  });
  return (
    `{"event":"${name}","timestamp":${at},"form":${formText},` +
    `"submission":{"id":"${submission.id}","data":${submission.data},"files":${filesText},` +
    `"metadata":${metadataText},"created_at":${at}}}`
  );
}

/** However it is spelt. */
export const isSameAddress = (left: string, right: string | null): boolean =>
  left === right || (right !== null && new URL(left).href === new URL(right).href);

export function planDeliveries(event: PlannedEvent): readonly Delivery[] {
  const { form, project, submission } = event;
  const targets: { target: DeliveryTarget; url: string }[] = [];
  if (form.webhookUrl !== null) targets.push({ target: 'form', url: form.webhookUrl });
  // The same receiver named twice gets the event once, however its address is spelt.
  if (project.webhookUrl !== null && !isSameAddress(project.webhookUrl, form.webhookUrl)) {
    targets.push({ target: 'project', url: project.webhookUrl });
  }
  if (targets.length === 0) return [];
  const body = eventBody('submission.created', event);
  return targets.map(({ target, url }) => ({
    id: newId(submission.createdAt),
    submissionId: submission.id,
    formId: form.id,
    projectId: project.id,
    target,
    url,
    body,
    state: 'pending',
    attempt: 0,
    trigger: 'auto',
    queue: queues.first,
    nextAttemptAt: submission.createdAt,
    isInFlight: false,
    createdAt: submission.createdAt,
  }));
}

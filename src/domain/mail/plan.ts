/** Pure: who is told about a submission by mail. */
import { newId } from '../../kernel/ids.js';
import type { Form } from '../../model/form.js';
import type { Mail } from '../../model/mail.js';
import type { Project } from '../../model/project.js';
import type { Submission } from '../../model/submission.js';

/** The form's people and the project's; who is named twice, however it is spelt, gets one. */
export function planMails(event: { form: Form; project: Project; submission: Submission }): readonly Mail[] {
  const { form, project, submission } = event;
  if (form.notifyEmails.length === 0 && project.notifyEmails.length === 0) return [];
  const recipients = new Map<string, string>();
  for (const address of [...form.notifyEmails, ...project.notifyEmails]) {
    const spelling = address.toLowerCase();
    if (!recipients.has(spelling)) recipients.set(spelling, address);
  }
  return Array.from(recipients.values(), (recipient) => ({
    id: newId(submission.createdAt),
    submissionId: submission.id,
    formId: form.id,
    recipient,
    state: 'pending',
    attempt: 0,
    nextAttemptAt: submission.createdAt,
    error: null,
    createdAt: submission.createdAt,
  }));
}

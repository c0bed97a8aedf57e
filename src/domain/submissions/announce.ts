/** Tells live pages of a submission, if there are any: nearly always there are none, and then it costs a look. */
import type { Submission } from '../../model/submission.js';
import type { Signals } from '../../ports/signals.js';

export function announce(signals: Signals, accountId: string, submission: Submission): void {
  if (!signals.isHeard('submission-received')) return;
  const { id: submissionId, formId, projectId, createdAt } = submission;
  signals.publish({ kind: 'submission-received', accountId, projectId, formId, submissionId, createdAt });
}

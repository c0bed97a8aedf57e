/** Notifies live pages of a submission. There are almost always none, and then it costs only a check. */
import type { Submission } from '../../model/submission.js';
import type { Signals } from '../../ports/signals.js';

export function announce(signals: Signals, accountId: string, submission: Submission): void {
  if (!signals.isHeard('submission-received')) return;
  const { id: submissionId, formId, projectId, createdAt } = submission;
  signals.publish({ kind: 'submission-received', accountId, projectId, formId, submissionId, createdAt });
}

/** Double opt-in: which submissions wait for a confirmation, and the evidence of confirmed ones. */

import type { Delivery } from '../model/delivery.js';
import type { OptIn, OptInEvidence } from '../model/opt-in.js';
import type { Reach } from '../model/reach.js';
import type { Submission } from '../model/submission.js';

/** What a confirmation triggers: the same as the commit of an ordinary submission. */
export interface ConfirmedSubmission {
  readonly submission: Pick<Submission, 'id' | 'formId' | 'createdAt'>;
  readonly accountId: string;
  readonly evidence: OptInEvidence;
  readonly deliveries: readonly Delivery[];
  readonly skipped: readonly string[];
  /** How many the form may have, including this one; null for any number. */
  readonly maxSubmissions: number | null;
}

export interface OptInStore {
  find(reach: Reach, submissionId: string): Promise<OptIn | null>;
  /** In any account. */
  load(submissionId: string): Promise<OptIn | null>;
  /** Only the first time counts. */
  noteSent(submissionId: string, at: number): Promise<void>;
  /**
   * In one transaction: the submission leaves its folder, is counted, becomes unread for all users, and its deliveries are
   * queued. Returns false when another confirmation was faster or the submission is gone. `StoreConflict('limit')`: the form
   * would have more than its `maxSubmissions`.
   */
  confirm(confirmed: ConfirmedSubmission): Promise<boolean>;
}

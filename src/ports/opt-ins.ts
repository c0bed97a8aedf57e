/** Double opt-in: which submissions wait for a confirmation, and the evidence of those that have one. */

import type { Delivery } from '../model/delivery.js';
import type { OptIn, OptInEvidence } from '../model/opt-in.js';
import type { Reach } from '../model/reach.js';
import type { Submission } from '../model/submission.js';

/** What a confirmation sets off: what an ordinary submission does when it is committed. */
export interface ConfirmedSubmission {
  readonly submission: Pick<Submission, 'id' | 'formId' | 'createdAt'>;
  readonly accountId: string;
  readonly evidence: OptInEvidence;
  readonly deliveries: readonly Delivery[];
  readonly skipped: readonly string[];
  /** How many the form may have with this one; null: any number. */
  readonly maxSubmissions: number | null;
}

export interface OptInStore {
  find(reach: Reach, submissionId: string): Promise<OptIn | null>;
  /** Whosever it is. */
  load(submissionId: string): Promise<OptIn | null>;
  /** The first time counts. */
  noteSent(submissionId: string, at: number): Promise<void>;
  /**
   * In one transaction: the submission leaves its folder, is counted, unread for everybody, and its deliveries are queued. False:
   * somebody was faster, or it is gone. `StoreConflict('limit')`: the form would have more than its `maxSubmissions`.
   */
  confirm(confirmed: ConfirmedSubmission): Promise<boolean>;
}

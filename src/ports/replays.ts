/** Replays: how far each has come, and what comes next in its scope. */

import type { Delivery } from '../model/delivery.js';
import type { Reach } from '../model/reach.js';
import type { Replay, ReplayScope } from '../model/replay.js';
import type { SubmissionWithFiles } from '../model/submission.js';

export type ReplayItem = Pick<
  Delivery,
  'id' | 'submissionId' | 'formId' | 'projectId' | 'destinationId' | 'kind' | 'target' | 'url'
>;

export interface ReplayPage {
  readonly items: readonly ReplayItem[];
  /** Where the following page begins; null on the last one. */
  readonly afterId: string | null;
}

/** An earlier delivery of a submission to the destination that is to get what it missed. */
export type SentBefore = Pick<
  Delivery,
  'id' | 'submissionId' | 'destinationId' | 'target' | 'formId' | 'projectId' | 'state' | 'url'
>;

export interface MissingPage {
  readonly items: readonly {
    readonly submission: SubmissionWithFiles;
    readonly sent: readonly SentBefore[];
  }[];
  /** Where the following page begins; null on the last one. */
  readonly afterId: string | null;
}

export interface ReplayStore {
  create(replay: Replay): Promise<void>;
  find(reach: Reach, id: string): Promise<Replay | null>;
  /** The last hundred, newest first. */
  list(reach: Reach): Promise<readonly Replay[]>;
  listRunning(): Promise<readonly Replay[]>;
  countRunning(accountId: string): Promise<number>;
  /**
   * Inside a transaction: locks the replay, so that no other process advances it before the transaction ends. Returns false
   * when it is not running or no longer at that place.
   */
  hold(id: string, afterId: string): Promise<boolean>;
  /** Only while it is running. Returns false when it was cancelled. */
  progress(replay: Replay): Promise<boolean>;
  cancel(reach: Reach, id: string, now: number): Promise<boolean>;
  count(scope: ReplayScope): Promise<number>;
  /** The next submissions after the given one, oldest first, with their deliveries to this destination. */
  nextMissing(
    scope: Pick<ReplayScope, 'formId' | 'projectId' | 'since' | 'until'>,
    destinationId: string,
    afterId: string,
  ): Promise<MissingPage>;
  /** The deliveries of the scope among the next `limit` submissions after the given one, oldest first. */
  next(scope: ReplayScope, afterId: string, limit: number): Promise<ReplayPage>;
}

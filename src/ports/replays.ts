/** Replays: how far each has come, and what of its scope comes next. */

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

/** A delivery of a submission to the destination that is to get what it missed. */
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
  /** Newest first, the last hundred. */
  list(reach: Reach): Promise<readonly Replay[]>;
  listRunning(): Promise<readonly Replay[]>;
  /**
   * Inside a transaction: until its end nobody else moves the replay on. False: it is not running, or not at that place
   * any more.
   */
  hold(id: string, afterId: string): Promise<boolean>;
  /** Only while it is running; false: it was cancelled. */
  progress(replay: Replay): Promise<boolean>;
  cancel(reach: Reach, id: string, now: number): Promise<boolean>;
  count(scope: ReplayScope): Promise<number>;
  /** The next submissions after the given one, oldest first, with what was sent of them to this destination. */
  nextMissing(
    scope: Pick<ReplayScope, 'formId' | 'projectId' | 'since' | 'until'>,
    destinationId: string,
    afterId: string,
  ): Promise<MissingPage>;
  /** The deliveries of the scope among the next `limit` submissions after the given one, oldest first. */
  next(scope: ReplayScope, afterId: string, limit: number): Promise<ReplayPage>;
}

/** Replays: how far each has come, and what of its scope comes next. */
import type { Delivery } from '../model/delivery.js';
import type { Replay, ReplayScope } from '../model/replay.js';

export type ReplayItem = Pick<Delivery, 'id' | 'submissionId' | 'formId' | 'target' | 'url'>;

export interface ReplayStore {
  create(replay: Replay): Promise<void>;
  find(accountId: string, id: string): Promise<Replay | null>;
  /** Newest first, the last hundred. */
  list(accountId: string): Promise<readonly Replay[]>;
  listRunning(): Promise<readonly Replay[]>;
  /**
   * Inside a transaction: until its end nobody else moves the replay on. False: it is not running, or not at that place
   * any more.
   */
  hold(id: string, afterId: string): Promise<boolean>;
  /** Only while it is running; false: it was cancelled. */
  progress(replay: Replay): Promise<boolean>;
  cancel(accountId: string, id: string, now: number): Promise<boolean>;
  count(scope: ReplayScope): Promise<number>;
  /**
   * The deliveries of the scope among the next `limit` submissions after the given one, oldest first. `afterId` is
   * where the following page begins; null on the last one.
   */
  next(
    scope: ReplayScope,
    afterId: string,
    limit: number,
  ): Promise<{ items: readonly ReplayItem[]; afterId: string | null }>;
}

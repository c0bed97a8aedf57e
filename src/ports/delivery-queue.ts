/**
 * The queue of deliveries, as the dispatcher drives it.
 *
 * The contract, which `test/contracts/store/queue.ts` runs against every adapter:
 * - `runCycle` is one transaction: it records all results, releases all leases, ends those of unconfirmed claims, then
 *   claims what is due. It is synced before it resolves. When it rejects, it may have been done all the same.
 * - A result and a release count only while their token is the row's. Without the lease they change nothing, and are
 *   reported as lost.
 * - A row is claimed only when it is due, the earliest first, and is returned as it is at that moment. Of two processes that
 *   want a row one gets it, and neither waits for the other. A row whose lease has ended is due, even if the lease was ours.
 * - Recording the end of an attempt also sets the state of its submission.
 * - Nothing is ever found by walking past rows that are not due.
 */
import type { Attempt, Delivery, Lane, Settled } from '../model/delivery.js';

/** The first row of a lane. */
export interface QueueHead extends Lane {
  readonly dueAt: number;
}

export interface QueuePick extends Lane {
  readonly limit: number;
}

export interface QueueFinds {
  /**
   * Those that were due, claimed: in the order in which they became due, at most as many as the pick's limit. They are
   * as they were before: `nextAttemptAt` is when they became due, `isInFlight` says that an attempt before has no result:
   * its lease ended, its process died, or it was cut off. It may have arrived.
   */
  readonly due: readonly Delivery[];
  /**
   * When the lane has something again, the claimed included with the end of their lease; null when nothing is left in it.
   * Not after `now`: there is more than the limit, or another process is just claiming it.
   */
  readonly nextDueAt: number | null;
}

export interface AttemptRecord {
  readonly deliveryId: string;
  readonly submissionId: string;
  readonly token: string;
  readonly settled: Settled;
  /** Where it went, as its owner sees it. */
  readonly url: string;
  readonly attempt: Attempt;
}

/** For an attempt that was never made, or that we cut off ourselves: as if the row had not been claimed. */
export interface LeaseRelease {
  readonly deliveryId: string;
  readonly token: string;
  readonly nextAttemptAt: number;
  /** It may have arrived all the same. */
  readonly isCutOff: boolean;
}

/** What a failed cycle may have claimed in one lane: nobody is sending it. */
export interface UnconfirmedClaim extends Lane {
  readonly token: string;
  readonly until: number;
}

export interface QueueCycle {
  readonly records: readonly AttemptRecord[];
  readonly releases: readonly LeaseRelease[];
  /** Their leases end now, if there are any: the rows are due. */
  readonly unconfirmed: readonly UnconfirmedClaim[];
  /** Each lane at most once. */
  readonly picks: readonly QueuePick[];
  readonly lease: { readonly token: string; readonly owner: string; readonly until: number };
  readonly now: number;
}

export interface CycleOutcome {
  /** One for each pick, in their order. */
  readonly found: readonly QueueFinds[];
  /** The ids of records and releases that came too late: the row is not ours any more. */
  readonly lost: readonly string[];
}

/** A row's place in the order of the queue. */
export interface QueuePlace extends QueueHead {
  readonly id: string;
}

export type WaitingDelivery = Pick<
  Delivery,
  | 'id'
  | 'destinationId'
  | 'kind'
  | 'formId'
  | 'projectId'
  | 'target'
  | 'url'
  | 'attempt'
  | 'extraAttempts'
  | 'heldUntil'
> & { readonly dueAt: number };

export interface WaitingPage {
  /** Without those that are being sent. */
  readonly waiting: readonly WaitingDelivery[];
  /** Where the next page begins; null: it was the last one. */
  readonly next: QueuePlace | null;
}

/** A row that is still as it was seen comes to another time. */
export interface PullBack {
  readonly seen: Pick<WaitingDelivery, 'id' | 'attempt' | 'dueAt'>;
  readonly dueAt: number;
}

export interface DeliveryQueue {
  heads(): Promise<readonly QueueHead[]>;
  runCycle(cycle: QueueCycle): Promise<CycleOutcome>;
  /** Frees at once what a dead process had claimed; null: all of it. Returns how many. */
  recover(owner: string | null, now: number): Promise<number>;
  /**
   * A step: what processes of the release before have queued where only they look comes in, without what they are
   * sending. Returns how many.
   */
  takeIn(now: number): Promise<number>;
  /** A page of all that waits, in the order of the queue; null: the first one. */
  listWaiting(after: QueuePlace | null): Promise<WaitingPage>;
  /** Returns how many were as they had been seen. */
  pullBack(rows: readonly PullBack[]): Promise<number>;
}

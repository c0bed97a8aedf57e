/**
 * The queue of deliveries, as the dispatcher drives it.
 *
 * The contract, which `test/contracts/store/queue.ts` runs against every adapter:
 * - `runCycle` is one transaction: it records all results, releases all leases, ends those of unconfirmed claims, then
 *   claims what is due. It is synced before it resolves. When it rejects, it may have been committed all the same.
 * - A result or a release counts only while the row still has its token. Without the lease it changes nothing and is
 *   reported as lost.
 * - A row is claimed only when it is due, earliest first, and is returned as it is at that moment. When two processes want a
 *   row, one gets it, and neither waits for the other. A row whose lease has expired is due, even if the lease was ours.
 * - Recording the end of an attempt also sets the state of its submission.
 * - No query ever scans past rows that are not due.
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
   * The rows that were due, now claimed: in the order in which they became due, up to the pick's limit. They are returned as
   * they were before: `nextAttemptAt` is when they became due, and `isInFlight` means that an earlier attempt has no result,
   * because its lease expired, its process died, or it was cut off. That attempt may have arrived.
   */
  readonly due: readonly Delivery[];
  /**
   * When the lane next has something due; claimed rows count with the end of their lease. null when the lane is empty. A time
   * not after `now` means that there is more than the limit, or that another process is claiming it right now.
   */
  readonly nextDueAt: number | null;
}

export interface AttemptRecord {
  readonly deliveryId: string;
  readonly submissionId: string;
  readonly token: string;
  readonly settled: Settled;
  /** Where it was sent, as its owner sees it. */
  readonly url: string;
  readonly attempt: Attempt;
}

/** For an attempt that was never made, or that we cut off ourselves: the row is as if it had not been claimed. */
export interface LeaseRelease {
  readonly deliveryId: string;
  readonly token: string;
  readonly nextAttemptAt: number;
  /** The attempt may have arrived all the same. */
  readonly isCutOff: boolean;
}

/** What a failed cycle may have claimed in one lane. No process is sending it. */
export interface UnconfirmedClaim extends Lane {
  readonly token: string;
  readonly until: number;
}

export interface QueueCycle {
  readonly records: readonly AttemptRecord[];
  readonly releases: readonly LeaseRelease[];
  /** Their leases, if there are any, end now: the rows are due. */
  readonly unconfirmed: readonly UnconfirmedClaim[];
  /** Each lane at most once. */
  readonly picks: readonly QueuePick[];
  readonly lease: { readonly token: string; readonly owner: string; readonly until: number };
  readonly now: number;
}

export interface CycleOutcome {
  /** One for each pick, in the same order. */
  readonly found: readonly QueueFinds[];
  /** The delivery ids of records and releases that came too late: the row is no longer ours. */
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
  /** Without deliveries that are being sent. */
  readonly waiting: readonly WaitingDelivery[];
  /** Where the next page begins; null on the last one. */
  readonly next: QueuePlace | null;
}

/** Moves a row to another time if it is still as it was seen. */
export interface PullBack {
  readonly seen: Pick<WaitingDelivery, 'id' | 'attempt' | 'dueAt'>;
  readonly dueAt: number;
}

export interface DeliveryQueue {
  heads(): Promise<readonly QueueHead[]>;
  runCycle(cycle: QueueCycle): Promise<CycleOutcome>;
  /** Frees what a dead process had claimed, without waiting for the leases; with null, all claims. Returns how many. */
  recover(owner: string | null, now: number): Promise<number>;
  /**
   * One step: takes over what processes of the previous release queued where only they look, except what they are
   * sending. Returns how many.
   */
  takeIn(now: number): Promise<number>;
  /** A page of all waiting deliveries, in queue order; null for the first one. */
  listWaiting(after: QueuePlace | null): Promise<WaitingPage>;
  /** Returns how many were still as they had been seen. */
  pullBack(rows: readonly PullBack[]): Promise<number>;
}

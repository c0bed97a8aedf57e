/**
 * The queue of deliveries, as the dispatcher drives it.
 *
 * The contract, which `test/contracts/store/queue.ts` runs against every adapter:
 * - `turn` is one transaction: all results recorded, all leases given up, all claims taken, synced before it resolves.
 * - A result, and a lease that is given up, count only while their token is the row's: whoever lost the lease changes
 *   nothing, and is told.
 * - A claim is taken only if the row is due and still as it was when it was read; of two who claim a row, one gets it.
 * - Recording the end of an attempt also sets the state of its submission.
 * - Nothing is ever found by walking past rows that are not due.
 */
import type { Attempt, Delivery, Queue, Settled } from '../model/delivery.js';

/** The first row of one line at one receiver. */
export interface QueueHead {
  readonly url: string;
  readonly queue: Queue;
  readonly dueAt: number;
}

export interface QueuePick {
  readonly url: string;
  readonly queue: Queue;
  readonly limit: number;
}

export interface QueueFinds {
  /** Those that are due, in the order in which they became due; at most as many as the pick's limit. */
  readonly due: readonly Delivery[];
  /** When the row after them is due; null when there is none. */
  readonly nextDueAt: number | null;
}

export interface AttemptRecord {
  readonly deliveryId: string;
  readonly submissionId: string;
  readonly token: string;
  readonly settled: Settled;
  readonly attempt: Attempt;
}

/** An attempt that was never made, or was cut off by ourselves: it is as if it had not been claimed. */
export interface LeaseRelease {
  readonly deliveryId: string;
  readonly token: string;
  readonly nextAttemptAt: number;
}

export interface QueueTurn {
  readonly records: readonly AttemptRecord[];
  readonly releases: readonly LeaseRelease[];
  readonly claims: readonly Delivery[];
  readonly lease: { readonly token: string; readonly owner: string; readonly until: number };
  readonly now: number;
}

export interface TurnOutcome {
  /** The ids of the claims that were taken. */
  readonly claimed: ReadonlySet<string>;
  /** The ids of records and releases that came too late: somebody else has the row. */
  readonly lost: readonly string[];
}

/** For rows with so many attempts: due later than that is later than any rule can have meant. */
export interface PullBackRule {
  readonly laterThan: number;
  readonly dueAt: number;
}

export interface PullBack {
  /** By the number of attempts; rows with more stay. */
  readonly rules: readonly PullBackRule[];
  /** Where the walk stands; null: at its beginning. */
  readonly after: QueuePlace | null;
}

/** A row's place in the order of the queue. */
export interface QueuePlace {
  readonly url: string;
  readonly queue: Queue;
  readonly dueAt: number;
  readonly id: string;
}

export interface PulledBack {
  readonly pulled: number;
  /** Where the next step goes on; null: it was the last one. */
  readonly next: QueuePlace | null;
}

export interface DeliveryQueue {
  heads(): Promise<readonly QueueHead[]>;
  /** One answer for each pick, in their order. */
  find(picks: readonly QueuePick[], now: number): Promise<readonly QueueFinds[]>;
  turn(turn: QueueTurn): Promise<TurnOutcome>;
  /** Frees what a process that is gone had claimed, at once; null: all of them. Returns how many. */
  recover(owner: string | null, now: number): Promise<number>;
  /**
   * One step of a walk over all that waits: what is due later than any rule can have meant, because a clock was set back,
   * comes to the rule's `dueAt`; what is being sent stays. A step looks at a bounded number of rows.
   */
  pullBack(step: PullBack): Promise<PulledBack>;
}

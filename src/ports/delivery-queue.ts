/**
 * The queue of deliveries, as the dispatcher drives it.
 *
 * The contract, which `test/contracts/store/queue.ts` runs against every adapter:
 * - `turn` is one transaction: all results recorded, all leases given up, those of claims that were never heard of ended,
 *   then what is due claimed, synced before it resolves. When it rejects, it may have been done all the same.
 * - A result, and a lease that is given up, count only while their token is the row's: whoever lost the lease changes
 *   nothing, and is told.
 * - A row is claimed only when it is due, the earliest first, and is given as it is in that moment; of two who want a row,
 *   one gets it, and neither waits for the other. A row whose lease has ended is due, whoever had it, ourselves included.
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
  /**
   * Those that were due, claimed: in the order in which they became due, at most as many as the pick's limit. They are
   * as they were before: `nextAttemptAt` is when they became due, `isInFlight` says that a lease of theirs had ended.
   */
  readonly due: readonly Delivery[];
  /**
   * When the line has something again, the claimed included with the end of their lease; null when nothing is left in it.
   * Not after `now`: there is more than was asked for, or somebody else is just taking it.
   */
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

/** What a turn may have claimed in one line whose answer never came: nobody is sending it. */
export interface UnheardClaim {
  readonly url: string;
  readonly queue: Queue;
  readonly token: string;
  readonly until: number;
}

export interface QueueTurn {
  readonly records: readonly AttemptRecord[];
  readonly releases: readonly LeaseRelease[];
  /** Their leases end now, if there are any: the rows are due. */
  readonly unheard: readonly UnheardClaim[];
  /** Each line at most once. */
  readonly picks: readonly QueuePick[];
  readonly lease: { readonly token: string; readonly owner: string; readonly until: number };
  readonly now: number;
}

export interface TurnOutcome {
  /** One for each pick, in their order. */
  readonly found: readonly QueueFinds[];
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
  turn(turn: QueueTurn): Promise<TurnOutcome>;
  /** Frees what a process that is gone had claimed, at once; null: all of them. Returns how many. */
  recover(owner: string | null, now: number): Promise<number>;
  /**
   * One step of a walk over all that waits: what is due later than any rule can have meant, because a clock was set back,
   * comes to the rule's `dueAt`; what is being sent stays. A step looks at a bounded number of rows.
   */
  pullBack(step: PullBack): Promise<PulledBack>;
}

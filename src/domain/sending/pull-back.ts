/**
 * Repairs what a clock that was set back left due too late. Every 10 minutes, walks over all waiting deliveries, one step at a
 * time. A delivery due later than its schedule can have meant is moved to when the schedule says.
 */
import type { DeliveryQueue, PullBack, QueuePlace, WaitingDelivery } from '../../ports/delivery-queue.js';

export interface PullBackOptions {
  readonly queue: DeliveryQueue;
  readonly delaysOf: (delivery: WaitingDelivery) => Promise<readonly number[]>;
  readonly leaseMs: number;
}

const everyMs = 10 * 60_000;
/** How much later than any rule can have meant a row must be due before the clock is blamed. */
const clockSlackMs = 15 * 60_000;
/** The longest delay that an endpoint may request. */
const longestHoldMs = 24 * 60 * 60_000;

/** Returns a function that makes one step, if one is due. */
export function createPullBack({
  queue,
  delaysOf,
  leaseMs,
}: PullBackOptions): (now: number) => Promise<void> {
  /** null when no walk is in progress. */
  let walk: { readonly after: QueuePlace | null } | null = null;
  let walkedFrom = Number.NEGATIVE_INFINITY;

  const judge = async (seen: WaitingDelivery, now: number): Promise<readonly PullBack[]> => {
    if (seen.dueAt <= now + leaseMs + clockSlackMs) return [];
    const step = seen.attempt - seen.extraAttempts;
    const delay = step === 0 ? 0 : ((await delaysOf(seen))[step - 1] ?? 0);
    // Judged by the attempt it waits for: a delivery that should wait two hours must not be sent now because another should.
    const longest = Math.max(delay * 1.1, leaseMs, seen.heldUntil === null ? 0 : longestHoldMs);
    return seen.dueAt > now + longest + clockSlackMs ? [{ seen, dueAt: now + delay }] : [];
  };

  return async (now) => {
    // A clock that is set back restarts the walk: what it has passed was judged by the old time.
    if (now - walkedFrom >= everyMs || now < walkedFrom) {
      walkedFrom = now;
      walk = { after: null };
    }
    if (!walk) return;
    const { waiting, next } = await queue.listWaiting(walk.after);
    const late: PullBack[] = [];
    for (const seen of waiting) late.push(...(await judge(seen, now)));
    if (late.length > 0) await queue.pullBack(late);
    walk = next && { after: next };
  };
}

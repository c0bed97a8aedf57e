/**
 * What a clock that was set back left too late. A walk over all that waits, every now and then and a step at a time: what is
 * due later than its schedule can have meant comes when that says.
 */
import type { DeliveryQueue, PullBack, QueuePlace, WaitingDelivery } from '../../ports/delivery-queue.js';

export interface PullBackOptions {
  readonly queue: DeliveryQueue;
  readonly delaysOf: (delivery: WaitingDelivery) => Promise<readonly number[]>;
  readonly leaseMs: number;
}

const everyMs = 10 * 60_000;
/** How much later than any rule can have meant a row must be before a clock is blamed. */
const clockSlackMs = 15 * 60_000;
/** The longest that an endpoint may ask for. */
const longestHoldMs = 24 * 60 * 60_000;

/** One step, when one is due. */
export function createPullBack({
  queue,
  delaysOf,
  leaseMs,
}: PullBackOptions): (now: number) => Promise<void> {
  /** null: no walk is under way. */
  let walk: { readonly after: QueuePlace | null } | null = null;
  let walkedFrom = Number.NEGATIVE_INFINITY;

  const judge = async (seen: WaitingDelivery, now: number): Promise<readonly PullBack[]> => {
    if (seen.dueAt <= now + leaseMs + clockSlackMs) return [];
    const step = seen.attempt - seen.extraAttempts;
    const delay = step === 0 ? 0 : ((await delaysOf(seen))[step - 1] ?? 0);
    // By the attempt it waits for: one that should wait two hours must not go out now because another should.
    const longest = Math.max(delay * 1.1, leaseMs, seen.heldUntil === null ? 0 : longestHoldMs);
    return seen.dueAt > now + longest + clockSlackMs ? [{ seen, dueAt: now + delay }] : [];
  };

  return async (now) => {
    // A clock that is set back starts the walk again: what lies behind it was judged by the old time.
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

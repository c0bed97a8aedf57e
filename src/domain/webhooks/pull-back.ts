/**
 * What a clock that was set back left too late. A walk over all that waits, every now and then and a step at a time: what is
 * due later than any rule can have meant comes when its rule says.
 */
import type { DeliveryQueue, QueuePlace } from '../../ports/delivery-queue.js';

export interface PullBackOptions {
  readonly queue: DeliveryQueue;
  readonly delays: readonly number[];
  readonly leaseMs: number;
}

const everyMs = 10 * 60_000;
/** How much later than any rule can have meant a row must be before a clock is blamed. */
const clockSlackMs = 15 * 60_000;

/** One step, when one is due. */
export function createPullBack({ queue, delays, leaseMs }: PullBackOptions): (now: number) => Promise<void> {
  /** null: no walk is under way. */
  let walk: { readonly after: QueuePlace | null } | null = null;
  let walkedFrom = Number.NEGATIVE_INFINITY;

  return async (now) => {
    // A clock that is set back starts the walk again: what lies behind it was judged by the old time.
    if (now - walkedFrom >= everyMs || now < walkedFrom) {
      walkedFrom = now;
      walk = { after: null };
    }
    if (!walk) return;
    // By the attempt they wait for: one that should wait two hours must not go out now because another should.
    const rules = [0, ...delays].map((step) => ({
      laterThan: now + Math.max(step * 1.1, leaseMs) + clockSlackMs,
      dueAt: now + step,
    }));
    const { next } = await queue.pullBack({ rules, after: walk.after });
    walk = next && { after: next };
  };
}

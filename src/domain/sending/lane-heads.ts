/** What is known of the queue between two reads: when each lane has something due. */
import { laneKey } from '../../model/delivery.js';
import type { QueueHead, QueuePick } from '../../ports/delivery-queue.js';

export class LaneHeads {
  readonly #heads = new Map<string, QueueHead>();

  /** The lane has something due at `dueAt` or earlier. */
  expect({ lane, queue, dueAt }: QueueHead): void {
    const key = laneKey({ lane, queue });
    const known = this.#heads.get(key);
    if (!known || known.dueAt > dueAt) this.#heads.set(key, { lane, queue, dueAt });
  }

  clear(): void {
    this.#heads.clear();
  }

  due(now: number): readonly QueueHead[] {
    return [...this.#heads.values()].filter((head) => head.dueAt <= now);
  }

  forget(picks: readonly QueuePick[]): void {
    for (const pick of picks) this.#heads.delete(laneKey(pick));
  }

  /** Returns when the first head after that time becomes due. */
  nextAfter(time: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { dueAt } of this.#heads.values()) if (dueAt > time) next = Math.min(next, dueAt);
    return next;
  }
}

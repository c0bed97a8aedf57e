/**
 * Counters in this process.
 *
 * What must stay true: a hit into an open window is one lookup; memory is bounded by `maxKeys`; while fewer
 * windows are open, each is counted exactly, and an ended window never pushes out an open one.
 *
 * Windows of one length end in the order they were opened, so each length has its own queue and only the
 * heads are looked at. The map's own order is of no use for that: at 200,000 keys, taking its first key after
 * many deletions cost 15 to 90 µs a hit, just when a flood of addresses arrives. Lengths are few: they are
 * constants of the product.
 */
import type { Counters } from '../../ports/counters.js';

interface Entry {
  readonly key: string;
  count: number;
  readonly openedAt: number;
  readonly resetsAt: number;
  newer: Entry | null;
}

interface Queue {
  oldest: Entry | null;
  newest: Entry | null;
}

// Few, so that no hit waits for many; more than the two that opening a window can add (the window, and an
// ended one whose key has moved on), so that at the bound the ended ones are already gone.
const maxDropsPerHit = 4;

export interface MemoryCountersOptions {
  readonly now: () => number;
  readonly maxKeys?: number;
}

export function memoryCounters(options: MemoryCountersOptions): Counters {
  const { now, maxKeys = 200_000 } = options;
  if (!(maxKeys >= 1)) throw new RangeError('maxKeys must be at least 1');
  const entries = new Map<string, Entry>();
  const queues = new Map<number, Queue>();

  function dropOldest(windowMs: number, queue: Queue, entry: Entry): void {
    queue.oldest = entry.newer;
    // Else a dropped entry that lives in the old heap keeps all later ones alive until a full collection.
    entry.newer = null;
    if (queue.oldest === null) queues.delete(windowMs);
    // The key may have opened its next window since; that one stands further back in the queue.
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
  }

  function dropEnded(at: number): void {
    for (const [windowMs, queue] of queues) {
      for (let drops = 0; drops < maxDropsPerHit; drops += 1) {
        const entry = queue.oldest;
        if (entry === null || isOpen(entry, at)) break;
        dropOldest(windowMs, queue, entry);
      }
    }
  }

  function dropOldestOfAll(): void {
    let first: { windowMs: number; queue: Queue; entry: Entry } | null = null;
    for (const [windowMs, queue] of queues) {
      const entry = queue.oldest;
      if (entry && (first === null || entry.openedAt < first.entry.openedAt))
        first = { windowMs, queue, entry };
    }
    if (first) dropOldest(first.windowMs, first.queue, first.entry);
  }

  function append(windowMs: number, entry: Entry): void {
    const queue = queues.get(windowMs);
    if (queue === undefined) queues.set(windowMs, { oldest: entry, newest: entry });
    else {
      if (queue.newest) queue.newest.newer = entry;
      queue.newest = entry;
    }
  }

  return {
    hit(key, windowMs) {
      const at = now();
      const known = entries.get(key);
      if (known !== undefined && isOpen(known, at)) {
        known.count += 1;
        return { count: known.count, resetsAt: known.resetsAt };
      }
      if (known !== undefined) entries.delete(key);
      dropEnded(at);
      while (entries.size >= maxKeys) dropOldestOfAll();
      const entry: Entry = { key, count: 1, openedAt: at, resetsAt: at + windowMs, newer: null };
      append(windowMs, entry);
      entries.set(key, entry);
      return { count: 1, resetsAt: entry.resetsAt };
    },

    async close() {
      entries.clear();
      queues.clear();
    },
  };
}

/** A window from the future is not open: after the clock is set back it would lock a visitor out. */
function isOpen(entry: Entry, at: number): boolean {
  return at < entry.resetsAt && at >= entry.openedAt;
}

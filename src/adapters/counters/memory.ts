/**
 * Counters in this process.
 *
 * Invariants: a hit in an open window is one lookup; memory is bounded by `maxKeys`; while fewer windows are
 * open, each is counted exactly, and an ended window never pushes out an open one.
 *
 * Windows of the same length end in the order they were opened, so each length has its own queue and only the
 * heads are checked. A replaced window leaves its queue at once: a window that is renewed again and again takes
 * the memory of one. The map's own order does not help: at 200,000 keys, taking its first key after many
 * deletions cost 15 to 90 µs a hit, just when a flood of addresses arrives. There are few lengths: they are
 * constants in the code.
 */
import type { Counters, Window } from '../../ports/counters.js';

interface Entry {
  readonly key: string;
  count: number;
  readonly openedAt: number;
  readonly resetsAt: number;
  readonly windowMs: number;
  older: Entry | null;
  newer: Entry | null;
}

interface Queue {
  oldest: Entry | null;
  newest: Entry | null;
}

// Few, so that no hit is slowed by many drops. More than the one that opening a window adds, so that ended windows
// are already gone when the bound is reached.
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

  function drop(entry: Entry): void {
    const queue = queues.get(entry.windowMs);
    if (queue?.oldest === entry) queue.oldest = entry.newer;
    if (queue?.newest === entry) queue.newest = entry.older;
    if (entry.older) entry.older.newer = entry.newer;
    if (entry.newer) entry.newer.older = entry.older;
    // Otherwise a dropped entry in V8's old generation would keep all later ones alive until a full collection.
    entry.older = null;
    entry.newer = null;
    if (queue?.oldest === null) queues.delete(entry.windowMs);
    entries.delete(entry.key);
  }

  function dropEnded(at: number): void {
    for (const queue of queues.values()) {
      for (let drops = 0; drops < maxDropsPerHit; drops += 1) {
        const entry = queue.oldest;
        if (entry === null || isOpen(entry, at)) break;
        drop(entry);
      }
    }
  }

  function dropOldestOfAll(): void {
    let first: Entry | null = null;
    for (const { oldest } of queues.values()) {
      if (oldest && (first === null || oldest.openedAt < first.openedAt)) first = oldest;
    }
    if (first) drop(first);
  }

  function append(entry: Entry): void {
    const queue = queues.get(entry.windowMs);
    if (queue === undefined) queues.set(entry.windowMs, { oldest: entry, newest: entry });
    else {
      entry.older = queue.newest;
      if (queue.newest) queue.newest.newer = entry;
      queue.newest = entry;
    }
  }

  function open(key: string, windowMs: number, at: number): Window {
    const replaced = entries.get(key);
    if (replaced !== undefined) drop(replaced);
    dropEnded(at);
    while (entries.size >= maxKeys) dropOldestOfAll();
    const resetsAt = at + windowMs;
    const entry: Entry = { key, count: 1, openedAt: at, resetsAt, windowMs, older: null, newer: null };
    append(entry);
    entries.set(key, entry);
    return { count: 1, resetsAt };
  }

  return {
    hit(key, windowMs) {
      const at = now();
      const known = entries.get(key);
      if (known === undefined || !isOpen(known, at)) return open(key, windowMs, at);
      known.count += 1;
      return { count: known.count, resetsAt: known.resetsAt };
    },

    peek(key) {
      const known = entries.get(key);
      return known !== undefined && isOpen(known, now()) ? known.count : 0;
    },

    renew: (key, windowMs) => open(key, windowMs, now()),

    async close() {
      entries.clear();
      queues.clear();
    },
  };
}

/** A window that starts in the future is not open: after the clock is set back it would lock a visitor out. */
function isOpen(entry: Entry, at: number): boolean {
  return at < entry.resetsAt && at >= entry.openedAt;
}

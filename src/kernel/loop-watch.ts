/**
 * Measures how long the event loop of this thread was blocked, and by what. A timer fires every few milliseconds. Its delay
 * is how long the work before it blocked the loop.
 *
 * The cost is in the wake-ups: 200 per second took 1.7 % of a core in an idle process (measured, in a virtual machine). So
 * an idle loop is sampled less often, and closely as soon as it is busy.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';

/** One blockage of the loop, split by cause. The parts add up to the whole. */
export interface Blockage {
  readonly ms: number;
  /** Garbage collection. */
  readonly gcMs: number;
  /** The thread did not run: the machine ran something else, a CPU limit was used up, or the thread waited for a disk. */
  readonly waitMs: number;
  /** The rest: our own work, in CPU time where the system reports it. */
  readonly workMs: number;
}

export interface LoopWatch {
  /** The maximum of each since the last call. They do not have to come from the same blockage. */
  takeLongest(): Blockage;
  stop(): void;
}

/** The loop may have been blocked for up to one tick longer than reported. */
const busyTickMs = 5;
const idleTickMs = 100;
/** The utilisation from which a loop counts as busy, and below which it counts as idle again. */
const busyFrom = 0.1;
const idleBelow = 0.05;
/** A tick that is at least this late counts as a blockage. */
const noticedMs = 5;
const settleEveryMs = 1_000;

interface Held {
  readonly from: number;
  readonly to: number;
  readonly ms: number;
  /** How long this thread was on a CPU in that time. */
  readonly ranMs: number;
}

const none: Blockage = { ms: 0, gcMs: 0, waitMs: 0, workMs: 0 };

/** The CPU time of this thread, in ms. Where the system does not report it, the thread counts as always running. */
function openRunTime(): { read(): number; close(): void } {
  let file: number;
  try {
    file = openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return { read: () => performance.now(), close: () => {} };
  }
  const bytes = Buffer.alloc(64);
  return {
    read() {
      try {
        // Nanoseconds on the CPU, nanoseconds waiting for it, time slices.
        const length = readSync(file, bytes, 0, bytes.length, 0);
        return Number(bytes.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
      } catch {
        return performance.now();
      }
    },
    close: () => closeSync(file),
  };
}

const overlap = ({ from, to }: Held, entry: PerformanceEntry): number =>
  Math.max(0, Math.min(to, entry.startTime + entry.duration) - Math.max(from, entry.startTime));

function takenApart(held: Held, collections: readonly PerformanceEntry[]): Blockage {
  const ranMs = Math.min(held.ms, held.ranMs);
  const collecting = collections.reduce((sum, entry) => sum + overlap(held, entry), 0);
  const gcMs = Math.min(ranMs, collecting);
  return { ms: held.ms, waitMs: held.ms - ranMs, gcMs, workMs: ranMs - gcMs };
}

export function watchLoop(observer: {
  /** How late a tick was. */
  delayed(ms: number): void;
  /** Reported within a second or so, because garbage collections become known only afterwards. */
  blocked(blockage: Blockage): void;
}): LoopWatch {
  const runTime = openRunTime();
  let collections: PerformanceEntry[] = [];
  const collected = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  collected.observe({ entryTypes: ['gc'] });

  let held: Held[] = [];
  let longest = none;
  const settle = (): void => {
    collections.push(...collected.takeRecords());
    for (const one of held) {
      const blockage = takenApart(one, collections);
      longest = {
        ms: Math.max(longest.ms, blockage.ms),
        gcMs: Math.max(longest.gcMs, blockage.gcMs),
        waitMs: Math.max(longest.waitMs, blockage.waitMs),
        workMs: Math.max(longest.workMs, blockage.workMs),
      };
      observer.blocked(blockage);
    }
    held = [];
    collections = [];
  };

  let lastAt = performance.now();
  let lastRan = runTime.read();
  let settledAt = lastAt;
  let used = performance.eventLoopUtilization();
  let tickMs = idleTickMs;
  const utilization = (): number => {
    const before = used;
    used = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(used, before).utilization;
  };
  const tickEvery = (ms: number): NodeJS.Timeout => {
    tickMs = ms;
    return setInterval(tick, ms).unref();
  };
  const tick = (): void => {
    const now = performance.now();
    const ran = runTime.read();
    const ms = Math.max(0, now - lastAt - tickMs);
    observer.delayed(ms);
    if (ms >= noticedMs) held.push({ from: lastAt, to: now, ms, ranMs: ran - lastRan });
    lastAt = now;
    lastRan = ran;
    const isSettling = now - settledAt >= settleEveryMs;
    if (isSettling) {
      settledAt = now;
      settle();
    }
    if (tickMs === idleTickMs ? utilization() >= busyFrom : isSettling && utilization() < idleBelow) {
      clearInterval(timer);
      timer = tickEvery(tickMs === idleTickMs ? busyTickMs : idleTickMs);
    }
  };
  let timer = tickEvery(idleTickMs);

  return {
    takeLongest() {
      settle();
      const taken = longest;
      longest = none;
      return taken;
    },
    stop() {
      clearInterval(timer);
      collected.disconnect();
      runTime.close();
    },
  };
}

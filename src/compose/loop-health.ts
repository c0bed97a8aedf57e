/** Measures how long the event loop is blocked, and logs a block that is long enough to be noticed. */
import type { Metrics } from '../http/ops/metrics.js';
import type { Logger } from '../kernel/log.js';
import { type Blockage, watchLoop } from '../kernel/loop-watch.js';

const noticedMs = 250;
const quietMs = 60_000;

/** Depends on what took most of the time. */
function advice({ ms, gcMs, waitMs }: Blockage): string {
  if (waitMs > ms / 2)
    return 'the machine had no processor time for this process: give it more, or run less beside it';
  if (gcMs > ms / 2)
    return 'garbage collection took that long: give the process more memory, or run more processes';
  return 'work of this process took that long: if it happens again, please report what you requested then';
}

/** Returns the function that stops it. */
export function watchLoopHealth({ metrics, log }: { metrics: Metrics; log: Logger }): () => void {
  let quietUntil = 0;
  const watch = watchLoop({
    delayed: metrics.loopDelay,
    blocked(blockage) {
      if (blockage.ms < noticedMs || performance.now() < quietUntil) return;
      quietUntil = performance.now() + quietMs;
      const { ms, gcMs, waitMs } = blockage;
      const numbers = {
        blockedMs: Math.round(ms),
        gcMs: Math.round(gcMs),
        cpuWaitMs: Math.round(waitMs),
      };
      log.warn(numbers, `the event loop was blocked: ${advice(blockage)}`);
    },
  });
  metrics.loopBlocked(watch.takeLongest);
  return watch.stop;
}

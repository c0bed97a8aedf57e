/** Tells those who watch how long the event loop was held up; and the log, when it was so long that people have noticed. */
import type { Metrics } from '../http/ops/metrics.js';
import type { Logger } from '../kernel/log.js';
import { type Blockage, watchLoop } from '../kernel/loop-watch.js';

const noticedMs = 250;
const quietMs = 60_000;

/** By what took most of it. */
function advice({ ms, gcMs, waitMs }: Blockage): string {
  if (waitMs > ms / 2)
    return 'the machine had no processor time for this process: give it more, or run less beside it';
  if (gcMs > ms / 2)
    return 'collecting garbage took that long: give the process more memory, or run more processes';
  return 'work of this process took that long: if it comes again, please report what was asked of it then';
}

/** Returns what ends it. */
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
      log.warn(numbers, `everybody had to wait: ${advice(blockage)}`);
    },
  });
  metrics.loopBlocked(watch.takeLongest);
  return watch.stop;
}

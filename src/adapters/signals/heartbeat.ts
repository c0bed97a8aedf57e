/**
 * A message to ourselves that has to come back: the only proof that a connection which may be idle for hours still works
 * in both directions. With 3 s and 4 s, a half-open connection is given up within 7 s.
 */
import type { Attempt } from '../../kernel/kept-connection.js';

export interface Heartbeat {
  /** Resolves when the first beat has come back. */
  readonly first: Promise<void>;
  /** Call when a beat has come back. */
  onBeat(): void;
}

const everyMs = 3_000;
const timeoutMs = 4_000;

export function startHeartbeat(attempt: Attempt, send: () => Promise<unknown>): Heartbeat {
  let isAwaited = false;
  let limit: NodeJS.Timeout | undefined;
  let arrived = (): void => {};
  const first = new Promise<void>((resolve) => {
    arrived = resolve;
  });

  function beat(): void {
    if (isAwaited) return;
    isAwaited = true;
    send().catch(attempt.lose);
    // After this process was paused, timers run before I/O: the beat may have arrived and not been read yet.
    limit = setTimeout(() => setImmediate(judge), timeoutMs);
    limit.unref();
  }

  function judge(): void {
    if (isAwaited) attempt.lose(new Error(`no message came back within ${timeoutMs} ms`));
  }

  const beating = setInterval(beat, everyMs);
  beating.unref();
  attempt.signal.addEventListener(
    'abort',
    () => {
      clearInterval(beating);
      clearTimeout(limit);
    },
    { once: true },
  );
  beat();
  return {
    first,
    onBeat() {
      isAwaited = false;
      clearTimeout(limit);
      arrived();
    },
  };
}

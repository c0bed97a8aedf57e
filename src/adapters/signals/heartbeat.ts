/**
 * A message of our own that has to come back: the only proof that a connection which may be silent for hours still
 * carries both ways. At 3 s and 4 s a connection that is half open is given up within 7 s.
 */
import type { Attempt } from '../../kernel/kept-connection.js';

export interface Heartbeat {
  /** Resolves with the first beat that came back. */
  readonly first: Promise<void>;
  /** A beat came back. */
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
    // After a pause of this process its timers come first: the beat may be there and only not read yet.
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

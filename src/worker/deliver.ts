/** Keeps the dispatcher running: what wakes it up, and how it ends. */
import type { Dispatcher } from '../domain/sending/dispatcher.js';
import type { Signals } from '../ports/signals.js';

export interface RunningDispatcher {
  /** Sends under way get the time to end; what is cut off is sent again after the next start. */
  stop(graceMs: number): Promise<void>;
}

export function startSending({
  dispatcher,
  signals,
}: {
  dispatcher: Dispatcher;
  signals: Signals;
}): RunningDispatcher {
  const unsubscribe = signals.subscribe('deliveries-ready', ({ lanes }) => dispatcher.wake(lanes));
  dispatcher.start();
  return {
    async stop(graceMs) {
      unsubscribe();
      await dispatcher.stop(graceMs);
    },
  };
}

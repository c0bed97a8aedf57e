/**
 * Signals within this process.
 *
 * Invariants: `publish` returns before any listener runs, and no listener's error reaches the publisher or
 * another listener. Delivery waits for the next iteration of the event loop instead of a microtask, so that
 * listeners that publish to each other cannot keep requests from being read.
 */
import type { Signal, Signals } from '../../ports/signals.js';

interface Subscription {
  readonly kind: Signal['kind'];
  readonly deliver: (signal: Signal) => unknown;
}

export interface MemorySignalsOptions {
  readonly onListenerError?: (error: unknown) => void;
}

export function memorySignals(options: MemorySignalsOptions = {}): Signals {
  const onError = options.onListenerError ?? (() => {});
  const subscriptions = new Set<Subscription>();
  let pending: Signal[] = [];

  function deliverPending(): void {
    const signals = pending;
    pending = [];
    for (const signal of signals) {
      for (const { kind, deliver } of subscriptions) {
        if (kind === signal.kind) callSafely(deliver, signal);
      }
    }
  }

  function callSafely(deliver: Subscription['deliver'], signal: Signal): void {
    try {
      const outcome = deliver(signal);
      // The types also allow async listeners.
      if (outcome instanceof Promise) outcome.catch(onError);
    } catch (error) {
      onError(error);
    }
  }

  return {
    publish(signal) {
      if (pending.push(signal) === 1) setImmediate(deliverPending);
    },

    isHeard(kind) {
      for (const subscription of subscriptions) if (subscription.kind === kind) return true;
      return false;
    },

    subscribe(kind, listener) {
      // Safe, because the listener only gets signals of this kind.
      const subscription: Subscription = { kind, deliver: listener as Subscription['deliver'] };
      subscriptions.add(subscription);
      return () => {
        subscriptions.delete(subscription);
      };
    },

    async close() {
      subscriptions.clear();
    },
  };
}

/**
 * Signals between processes: at once within this one, and through a transport to the others.
 *
 * Invariants: `publish` costs next to nothing, however many processes there are. A process receives its own signals once.
 * Without the transport, each process continues alone.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Signal, Signals } from '../../ports/signals.js';
import { createGathering, readMessage, writeMessage } from './message.js';
import type { SignalTransport } from './transport.js';

export interface SharedSignalsOptions {
  /** Signals within this process. Closed together with this one. */
  readonly local: Signals;
  readonly transport: SignalTransport;
}

/** Signals of this period go in one message: at most a hundred messages a second, whatever is published. */
const gatherMs = 10;

export function sharedSignals({ local, transport }: SharedSignalsOptions): Signals {
  const id = randomUUID();
  // A transport also returns our own messages. They are recognised by their beginning, without parsing.
  const ownBeginning = writeMessage(id, []).slice(0, -2);
  const gathering = createGathering(transport.maxMessageBytes);
  let isSending = false;
  let isClosed = false;

  async function sendGathered(): Promise<void> {
    isSending = true;
    let signals: readonly Signal[];
    do {
      await pause(gatherMs, undefined, { ref: false });
      signals = gathering.take();
      if (signals.length > 0) await transport.send(writeMessage(id, signals));
    } while (signals.length > 0);
    isSending = false;
  }

  transport.start({
    onMessage(text) {
      if (isClosed || text.startsWith(ownBeginning)) return;
      for (const signal of readMessage(text)) local.publish(signal);
    },

    onUp() {
      if (isClosed) return;
      for (const signal of anythingMayHaveHappened) local.publish(signal);
    },
  });

  return {
    publish(signal) {
      local.publish(signal);
      if (isClosed || !transport.isUp()) return;
      gathering.add(signal);
      if (!isSending) void sendGathered();
    },

    // Whether other processes listen is not known. At worst, a message every ten milliseconds has no listener.
    isHeard: () => true,

    subscribe: local.subscribe,

    async close() {
      if (isClosed) return;
      isClosed = true;
      await transport.close();
      await local.close();
    },
  };
}

/** Published locally after a time without the transport, in which signals may have been missed. */
const anythingMayHaveHappened: readonly Signal[] = [
  { kind: 'intake-changed' },
  { kind: 'deliveries-ready', lanes: [] },
  { kind: 'files-changed' },
];

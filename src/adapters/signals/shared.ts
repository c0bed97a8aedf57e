/**
 * Signals between processes: at once within this one, and through a transport to the others.
 *
 * What must stay true: `publish` costs a look, however many processes there are; a process hears its own signals once;
 * without the transport each process goes on alone.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Signal, Signals } from '../../ports/signals.js';
import { createGathering, readMessage, writeMessage } from './message.js';
import type { SignalTransport } from './transport.js';

export interface SharedSignalsOptions {
  /** Within this process. Closed with this one. */
  readonly local: Signals;
  readonly transport: SignalTransport;
}

/** Signals of this long go in one message: at most a hundred messages a second, whatever is published. */
const gatherMs = 10;

export function sharedSignals({ local, transport }: SharedSignalsOptions): Signals {
  const id = randomUUID();
  // A transport brings back what was sent: recognised by its beginning, without reading it.
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

    // Who listens elsewhere is not known: at worst, a message every ten milliseconds goes to nobody.
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

/** For those who listen, after a time in which nothing was heard. */
const anythingMayHaveHappened: readonly Signal[] = [
  { kind: 'intake-changed' },
  { kind: 'deliveries-ready', lanes: [] },
  { kind: 'files-changed' },
];

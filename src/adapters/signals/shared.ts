/**
 * Signals between processes: at once within this one, and through a transport to those who listen elsewhere.
 *
 * What must stay true: `publish` and `isHeard` cost a look, however many processes there are; nothing is sent that
 * nobody listens to; a process hears its own signals once; without the transport each process goes on alone.
 *
 * Every process says which kinds it listens to: when that changes, when another asks, and every ten seconds. One that
 * was not heard of for two and a half times as long is taken for gone.
 */
import { randomUUID } from 'node:crypto';
import type { Signal, Signals } from '../../ports/signals.js';
import { createGathering, type Kind, type Message, readMessage } from './message.js';
import type { SignalTransport } from './transport.js';

export interface SharedSignalsOptions {
  /** Within this process. Closed with this one. */
  readonly local: Signals;
  readonly transport: SignalTransport;
  /** Signals of this many milliseconds go in one message. */
  readonly gatherMs?: number;
  readonly announceEveryMs?: number;
}

/** Strangers on the same channel could name any number of senders. */
const maxPeers = 1_000;

interface Peer {
  readonly listens: readonly Kind[];
  readonly until: number;
}

export function sharedSignals(options: SharedSignalsOptions): Signals {
  const { local, transport, gatherMs = 5, announceEveryMs = 10_000 } = options;
  const id = randomUUID();
  // A transport may bring back what was sent: known by its beginning, without reading it.
  const ownBeginning = `{"from":"${id}"`;
  const gathering = createGathering(transport.maxMessageBytes);
  const listeners = new Map<Kind, number>();
  const peers = new Map<string, Peer>();
  /** Until when somebody elsewhere is taken to listen, by monotonic time. */
  const heardUntil = new Map<Kind, number>();
  let isAnnouncing = false;
  let isAsking = false;
  let hasSignals = false;
  let isScheduled = false;
  let isSending = false;
  let isClosed = false;

  const isHeardElsewhere = (kind: Kind): boolean => (heardUntil.get(kind) ?? 0) > performance.now();

  function reckonHeard(): void {
    heardUntil.clear();
    for (const { listens, until } of peers.values())
      for (const kind of listens) heardUntil.set(kind, Math.max(until, heardUntil.get(kind) ?? 0));
  }

  function remember({ from, listens }: Message): void {
    if (listens === undefined) return;
    const now = performance.now();
    for (const [peerId, { until }] of peers) if (until < now) peers.delete(peerId);
    if (listens.length === 0) peers.delete(from);
    else if (peers.has(from) || peers.size < maxPeers)
      peers.set(from, { listens, until: now + 2.5 * announceEveryMs });
    reckonHeard();
  }

  function schedule(): void {
    if (isScheduled || isSending || isClosed || !transport.isUp()) return;
    isScheduled = true;
    setTimeout(() => void send(), gatherMs).unref();
  }

  function compose(): string {
    const message: Message = {
      from: id,
      signals: gathering.take(),
      ...(isAnnouncing ? { listens: [...listeners.keys()] } : {}),
      ...(isAsking ? { asks: true } : {}),
    };
    isAnnouncing = false;
    isAsking = false;
    hasSignals = false;
    return JSON.stringify(message);
  }

  /** One message at a time: what comes meanwhile is gathered for the next. */
  async function send(): Promise<void> {
    isScheduled = false;
    if (isClosed || !transport.isUp()) return;
    isSending = true;
    await transport.send(compose());
    isSending = false;
    if (hasSignals || isAnnouncing || isAsking) schedule();
  }

  function announce(): void {
    isAnnouncing = true;
    schedule();
  }

  const announcing = setInterval(announce, announceEveryMs);
  announcing.unref();

  transport.start({
    onMessage(text) {
      if (isClosed) return;
      const message = text.startsWith(ownBeginning) ? null : readMessage(text);
      if (message === null) return;
      remember(message);
      for (const signal of message.signals) local.publish(signal);
      if (message.asks) announce();
    },

    onUp() {
      if (isClosed) return;
      for (const signal of anythingMayHaveHappened) local.publish(signal);
      isAsking = true;
      announce();
    },
  });

  return {
    publish(signal) {
      local.publish(signal);
      if (!isHeardElsewhere(signal.kind) || !transport.isUp()) return;
      gathering.add(signal);
      hasSignals = true;
      schedule();
    },

    isHeard: (kind) => listeners.has(kind) || isHeardElsewhere(kind),

    subscribe(kind, listener) {
      const end = local.subscribe(kind, listener);
      const before = listeners.get(kind) ?? 0;
      listeners.set(kind, before + 1);
      if (before === 0) announce();
      let isEnded = false;
      return () => {
        end();
        if (isEnded) return;
        isEnded = true;
        const left = (listeners.get(kind) ?? 0) - 1;
        if (left > 0) listeners.set(kind, left);
        else if (listeners.delete(kind)) announce();
      };
    },

    async close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(announcing);
      listeners.clear();
      // The others need not wait until they take this one for gone.
      isAnnouncing = true;
      if (transport.isUp()) await transport.send(compose());
      await transport.close();
      await local.close();
    },
  };
}

/** For those who listen, after a time in which nothing was heard. */
const anythingMayHaveHappened: readonly Signal[] = [
  { kind: 'intake-changed' },
  { kind: 'deliveries-ready', urls: [] },
  { kind: 'mails-ready' },
  { kind: 'files-changed' },
];

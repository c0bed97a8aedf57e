/**
 * Ends every connection. Sockets of a server stay half open: after our last bytes, a client could keep their descriptor in use for as
 * long as it likes, and with it the socket and the file of a response that it does not read.
 *
 * So all connections are checked every few seconds. Each is in one phase, and each phase has an end:
 *
 *   opening   the first request has not arrived; Node sends 408 after `headMs`
 *   idle      the next request has not arrived; after `idleMs`, whatever trickles in between two requests
 *   reading   a body is being read; its reader limits how slow it may be, and Node how long it may take
 *   serving   a response is being prepared
 *   sending   bytes wait for the client, which must take `sendBytes` of them in every `sendMs`
 *   closing   everything was sent, including the end of the stream; the client may read it for `closeMs`
 *
 * And there are never more than `maxOpen`, so that a flood cannot use up the descriptors of files and the database: the least active
 * connections make room for new ones (`evictable`).
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { descriptorLimit } from '../../kernel/descriptor-limit.js';
import { latestResponse } from './pipelining.js';

export interface ConnectionLimits {
  readonly headMs: number;
  readonly idleMs: number;
  readonly sendMs: number;
  readonly sendBytes: number;
  readonly closeMs: number;
  readonly lookEveryMs: number;
}

export const connectionLimits: ConnectionLimits = {
  headMs: 10_000,
  // Longer than proxies keep idle connections.
  idleMs: 75_000,
  // Bytes count as sent once the kernel has them, and it takes more when a third of its buffer is free: a client on the loopback (a
  // proxy) that reads 100 kB/s appears to read every 16 s (measured), one at 25 kB/s once a minute.
  sendMs: 60_000,
  sendBytes: 64 * 1024,
  closeMs: 5_000,
  lookEveryMs: 2_000,
};

/** A process without connections has 43 open; the rest is for the database, webhooks and codecs. */
const reservedDescriptors = 96;

/** With plenty of descriptors, memory is the limit: 10 KiB for a connection that has sent half a head (measured). */
const mostOpen = 10_000;

/** A connection needs two descriptors: its own and one for a file. */
export function maxOpenWithin(limit: number | null): number {
  if (limit === null) return mostOpen;
  return Math.min(mostOpen, Math.max(16, Math.floor((limit - reservedDescriptors) / 2)));
}

type Phase = 'opening' | 'idle' | 'reading' | 'serving' | 'sending' | 'closing';

interface Standing {
  phase: Phase;
  since: number;
  /** If it differs from the one at the last check, requests were handled in between, so a new phase has begun. */
  response: ServerResponse | undefined;
  /** Bytes that had been sent when the phase began, or when enough had been sent since. */
  left: number;
}

/**
 * The phases that make room, in this order, and how long a connection must have been in them. Slow bodies come last. They must be
 * included: 52 clients at a byte a second would take all connections of a process with 200 descriptors. A response that is being
 * prepared, or that the client keeps reading, is never cut.
 */
const evictable: readonly (readonly [Phase, number])[] = [
  ['closing', 0],
  ['idle', 0],
  ['opening', 1_000],
  ['sending', 10_000],
  ['reading', 5_000],
];

function phaseOf(socket: Socket): Phase {
  if (socket.writableLength > 0) return 'sending';
  if (socket.writableEnded) return 'closing';
  const response = latestResponse(socket);
  if (response === undefined) return 'opening';
  if (response.writableFinished || response.destroyed) return 'idle';
  return response.req.complete ? 'serving' : 'reading';
}

/** Bytes handed to the kernel: `bytesWritten` also counts what still waits in the socket. */
const bytesLeft = (socket: Socket): number => socket.bytesWritten - socket.writableLength;

export class Connections {
  /** Set when the process stops: each response is then the last one of its connection. */
  isClosing = false;
  readonly #open = new Map<Socket, Standing>();
  readonly #longestMs: Readonly<Record<Phase, number>>;
  /** No connection could make room a moment ago: searching again for each new connection would cost more than the connection itself. */
  #fullUntil = 0;
  #lookedAt = performance.now();
  #passedMs = 0;

  constructor(
    readonly limits: ConnectionLimits = connectionLimits,
    private readonly maxOpen: number = maxOpenWithin(descriptorLimit()),
  ) {
    // Node ends the first two itself, with a 408 where one is due, unless empty lines keep a connection alive. A head may begin at
    // the last moment.
    const { headMs, idleMs, sendMs, closeMs } = limits;
    this.#longestMs = {
      opening: 2 * headMs,
      idle: idleMs + 2 * headMs,
      reading: Number.POSITIVE_INFINITY,
      serving: Number.POSITIVE_INFINITY,
      sending: sendMs,
      closing: closeMs,
    };
  }

  get size(): number {
    return this.#open.size;
  }

  /** Resolves when no connection is left, and after `longestMs` at the latest. */
  async untilNone(longestMs: number): Promise<void> {
    const stepMs = 25;
    for (let leftMs = longestMs; leftMs > 0 && this.size > 0; leftMs -= stepMs) await pause(stepMs);
  }

  watch(server: Server): void {
    server.on('connection', (socket) => this.#add(socket));
    const timer = setInterval(() => this.#endOverdue(this.#now()), this.limits.lookEveryMs);
    timer.unref();
    server.once('close', () => clearInterval(timer));
  }

  #add(socket: Socket): void {
    if (this.#open.size >= this.maxOpen && !this.#makeRoom(this.#now())) {
      socket.destroy();
      return;
    }
    this.#open.set(socket, { phase: 'opening', since: this.#now(), response: undefined, left: 0 });
    socket.once('close', () => this.#open.delete(socket));
  }

  /** A process that was paused (a suspended machine, a debugger) must not cut all connections that waited for it. */
  #now(): number {
    const at = performance.now();
    this.#passedMs += Math.min(at - this.#lookedAt, 10 * this.limits.lookEveryMs);
    this.#lookedAt = at;
    return this.#passedMs;
  }

  #endOverdue(now: number): void {
    for (const [socket, standing] of this.#open) {
      this.#look(socket, standing, now);
      if (now - standing.since >= this.#longestMs[standing.phase]) socket.destroy();
    }
  }

  #look(socket: Socket, standing: Standing, now: number): void {
    const phase = phaseOf(socket);
    const response = latestResponse(socket);
    // While bytes wait, only bytes that leave count: a client that does not read may still send requests.
    const isNew = phase !== 'sending' && response !== standing.response;
    if (phase !== standing.phase || isNew) {
      Object.assign(standing, { phase, since: now, response, left: bytesLeft(socket) });
    } else if (phase === 'sending' && bytesLeft(socket) - standing.left >= this.limits.sendBytes) {
      Object.assign(standing, { since: now, left: bytesLeft(socket) });
    }
  }

  /** Closes those of the addresses with the most, oldest first. Several at a time, because each search goes over all of them. */
  #makeRoom(now: number): boolean {
    if (now < this.#fullUntil) return false;
    const wanted = Math.ceil(this.maxOpen / 16);
    const held = new Map<string | undefined, number>();
    const found = evictable.map((): Socket[] => []);
    for (const [socket, standing] of this.#open) {
      held.set(socket.remoteAddress, (held.get(socket.remoteAddress) ?? 0) + 1);
      this.#look(socket, standing, now);
      const rank = evictable.findIndex(([phase]) => phase === standing.phase);
      const afterMs = evictable[rank]?.[1] ?? Number.POSITIVE_INFINITY;
      if (now - standing.since >= afterMs) found[rank]?.push(socket);
    }
    const load = ({ remoteAddress }: Socket): number => held.get(remoteAddress) ?? 0;
    const victims = found.flatMap((sockets) => sockets.sort((a, b) => load(b) - load(a))).slice(0, wanted);
    for (const socket of victims) {
      this.#open.delete(socket);
      socket.destroy();
    }
    if (victims.length === 0) this.#fullUntil = now + 100;
    return victims.length > 0;
  }
}

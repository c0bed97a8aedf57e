/**
 * Every connection ends. Sockets of a server stay half open: after our last word their descriptor would be held for as long
 * as the client likes, and so would the socket and the file of a response that nobody reads.
 *
 * So all connections are looked at every few seconds. Each is in one phase, and each phase has an end:
 *
 *   opening   the first request has not come; Node says 408 after `headMs`
 *   idle      the next request has not come; after `idleMs`, whatever drips in between two requests
 *   reading   a body is being read; its reader knows how slowly, and Node how long at most
 *   serving   a response is being made
 *   sending   bytes wait for the client, which must take `sendBytes` of them in every `sendMs`
 *   closing   everything was sent, and that nothing more will come; the client may read it for `closeMs`
 *
 * And there are never more than `maxOpen`, so that a crowd cannot take the descriptors of files and of the database: those
 * that wait for nothing make room for those that come.
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
  // Longer than proxies keep theirs.
  idleMs: 75_000,
  // What left us has reached the kernel, which asks for more when a third of its buffer is free: a client on the loopback
  // (a proxy) that reads 100 kB/s is seen to read every 16 s (measured), one of 25 kB/s once a minute.
  sendMs: 60_000,
  sendBytes: 64 * 1024,
  closeMs: 5_000,
  lookEveryMs: 2_000,
};

/** The process without any connection has 43 open; the rest is for the database, webhooks and codecs. */
const reservedDescriptors = 96;

/** Where descriptors are plenty, memory is not: 10 KiB for a connection that has sent half a head (measured). */
const mostOpen = 10_000;

/** A connection needs two: its own and that of a file. */
export function maxOpenWithin(limit: number | null): number {
  if (limit === null) return mostOpen;
  return Math.min(mostOpen, Math.max(16, Math.floor((limit - reservedDescriptors) / 2)));
}

type Phase = 'opening' | 'idle' | 'reading' | 'serving' | 'sending' | 'closing';

interface Standing {
  phase: Phase;
  since: number;
  /** Another one than at the last look: requests came and went in between, so a new phase has begun. */
  response: ServerResponse | undefined;
  /** Bytes that had left when the phase began, or when enough had left since. */
  left: number;
}

/**
 * Who makes room first, and after how long in that phase. A body that comes slowly is the last: otherwise 52 clients with a byte a
 * second would take all connections of a process with 200 descriptors. A response that is read or made is never cut.
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

/** What a write has given to the kernel: `bytesWritten` counts what still waits in the socket as well. */
const bytesLeft = (socket: Socket): number => socket.bytesWritten - socket.writableLength;

export class Connections {
  /** Set when the process stops: each response is the last one of its connection. */
  isClosing = false;
  readonly #open = new Map<Socket, Standing>();
  readonly #longestMs: Readonly<Record<Phase, number>>;
  /** No connection could make room a moment ago: looking again at each arrival would cost more than the arrival. */
  #fullUntil = 0;
  #lookedAt = performance.now();
  #passedMs = 0;

  constructor(
    readonly limits: ConnectionLimits = connectionLimits,
    private readonly maxOpen: number = maxOpenWithin(descriptorLimit()),
  ) {
    // Node ends the first two itself, with a 408 where one is due, unless empty lines keep a connection awake. A head may
    // begin in the last moment.
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

  /** A process that stood still (a paused machine, a debugger) must not cut all who waited for it. */
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
    // While bytes wait, only bytes that leave count: a client that does not read may well ask for more.
    const isNew = phase !== 'sending' && response !== standing.response;
    if (phase !== standing.phase || isNew) {
      Object.assign(standing, { phase, since: now, response, left: bytesLeft(socket) });
    } else if (phase === 'sending' && bytesLeft(socket) - standing.left >= this.limits.sendBytes) {
      Object.assign(standing, { since: now, left: bytesLeft(socket) });
    }
  }

  /** Those of the address with the most, the oldest first; several at a time, because each look goes over all of them. */
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

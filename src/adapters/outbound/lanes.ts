/**
 * Who may send to an origin now, and over which open connection. What must stay true: an origin has at most so many
 * connections, all origins together at most so many unused ones, and an origin that nobody sends to leaves nothing behind.
 */
import type { Connection } from './connection.js';
import { SenderClosed, SendFault } from './faults.js';
import type { OutboundLimits } from './limits.js';
import type { Target } from './target.js';

interface Waiter {
  readonly enter: (connection: Connection | null) => void;
  readonly fail: (error: Error) => void;
}

interface Lane {
  active: number;
  readonly idle: Connection[];
  readonly waiting: Waiter[];
}

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** In the order in which they became idle. */
  readonly #idle = new Map<Connection, string>();

  constructor(private readonly limits: OutboundLimits) {}

  /** Origins that are remembered. */
  get size(): number {
    return this.#lanes.size;
  }

  get idleConnections(): number {
    return this.#idle.size;
  }

  /** A place, with an open connection if there is one; `leave` must follow. A promise when it has to be waited for. */
  enter(target: Target, maxWaitMs: number): Connection | null | Promise<Connection | null> {
    let lane = this.#lanes.get(target.origin);
    if (lane === undefined) {
      lane = { active: 0, idle: [], waiting: [] };
      this.#lanes.set(target.origin, lane);
    }
    if (lane.active >= this.limits.connectionsPerOrigin) return waitIn(lane, target, maxWaitMs);
    lane.active += 1;
    return this.#takeIdle(lane);
  }

  /** Gives the place back; the connection too, when it can be used again. */
  leave(origin: string, connection: Connection | null): void {
    const lane = this.#lanes.get(origin);
    if (lane === undefined) return;
    const waiter = lane.waiting.shift();
    if (waiter !== undefined) {
      waiter.enter(connection ?? this.#takeIdle(lane));
      return;
    }
    lane.active -= 1;
    if (connection !== null) this.#keep(lane, origin, connection);
    this.#forgetIfEmpty(origin, lane);
  }

  close(): void {
    const lanes = [...this.#lanes.values()];
    this.#lanes.clear();
    this.#idle.clear();
    for (const { waiting, idle } of lanes) {
      for (const waiter of waiting.splice(0)) waiter.fail(new SenderClosed());
      idle.length = 0;
    }
  }

  /** To be called for every connection that closes. */
  forget(connection: Connection): void {
    const origin = this.#idle.get(connection);
    if (origin === undefined) return;
    this.#idle.delete(connection);
    const lane = this.#lanes.get(origin);
    if (lane === undefined) return;
    lane.idle.splice(lane.idle.indexOf(connection), 1);
    this.#forgetIfEmpty(origin, lane);
  }

  #takeIdle(lane: Lane): Connection | null {
    for (;;) {
      // The one used last is the least likely to have been closed by the other side meanwhile.
      const connection = lane.idle.pop();
      if (connection === undefined) return null;
      this.#idle.delete(connection);
      if (connection.isOpen) return connection;
    }
  }

  #keep(lane: Lane, origin: string, connection: Connection): void {
    lane.idle.push(connection);
    this.#idle.set(connection, origin);
    if (this.#idle.size <= this.limits.maxIdleConnections) return;
    const [oldest] = this.#idle.keys();
    if (oldest === undefined) return;
    this.forget(oldest);
    oldest.destroy();
  }

  #forgetIfEmpty(origin: string, lane: Lane): void {
    if (lane.active === 0 && lane.idle.length === 0) this.#lanes.delete(origin);
  }
}

function waitIn(lane: Lane, target: Target, maxWaitMs: number): Promise<Connection | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      lane.waiting.splice(lane.waiting.indexOf(waiter), 1);
      reject(new SendFault('timeout', `All connections to ${target.where} were busy until the time was up`));
    }, maxWaitMs);
    const waiter: Waiter = {
      enter(connection) {
        clearTimeout(timer);
        resolve(connection);
      },
      fail(error) {
        clearTimeout(timer);
        reject(error);
      },
    };
    lane.waiting.push(waiter);
  });
}

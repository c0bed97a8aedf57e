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

/** Of one origin. */
interface Share {
  active: number;
  readonly idle: Connection[];
  readonly waiting: Waiter[];
}

export class ConnectionPool {
  readonly #shares = new Map<string, Share>();
  /** In the order in which they became idle. */
  readonly #idle = new Map<Connection, string>();

  constructor(private readonly limits: OutboundLimits) {}

  /** Origins that are remembered. */
  get size(): number {
    return this.#shares.size;
  }

  get idleConnections(): number {
    return this.#idle.size;
  }

  /** A place, with an open connection if there is one; `leave` must follow. A promise when it has to be waited for. */
  enter(target: Target, maxWaitMs: number): Connection | null | Promise<Connection | null> {
    let share = this.#shares.get(target.origin);
    if (share === undefined) {
      share = { active: 0, idle: [], waiting: [] };
      this.#shares.set(target.origin, share);
    }
    if (share.active >= this.limits.connectionsPerOrigin) return waitIn(share, target, maxWaitMs);
    share.active += 1;
    return this.#takeIdle(share);
  }

  /** Gives the place back; the connection too, when it can be used again. */
  leave(origin: string, connection: Connection | null): void {
    const share = this.#shares.get(origin);
    if (share === undefined) return;
    const waiter = share.waiting.shift();
    if (waiter !== undefined) {
      waiter.enter(connection ?? this.#takeIdle(share));
      return;
    }
    share.active -= 1;
    if (connection !== null) this.#keep(share, origin, connection);
    this.#forgetIfEmpty(origin, share);
  }

  close(): void {
    const shares = [...this.#shares.values()];
    this.#shares.clear();
    this.#idle.clear();
    for (const { waiting, idle } of shares) {
      for (const waiter of waiting.splice(0)) waiter.fail(new SenderClosed());
      idle.length = 0;
    }
  }

  /** To be called for every connection that closes. */
  forget(connection: Connection): void {
    const origin = this.#idle.get(connection);
    if (origin === undefined) return;
    this.#idle.delete(connection);
    const share = this.#shares.get(origin);
    if (share === undefined) return;
    share.idle.splice(share.idle.indexOf(connection), 1);
    this.#forgetIfEmpty(origin, share);
  }

  #takeIdle(share: Share): Connection | null {
    for (;;) {
      // The one used last is the least likely to have been closed by the other side meanwhile.
      const connection = share.idle.pop();
      if (connection === undefined) return null;
      this.#idle.delete(connection);
      if (connection.isOpen) return connection;
    }
  }

  #keep(share: Share, origin: string, connection: Connection): void {
    share.idle.push(connection);
    this.#idle.set(connection, origin);
    if (this.#idle.size <= this.limits.maxIdleConnections) return;
    const [oldest] = this.#idle.keys();
    if (oldest === undefined) return;
    this.forget(oldest);
    oldest.destroy();
  }

  #forgetIfEmpty(origin: string, share: Share): void {
    if (share.active === 0 && share.idle.length === 0) this.#shares.delete(origin);
  }
}

function waitIn(share: Share, target: Target, maxWaitMs: number): Promise<Connection | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      share.waiting.splice(share.waiting.indexOf(waiter), 1);
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
    share.waiting.push(waiter);
  });
}

/**
 * The guarded sender: one POST to a stranger's address, over a kept connection where there is one. It puts together the
 * parts beside it: target (where to), connection-pool (whose turn), connect (the guard), exchange (the talk), faults (what to say).
 */
import type { Outbound, OutboundRequest, OutboundResult } from '../../ports/outbound.js';
import {
  createGuardedConnector,
  type GuardedConnector,
  type JudgeAddress,
  type Progress,
} from './connect.js';
import { Connection } from './connection.js';
import { ConnectionPool } from './connection-pool.js';
import { Deadlines } from './deadlines.js';
import { createEndpointNames, type GuardedNames } from './endpoint-names.js';
import { type Exchange, type Post, postOver } from './exchange.js';
import { SenderClosed, SendFault } from './faults.js';
import { defaultLimits, type OutboundLimits } from './limits.js';
import { createNameResolver } from './resolver.js';
import { readTarget, type Target } from './target.js';

export interface UndiciOutboundOptions {
  /** Why the URL may not be a target; null when it may. */
  readonly judgeUrl: (url: string) => string | null;
  /** Why this address of the host may not be reached; null when it may. The host is in lower case, without a final dot. */
  readonly judgeAddress: JudgeAddress;
  /** Whose addresses the judge must know before it judges. */
  readonly guardedNames: GuardedNames;
  /** What was blocked and why, with the address that its owner is not told; each text once a minute. */
  readonly onBlocked?: (why: string) => void;
  readonly userAgent?: string;
  /** Asked instead of the machine's name servers: `address` or `address:port`. */
  readonly dnsServers?: readonly string[];
  /** PEM; trusted instead of the roots that Node brings. */
  readonly certificateAuthorities?: readonly string[];
  readonly limits?: Partial<OutboundLimits>;
}

/** What the sender holds at this moment, for tests and measurements. */
export interface UndiciOutbound extends Outbound {
  readonly held: { readonly origins: number; readonly idleConnections: number; readonly connections: number };
}

export function createUndiciOutbound(options: UndiciOutboundOptions): UndiciOutbound {
  return new UndiciSender(options);
}

const maxTargetsKept = 1_000;
/** A busy form whose webhook is blocked must not fill the log. */
const blockedQuietMs = 60_000;
const maxBlockedKept = 1_000;

class UndiciSender implements UndiciOutbound {
  readonly #limits: OutboundLimits;
  readonly #judgeUrl: (url: string) => string | null;
  readonly #onBlocked: (why: string) => void;
  /** What was told of late, and when it may be told again. */
  readonly #blocked = new Map<string, number>();
  readonly #userAgent: string;
  readonly #connector: GuardedConnector;
  readonly #pool: ConnectionPool;
  readonly #deadlines = new Deadlines();
  readonly #targets = new Map<string, Target>();
  readonly #connections = new Set<Connection>();
  /** Connections that are being opened. */
  readonly #openings = new Set<AbortController>();
  #isClosed = false;

  constructor(options: UndiciOutboundOptions) {
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#judgeUrl = options.judgeUrl;
    this.#onBlocked = options.onBlocked ?? (() => {});
    this.#userAgent = options.userAgent ?? 'Inlet';
    this.#pool = new ConnectionPool(this.#limits);
    const names = createNameResolver(this.#limits, options.dnsServers);
    this.#connector = createGuardedConnector({
      judgeAddress: options.judgeAddress,
      names,
      endpointNames: createEndpointNames(options.guardedNames, names),
      limits: this.#limits,
      certificateAuthorities: options.certificateAuthorities,
    });
  }

  get held() {
    return {
      origins: this.#pool.size,
      idleConnections: this.#pool.idleConnections,
      connections: this.#connections.size,
    };
  }

  async send(request: OutboundRequest): Promise<OutboundResult> {
    if (this.#isClosed) throw new SenderClosed();
    const startedAt = performance.now();
    const progress: Progress = { dnsMs: null, connectMs: null, remoteAddress: null };
    try {
      const target = this.#targetOf(request.url);
      const exchange = await this.#exchange(
        target,
        {
          target,
          headers: this.#headersOf(request),
          body: request.body,
          deadlineAt: startedAt + request.timeoutMs,
        },
        progress,
      );
      return answered(exchange, progress, startedAt);
    } catch (error) {
      if (!(error instanceof SendFault)) throw error;
      if (error.fault === 'blocked_address') this.#tellBlocked(error.operatorDetail);
      return failed(error, progress, startedAt);
    }
  }

  #tellBlocked(why: string): void {
    const now = performance.now();
    if ((this.#blocked.get(why) ?? 0) > now) return;
    if (this.#blocked.size >= maxBlockedKept) this.#blocked.clear();
    this.#blocked.set(why, now + blockedQuietMs);
    this.#onBlocked(why);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const reason = new SenderClosed();
    for (const opening of this.#openings) opening.abort(reason);
    this.#pool.close();
    const closing = [...this.#connections].map(
      (connection) => new Promise<void>((resolve) => connection.socket.once('close', () => resolve())),
    );
    for (const connection of this.#connections) connection.destroy(reason);
    await Promise.all(closing);
  }

  /** The rules about URLs do not change while we run: reading and judging the same one again was 5 % of a send. */
  #targetOf(url: string): Target {
    const known = this.#targets.get(url);
    if (known) return known;
    const reason = this.#judgeUrl(url);
    if (reason !== null) throw new SendFault('blocked_address', `The URL was refused: ${reason}`);
    const target = readTarget(url);
    if (target === null)
      throw new SendFault('blocked_address', 'The URL was refused: it is no http or https address');
    if (this.#targets.size >= maxTargetsKept) this.#targets.clear();
    this.#targets.set(url, target);
    return target;
  }

  /** In pairs, as the client takes them without another copy. */
  #headersOf({ headers }: OutboundRequest): string[] {
    const pairs = ['accept-encoding', 'identity'];
    let hasUserAgent = false;
    for (const name in headers) {
      const lower = name.toLowerCase();
      // Nothing is ever decompressed here, whatever the caller wishes.
      if (lower === 'accept-encoding') continue;
      if (lower === 'user-agent') hasUserAgent = true;
      pairs.push(name, headers[name] ?? '');
    }
    if (!hasUserAgent) pairs.push('user-agent', this.#userAgent);
    return pairs;
  }

  async #exchange(target: Target, post: Post, progress: Progress): Promise<Exchange> {
    const place = this.#pool.enter(target, post.deadlineAt - performance.now());
    let connection = place instanceof Promise ? await place : place;
    let exchange: Exchange | null = null;
    try {
      connection ??= await this.#open(target, post.deadlineAt, progress);
      progress.remoteAddress = connection.remoteAddress;
      exchange = await postOver(connection, post, this.#limits, this.#deadlines);
      if (exchange.wasStale && !this.#isClosed) {
        exchange = null;
        connection.destroy();
        connection = await this.#open(target, post.deadlineAt, progress);
        exchange = await postOver(connection, post, this.#limits, this.#deadlines);
      }
      if (exchange.error !== null) throw exchange.error;
      return exchange;
    } finally {
      const isReusable = exchange?.isWhole === true && connection?.isOpen === true;
      if (!isReusable) connection?.destroy();
      this.#pool.leave(target.origin, isReusable ? connection : null);
    }
  }

  async #open(target: Target, deadlineAt: number, progress: Progress): Promise<Connection> {
    const opening = new AbortController();
    this.#openings.add(opening);
    const timer = setTimeout(
      () => opening.abort(openingFault(target, progress)),
      Math.max(1, deadlineAt - performance.now()),
    );
    try {
      const socket = await this.#connector.open(target, opening.signal, progress);
      const connection = new Connection(socket, progress.remoteAddress, target, this.#limits);
      this.#connections.add(connection);
      socket.once('close', () => {
        this.#connections.delete(connection);
        this.#pool.forget(connection);
      });
      if (this.#isClosed) {
        connection.destroy();
        throw new SenderClosed();
      }
      return connection;
    } finally {
      clearTimeout(timer);
      this.#openings.delete(opening);
    }
  }
}

/** The whole time was up before there was a connection; the phase it was in says why. */
function openingFault(target: Target, progress: Progress): SendFault {
  const isResolving = target.literal === null && progress.dnsMs === null;
  return isResolving
    ? new SendFault('dns_error', `The name ${target.host} was not resolved in time`)
    : new SendFault('connect_timeout', `${target.where} did not take the connection in time`);
}

function answered(exchange: Exchange, progress: Progress, startedAt: number): OutboundResult {
  return {
    status: exchange.status,
    fault: null,
    detail: null,
    response: exchange.text(),
    remoteAddress: progress.remoteAddress,
    timings: timingsOf(progress, exchange.firstByteMs, startedAt),
  };
}

function failed(error: SendFault, progress: Progress, startedAt: number): OutboundResult {
  return {
    status: null,
    fault: error.fault,
    detail: error.detail,
    response: null,
    remoteAddress: progress.remoteAddress,
    timings: timingsOf(progress, null, startedAt),
  };
}

function timingsOf({ dnsMs, connectMs }: Progress, firstByteMs: number | null, startedAt: number) {
  return { dnsMs, connectMs, firstByteMs, totalMs: performance.now() - startedAt };
}

/**
 * The guarded sender: one request to an address that a user chose, over an open connection if there is one. undici pools
 * the connections per origin. The other modules are target (where to), connect (the guard), exchange (request and response)
 * and faults (what to report).
 */
import { Pool } from 'undici';
import type { Outbound, OutboundRequest, OutboundResult } from '../../ports/outbound.js';
import { createGuardedConnector, type GuardedConnector, type JudgeAddress } from './connect.js';
import { LinkedClient } from './connection.js';
import { createEndpointNames, type GuardedNames } from './endpoint-names.js';
import { type Exchange, type Post, postOver } from './exchange.js';
import { SenderClosed, SendFault } from './faults.js';
import { defaultLimits, type OutboundLimits } from './limits.js';
import { Link, type LinkListener } from './link.js';
import { createNameResolver } from './resolver.js';
import { readTarget, type Target } from './target.js';

export interface UndiciOutboundOptions {
  /** Returns why the URL may not be a target, or null when it may. */
  readonly judgeUrl: (url: string) => string | null;
  /** Returns why this address of the host may not be reached, or null when it may. The host is lower case, without a final dot. */
  readonly judgeAddress: JudgeAddress;
  /** Names whose addresses must be known before `judgeAddress` is called. */
  readonly guardedNames: GuardedNames;
  /** Reports what was blocked and why, with the address that the URL's owner does not see. Each text once a minute. */
  readonly onBlocked?: (why: string) => void;
  readonly userAgent?: string;
  /** Used instead of the machine's name servers: `address` or `address:port`. */
  readonly dnsServers?: readonly string[];
  /** PEM. Trusted instead of Node's built-in roots. */
  readonly certificateAuthorities?: readonly string[];
  readonly limits?: Partial<OutboundLimits>;
}

/** `held` is what the sender has open at this moment, for tests and measurements. */
export interface UndiciOutbound extends Outbound {
  readonly held: { readonly origins: number; readonly connections: number };
}

export function createUndiciOutbound(options: UndiciOutboundOptions): UndiciOutbound {
  return new UndiciSender(options);
}

const maxTargetsKept = 1_000;
/** A busy form whose webhook is blocked must not fill the log. */
const blockedQuietMs = 60_000;
const maxBlockedKept = 1_000;

interface Origin {
  readonly pool: Pool;
  /** Sends under way. */
  sends: number;
  connections: number;
}

class UndiciSender implements UndiciOutbound {
  readonly #limits: OutboundLimits;
  readonly #judgeUrl: (url: string) => string | null;
  readonly #onBlocked: (why: string) => void;
  /** What was reported recently, and when it may be reported again. */
  readonly #blocked = new Map<string, number>();
  readonly #userAgent: string;
  readonly #connector: GuardedConnector;
  readonly #targets = new Map<string, Target>();
  /** Ordered by last use, least recent first. */
  readonly #origins = new Map<string, Origin>();
  /** Connections that are open or being opened. */
  readonly #links = new Set<Link>();
  #isClosed = false;

  constructor(options: UndiciOutboundOptions) {
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#judgeUrl = options.judgeUrl;
    this.#onBlocked = options.onBlocked ?? (() => {});
    this.#userAgent = options.userAgent ?? 'Inlet';
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
    return { origins: this.#origins.size, connections: this.#links.size };
  }

  async send(request: OutboundRequest): Promise<OutboundResult> {
    if (this.#isClosed) throw new SenderClosed();
    const startedAt = performance.now();
    const target = this.#targetOf(request.url);
    if (target instanceof SendFault) return this.#failed(target, null, startedAt);
    const exchange = await this.#exchange({
      target,
      method: request.method ?? 'POST',
      headers: this.#headersOf(request),
      body: request.body,
      maxResponseBytes: request.maxResponseBytes ?? null,
      isSentOnce: request.isSentOnce ?? false,
      deadlineAt: startedAt + request.timeoutMs,
    });
    const { error } = exchange;
    if (error === null) return answered(exchange, startedAt);
    if (this.#isClosed) throw new SenderClosed();
    if (!(error instanceof SendFault)) throw error;
    return this.#failed(error, exchange, startedAt);
  }

  #failed(error: SendFault, exchange: Exchange | null, startedAt: number): OutboundResult {
    if (error.fault === 'blocked_address') this.#tellBlocked(error.operatorDetail);
    return {
      status: null,
      fault: error.fault,
      detail: error.detail,
      retryAfter: null,
      responseHeaders: null,
      response: null,
      remoteAddress: exchange?.progress.remoteAddress ?? null,
      timings: timingsOf(exchange, startedAt),
    };
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
    const pools = Array.from(this.#origins.values(), ({ pool }) => pool);
    this.#origins.clear();
    for (const link of this.#links) link.destroy(reason);
    await Promise.all(pools.map((pool) => pool.destroy(reason)));
  }

  /** The URL rules do not change at runtime. Parsing and checking the same URL again took 5 % of a send. */
  #targetOf(url: string): Target | SendFault {
    const known = this.#targets.get(url);
    if (known) return known;
    const reason = this.#judgeUrl(url);
    if (reason !== null) return new SendFault('blocked_address', `The URL was refused: ${reason}`);
    const target = readTarget(url);
    if (target === null)
      return new SendFault('blocked_address', 'The URL was refused: it is no http or https address');
    if (this.#targets.size >= maxTargetsKept) this.#targets.clear();
    this.#targets.set(url, target);
    return target;
  }

  /** Names and values alternate, which undici takes without another copy. */
  #headersOf({ headers }: OutboundRequest): string[] {
    const pairs = ['accept-encoding', 'identity'];
    let hasUserAgent = false;
    for (const name in headers) {
      const lower = name.toLowerCase();
      // Responses are never decompressed here, whatever the caller accepts.
      if (lower === 'accept-encoding') continue;
      if (lower === 'user-agent') hasUserAgent = true;
      pairs.push(name, headers[name] ?? '');
    }
    if (!hasUserAgent) pairs.push('user-agent', this.#userAgent);
    return pairs;
  }

  async #exchange(post: Post): Promise<Exchange> {
    const { target } = post;
    const origin = this.#originOf(target);
    origin.sends += 1;
    const exchange = await postOver(origin.pool, post, this.#limits);
    const isStale = exchange.wasStale && !post.isSentOnce && !this.#isClosed;
    const last = isStale ? await this.#overNewConnection(origin, post) : exchange;
    origin.sends -= 1;
    this.#forgetIfUnused(target, origin);
    return last;
  }

  /** Not through the pool: its other connections may have been closed at the same moment. */
  async #overNewConnection(origin: Origin, post: Post): Promise<Exchange> {
    const client = this.#connectionTo(origin, post.target, 'used once');
    const exchange = await postOver(client, post, this.#limits);
    await client.destroy();
    return exchange;
  }

  #originOf(target: Target): Origin {
    const known = this.#origins.get(target.origin);
    if (known !== undefined) this.#origins.delete(target.origin);
    const origin = known ?? this.#createOrigin(target);
    this.#origins.set(target.origin, origin);
    return origin;
  }

  #createOrigin(target: Target): Origin {
    const pool = new Pool(target.origin, {
      connections: this.#limits.connectionsPerOrigin,
      factory: () => this.#connectionTo(origin, target, 'kept'),
    });
    const origin: Origin = { pool, sends: 0, connections: 0 };
    return origin;
  }

  #connectionTo(origin: Origin, target: Target, use: 'kept' | 'used once'): LinkedClient {
    const listener: LinkListener = {
      opening: (link) => {
        this.#makeRoom();
        this.#links.add(link);
        origin.connections += 1;
      },
      closed: (link) => {
        this.#links.delete(link);
        origin.connections -= 1;
        this.#forgetIfUnused(target, origin);
      },
    };
    const link = new Link(target, this.#connector, listener);
    return new LinkedClient(link, this.#limits, use === 'kept' ? {} : { pipelining: 0 });
  }

  #makeRoom(): void {
    if (this.#links.size < this.#limits.maxConnections) return;
    for (const [name, { sends, pool }] of this.#origins) {
      if (sends > 0) continue;
      this.#origins.delete(name);
      void pool.close();
      return;
    }
  }

  #forgetIfUnused(target: Target, origin: Origin): void {
    if (origin.sends > 0 || origin.connections > 0 || this.#origins.get(target.origin) !== origin) return;
    this.#origins.delete(target.origin);
    void origin.pool.close();
  }
}

function answered(exchange: Exchange, startedAt: number): OutboundResult {
  return {
    status: exchange.status,
    fault: null,
    detail: null,
    retryAfter: exchange.retryAfter,
    responseHeaders: exchange.responseHeaders,
    response: exchange.text(),
    remoteAddress: exchange.progress.remoteAddress,
    timings: timingsOf(exchange, startedAt),
  };
}

function timingsOf(exchange: Exchange | null, startedAt: number) {
  return {
    dnsMs: exchange?.progress.dnsMs ?? null,
    connectMs: exchange?.progress.connectMs ?? null,
    firstByteMs: exchange?.firstByteMs ?? null,
    totalMs: performance.now() - startedAt,
  };
}

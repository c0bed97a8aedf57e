/**
 * Connections to PostgreSQL: limited in number and in time, checked before their first use, dropped when in doubt.
 */
import pg, { type PoolClient } from 'pg';
import { StoreUnavailable } from '../../../ports/store.js';
import type { DatabaseClock } from './clock.js';
import { breaksConnection, translate } from './faults.js';
import { greetedPid, settingsOfTransaction } from './pooler.js';

export interface PoolOptions {
  readonly url: string;
  readonly size: number;
  readonly applicationName: string;
}

/** To open a connection, or to wait for a free one. */
const connectMs = 5_000;
/** For one statement or one batch. This also ends a connection whose other side disappeared silently. */
const answerMs = 8_000;
/**
 * The server times out just before we do. Otherwise it would continue a statement whose client has disconnected, with its
 * locks and one of the server's connections. And a statement that is only slow does not cost a connection.
 */
const statementMs = answerMs - 500;
/** For statements that read or rewrite everything. */
export const longAnswerMs = 10 * 60_000;
const idleMs = 60_000;
const keepAliveMs = 5_000;

const int8 = 20;
const numeric = 1700;
/** Counts and times as numbers: ours stay below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 || oid === numeric
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export const clientOptions = ({ url, applicationName }: Omit<PoolOptions, 'size'>): pg.ClientConfig => ({
  connectionString: url,
  application_name: applicationName,
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveMs,
  types,
});

const limits = {
  lock_timeout: answerMs - 1_000,
  statement_timeout: statementMs,
  idle_in_transaction_session_timeout: answerMs,
};

/** Behind a pooler, each transaction sets its own limits. */
export const limitsOfTransaction = settingsOfTransaction(limits);

const setLimits = Object.entries(limits).map(
  ([name, ms]) => `CASE WHEN is_direct THEN set_config('${name}', '${ms}', false) END AS ${name}`,
);

/**
 * With synchronous_commit off, a response would be sent before the commit is on stable storage. It is switched on for our own
 * connections; a server that never syncs is refused. A pooler's connections are shared: our settings would reach other clients.
 */
const prepareText = `SELECT is_direct, current_setting('fsync') AS fsync,
  CASE WHEN is_direct AND current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false)
    ELSE current_setting('synchronous_commit') END AS synchronous_commit,
  ${setLimits.join(', ')}, clock_ms() AS now
  FROM (SELECT pg_backend_pid() = $1 AS is_direct) AS way`;

interface Prepared {
  readonly is_direct: boolean;
  readonly fsync: string;
  readonly synchronous_commit: string;
  readonly now: number;
}

export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #clock: DatabaseClock;
  /** Connections that were opened before this are suspect: one of their age stopped responding. */
  #trustedSince = 0;
  readonly #openedAt = new WeakMap<PoolClient, number>();
  readonly #pooled = new WeakSet<PoolClient>();

  constructor(options: PoolOptions, clock: DatabaseClock) {
    this.#clock = clock;
    this.#pool = new pg.Pool({ ...clientOptions(options), max: options.size, idleTimeoutMillis: idleMs });
    // Nothing to do when an idle connection ends: the next caller opens another.
    this.#pool.on('error', () => {});
    // A connection that ends while in use rejects its query; the event only repeats that. Registered this early because the
    // server's termination message may arrive in the same chunk as its greeting.
    this.#pool.on('connect', (client) => void client.on('error', () => {}));
  }

  /** Runs the work with one connection, and always releases it. */
  async use<T>(work: (client: PoolClient) => Promise<T>, withinMs = answerMs): Promise<T> {
    const client = await this.acquire();
    const isLong = withinMs > answerMs;
    let fault: unknown = null;
    try {
      if (isLong && !this.isPooled(client))
        await this.within(client, client.query(`SET statement_timeout = ${withinMs}`));
      return await this.within(client, work(client), withinMs);
    } catch (error) {
      fault = error;
      throw translate(error);
    } finally {
      // Not reused: its statement timeout was raised.
      if (isLong) client.release(true);
      else this.release(client, fault);
    }
  }

  /** Whether a pooler is between us and the server. If so, nothing may be left behind in the session. */
  isPooled(client: PoolClient): boolean {
    return this.#pooled.has(client);
  }

  async acquire(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#connect();
      const openedAt = this.#openedAt.get(client);
      if (openedAt === undefined) {
        await this.#prepare(client);
        return client;
      }
      if (openedAt >= this.#trustedSince) return client;
      client.release(true);
    }
  }

  /**
   * `fault` is the error of the connection's last use, or null. A connection that is still in a transaction is dropped too:
   * later statements would fail or be rolled back.
   */
  release(client: PoolClient, fault: unknown): void {
    client.release((fault !== null && breaksConnection(fault)) || isInTransaction(client));
  }

  /** Rejects when the response takes too long. The connection is then unusable, and others of its age may be as well. */
  async within<T>(client: PoolClient, answer: Promise<T>, ms = answerMs): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#trustedSince = performance.now();
        // Destroying the stream also rejects this promise, which is no longer awaited.
        answer.catch(() => {});
        client.connection.stream.destroy();
        reject(new StoreUnavailable(`PostgreSQL did not answer within ${ms / 1000} s`));
      }, ms);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  get connections(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  async #connect(): Promise<PoolClient> {
    if (this.#pool.ending) throw new StoreUnavailable('The database is closed');
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw translate(error);
    }
  }

  async #prepare(client: PoolClient): Promise<void> {
    const askedAt = performance.now();
    try {
      const { rows } = await this.within(client, client.query<Prepared>(prepareText, [greetedPid(client)]));
      const [row] = rows;
      if (row?.fsync !== 'on' || row.synchronous_commit === 'off') {
        throw new StoreUnavailable(
          'This PostgreSQL does not sync what it commits (fsync or synchronous_commit is off): ' +
            'an accepted submission could be lost. Set both to on.',
        );
      }
      if (!row.is_direct) this.#pooled.add(client);
      this.#clock.learn(row.now, askedAt, performance.now());
      this.#openedAt.set(client, askedAt);
    } catch (error) {
      client.release(true);
      throw translate(error);
    }
  }
}

/** As the server reported after its last response. */
const isInTransaction = (client: PoolClient): boolean => client.getTransactionStatus() !== 'I';

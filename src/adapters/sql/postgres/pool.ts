/**
 * Connections to PostgreSQL: bounded in number and in time, looked at before their first use, thrown away when in doubt.
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

/** For a connection: opening one, or waiting until one is free. */
const connectMs = 5_000;
/** For one statement, or one batch of them. A connection whose far end is gone without a word ends here, too. */
const answerMs = 8_000;
/**
 * The server gives up just before we do: one whose client is gone would go on with a statement that nobody waits for,
 * and with it hold its locks and one of the server's places; and a statement that is only slow costs no connection.
 */
const statementMs = answerMs - 500;
/** For those that read everything. */
export const longAnswerMs = 10 * 60_000;
const idleMs = 60_000;
const keepAliveMs = 5_000;

const int8 = 20;
const numeric = 1700;
/** Counts and instants as numbers: ours stay below 2^53. */
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

/** Behind a pooler each transaction sets the limits for itself. */
export const limitsOfTransaction = settingsOfTransaction(limits);

const setLimits = Object.entries(limits).map(
  ([name, ms]) => `CASE WHEN is_direct THEN set_config('${name}', '${ms}', false) END AS ${name}`,
);

/**
 * Off would mean that an answer goes out before the commit is on stable storage. That is set for our own connections; a
 * server that never syncs is refused. A pooler's connections are not our own: what we set would reach others.
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
  /** Connections that were opened before this are suspect: one of their age did not answer any more. */
  #trustedSince = 0;
  readonly #openedAt = new WeakMap<PoolClient, number>();
  readonly #pooled = new WeakSet<PoolClient>();

  constructor(options: PoolOptions, clock: DatabaseClock) {
    this.#clock = clock;
    this.#pool = new pg.Pool({ ...clientOptions(options), max: options.size, idleTimeoutMillis: idleMs });
    // Idle connections that end are simply gone; the next caller opens another.
    this.#pool.on('error', () => {});
    // One that ends while it is lent rejects its query; the event is only the library's second voice. From the first
    // moment: the server's farewell may come in the same piece of bytes as its welcome.
    this.#pool.on('connect', (client) => void client.on('error', () => {}));
  }

  /** Lends one connection to the work and takes it back, whatever happens. */
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
      // One that may take long is not for the others.
      if (isLong) client.release(true);
      else this.release(client, fault);
    }
  }

  /** Whether a pooler is between us and the server: nothing may be left behind in the session. */
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
   * `fault`: what the last use of it ended with. One that is still in a transaction is of no use to anybody: all that it is
   * asked would fail, or would be undone.
   */
  release(client: PoolClient, fault: unknown): void {
    client.release((fault !== null && breaksConnection(fault)) || isInTransaction(client));
  }

  /** Rejects when the answer takes too long. The connection is of no use then, and others of its age may not be either. */
  async within<T>(client: PoolClient, answer: Promise<T>, ms = answerMs): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#trustedSince = performance.now();
        // Its own promise is rejected by that as well, but nobody hears it any more.
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

/** As the server said after the last answer. */
const isInTransaction = (client: PoolClient): boolean => client.getTransactionStatus() !== 'I';

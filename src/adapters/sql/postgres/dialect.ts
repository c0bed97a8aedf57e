/** Connects Kysely to our connections: one pool for reading and writing, transactions one after the other. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { PoolClient } from 'pg';
import { storable } from './batch.js';
import { breaksConnection, translate } from './faults.js';
import { limitsOfTransaction, type PostgresPool } from './pool.js';

const counting = new Set(['INSERT', 'UPDATE', 'DELETE']);

class PooledConnection implements DatabaseConnection {
  #fault: unknown = null;

  constructor(
    readonly pool: PostgresPool,
    readonly client: PoolClient,
  ) {}

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const values = parameters.map((value) => (typeof value === 'string' ? storable(value) : value));
    try {
      const { command, rowCount, rows } = await this.pool.within(
        this.client,
        // Without values this uses the simple protocol, which takes several statements in one round trip.
        values.length === 0 ? this.client.query(sql) : this.client.query(sql, values),
      );
      const result = { rows: (rows ?? []) as R[] };
      return counting.has(command) ? { ...result, numAffectedRows: BigInt(rowCount ?? 0) } : result;
    } catch (error) {
      this.#note(error);
      throw translate(error);
    }
  }

  /** After a failed statement, the server responds to COMMIT with ROLLBACK and no error: nothing was committed. */
  async commit(): Promise<void> {
    try {
      const { command } = await this.pool.within(this.client, this.client.query('COMMIT'));
      if (command !== 'COMMIT')
        throw new Error('A statement of the transaction failed, so all of it was undone');
    } catch (error) {
      this.#note(error);
      throw translate(error);
    }
  }

  /** A fault that broke the connection must not be hidden by an earlier one that did not. */
  #note(error: unknown): void {
    if (this.#fault === null || breaksConnection(error)) this.#fault = error;
  }

  release(): void {
    this.pool.release(this.client, this.#fault);
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for the method; pages are read by key, never streamed.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not offered: read in pages');
  }
}

const run = (connection: DatabaseConnection, sql: string): Promise<QueryResult<unknown>> =>
  connection.executeQuery(CompiledQuery.raw(sql));

/** The transaction with this lock is the only one that reads before it writes. */
const writerLock = 7_231_490_001;

// If the connection is lost, the server has rolled back already.
const rollBack = async (connection: DatabaseConnection): Promise<void> =>
  void (await run(connection, 'ROLLBACK').catch(() => {}));

async function begin(connection: PooledConnection): Promise<void> {
  const limits = connection.pool.isPooled(connection.client) ? `${limitsOfTransaction.sql};` : '';
  try {
    await run(
      connection,
      `BEGIN ISOLATION LEVEL READ COMMITTED; ${limits} SELECT pg_advisory_xact_lock(${writerLock})`,
    );
  } catch (error) {
    // If only the lock failed, the transaction has begun nevertheless, and Kysely does not roll back after a failed begin.
    await rollBack(connection);
    throw error;
  }
}

/**
 * Transactions take one lock, so that they run one after the other across all processes, as in SQLite: what they read is
 * still true when they write. They are changes by owners and upkeep, which are rare; submissions and deliveries are
 * committed without the lock (`insertBatch`, `runBatch`).
 */
export function postgresDialect(pool: PostgresPool): Dialect {
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => new PooledConnection(pool, await pool.acquire()),
    beginTransaction: (connection) => begin(connection as PooledConnection),
    commitTransaction: (connection) => (connection as PooledConnection).commit(),
    rollbackTransaction: rollBack,
    releaseConnection: async (connection) => (connection as PooledConnection).release(),
    destroy: async () => {},
  };
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Connects Kysely to SQLite threads: one driver for the pool of readers, one for the only writer. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Mutex } from '../../../kernel/concurrency.js';
import type { SqlValue } from '../engine.js';
import type { SqliteConnection } from './connection.js';

/** Runs a write, and retries it if it failed and a retry may succeed. */
export type Persist = <T>(write: () => Promise<T>) => Promise<T>;

class ThreadConnection implements DatabaseConnection {
  isInTransaction = false;

  constructor(
    readonly thread: SqliteConnection,
    readonly release: () => void,
    readonly persist: Persist = (write) => write(),
  ) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const ask = () => this.thread.query(query.sql, query.parameters as readonly SqlValue[]);
    // A statement of a transaction cannot be repeated alone: the ones before it were rolled back.
    const answer = await (this.isInTransaction ? ask() : this.persist(ask));
    return { rows: answer.rows as R[], numAffectedRows: BigInt(answer.changes) };
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for the method; pages are read by key, never streamed.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not offered: read in pages');
  }
}

const run = (connection: DatabaseConnection, sql: string): Promise<QueryResult<unknown>> =>
  connection.executeQuery(CompiledQuery.raw(sql));

function dialect(acquire: () => Promise<ThreadConnection>): Dialect {
  const driver: Driver = {
    init: async () => {},
    acquireConnection: acquire,
    // IMMEDIATE: a deferred transaction that begins to write may fail at once, regardless of the timeout.
    beginTransaction: async (connection) => {
      (connection as ThreadConnection).isInTransaction = true;
      await run(connection, 'BEGIN IMMEDIATE');
    },
    commitTransaction: async (connection) => void (await run(connection, 'COMMIT')),
    rollbackTransaction: async (connection) =>
      void (await (connection as ThreadConnection).thread.rollback()),
    releaseConnection: async (connection) => (connection as ThreadConnection).release(),
    destroy: async () => {},
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

export const readerDialect = (next: () => SqliteConnection): Dialect =>
  dialect(async () => new ThreadConnection(next(), () => {}));

/** The mutex is locked from the first statement of a transaction to its end. */
export const writerDialect = (writer: SqliteConnection, turn: Mutex, persist: Persist): Dialect =>
  dialect(async () => new ThreadConnection(writer, await turn.acquire(), persist));

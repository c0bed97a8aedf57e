/** Teaches Kysely to speak to SQLite threads: one driver for the pool of readers, one for the only writer. */
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
import type { Mutex } from '../../kernel/concurrency.js';
import type { SqlValue } from './engine.js';
import type { SqliteConnection } from './sqlite-connection.js';

class ThreadConnection implements DatabaseConnection {
  constructor(
    readonly thread: SqliteConnection,
    readonly release: () => void,
  ) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const answer = await this.thread.query(query.sql, query.parameters as readonly SqlValue[]);
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
    // IMMEDIATE: a deferred transaction that turns to writing may fail at once, whatever the timeout.
    beginTransaction: async (connection) => void (await run(connection, 'BEGIN IMMEDIATE')),
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

export const leastBusy = (readers: readonly SqliteConnection[]): SqliteConnection =>
  readers.reduce((best, reader) => (reader.pending < best.pending ? reader : best));

/** Each statement goes to the reader with the least to do. */
export const readerDialect = (readers: readonly SqliteConnection[]): Dialect =>
  dialect(async () => new ThreadConnection(leastBusy(readers), () => {}));

/** Whoever holds the mutex is the writer, from the first statement of a transaction to its end. */
export const writerDialect = (writer: SqliteConnection, turn: Mutex): Dialect =>
  dialect(async () => new ThreadConnection(writer, await turn.acquire()));

/** What the queries of every noun need: where to read, where to write, how to seal. */
import { type Compilable, CompiledQuery, type DeleteResult, type Kysely, type UpdateResult } from 'kysely';
import type { FieldRule } from '../../contract/field-rule.js';
import type { Sealer } from '../../kernel/secrets.js';
import type { BatchResult, BatchStatement, SqlEngine, SqlValue } from './engine.js';
import type { Schema } from './schema.js';

export interface SqlContext {
  readonly read: Kysely<Schema>;
  /** Inside a transaction, both this and `read` are that transaction. */
  readonly write: Kysely<Schema>;
  readonly engine: SqlEngine;
  readonly sealer: Sealer;
  /** This process's share of the counters (see `form_totals`). Processes with the same slot wait for each other. */
  readonly slot: number;
  /** Deliveries are claimed and sent only while the database has the same epoch, see epoch.ts. */
  readonly epoch: number;
  readonly inTransaction: boolean;
  /** The database's clock, if processes share the database. */
  readonly now: () => number;
}

/** Runs the work in one transaction: the current one, or a new one. */
export const atomically = <T>(context: SqlContext, work: (db: Kysely<Schema>) => Promise<T>): Promise<T> =>
  context.inTransaction ? work(context.write) : context.engine.transaction(work);

/**
 * A lookup of one row that compiles its query once: compiling the three lookups of an image took 0.4 to 0.6 ms, measured.
 * Pass the values in the order in which they appear in the query.
 */
export function prepared<Row>(
  db: Kysely<Schema>,
  makeQuery: () => Compilable<Row>,
): (...values: readonly SqlValue[]) => Promise<Row | undefined> {
  let query: CompiledQuery<Row> | null = null;
  return async (...values) => {
    query ??= makeQuery().compile();
    const { rows } = await db.executeQuery<Row>({ ...query, parameters: values });
    return rows[0];
  };
}

/** Returns false when there was no row to change. */
export async function changesAny(change: {
  executeTakeFirst(): Promise<UpdateResult | DeleteResult>;
}): Promise<boolean> {
  const result = await change.executeTakeFirst();
  return ('numUpdatedRows' in result ? result.numUpdatedRows : result.numDeletedRows) > 0n;
}

/** Runs all statements in one transaction, and in one round trip unless a transaction is already open. */
export async function runBatch(
  { engine, write, inTransaction }: SqlContext,
  statements: readonly BatchStatement[],
): Promise<readonly BatchResult[]> {
  if (!inTransaction) return engine.runBatch(statements);
  const results: BatchResult[] = [];
  for (const { sql, rows } of statements) {
    const result = { changes: [] as number[], rows: [] as SqlValue[][][] };
    for (const row of rows) {
      const done = await write.executeQuery(CompiledQuery.raw(engine.textOf(sql), [...row]));
      result.changes.push(Number(done.numAffectedRows ?? 0n));
      result.rows.push(done.rows.map((one) => Object.values(one as Record<string, SqlValue>)));
    }
    results.push(result);
  }
  return results;
}

/** Sorts counters by form: transactions that lock the same rows in this order cannot deadlock. */
export const inLockOrder = <T>(byForm: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...byForm].sort(([a], [b]) => (a < b ? -1 : 1));

export const listText = (values: readonly string[]): string => JSON.stringify(values);
export const toRules = (text: string): readonly FieldRule[] => JSON.parse(text) as FieldRule[];

export const toList = (text: string): readonly string[] => JSON.parse(text) as string[];

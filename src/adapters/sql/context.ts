/** What every noun's queries are given: where to read, where to write, how to seal. */
import { type Compilable, CompiledQuery, type DeleteResult, type Kysely, type UpdateResult } from 'kysely';
import type { FieldRule } from '../../contract/field-rule.js';
import type { Sealer } from '../../kernel/secrets.js';
import type { BatchResult, BatchStatement, SqlEngine, SqlValue } from './engine.js';
import type { Schema } from './schema.js';

export interface SqlContext {
  readonly read: Kysely<Schema>;
  /** Inside a transaction this and `read` are that transaction. */
  readonly write: Kysely<Schema>;
  readonly engine: SqlEngine;
  readonly sealer: Sealer;
  /** This process's share of the counters (see `form_totals`): processes that share a slot wait for each other. */
  readonly slot: number;
  /** Only while the database has the same one may something be claimed and sent, see epoch.ts. */
  readonly epoch: number;
  readonly inTransaction: boolean;
  /** The time of the database, where processes share one. */
  readonly now: () => number;
}

/** Runs the work in one transaction: the one we are in, or a new one. */
export const atomically = <T>(context: SqlContext, work: (db: Kysely<Schema>) => Promise<T>): Promise<T> =>
  context.inTransaction ? work(context.write) : context.engine.transaction(work);

/**
 * A look for one row whose text is made once: making those of a picture's three look-ups took 0.4 to 0.6 ms, measured. The
 * values are given in the order in which they stand in the query.
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

/** Whether there was a row to change. */
export async function changesAny(change: {
  executeTakeFirst(): Promise<UpdateResult | DeleteResult>;
}): Promise<boolean> {
  const result = await change.executeTakeFirst();
  return ('numUpdatedRows' in result ? result.numUpdatedRows : result.numDeletedRows) > 0n;
}

/** All of them in one transaction, and in one trip unless we are in a transaction already. */
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

/** Counters are added to by form: of two transactions that lock the same rows, each in this order, none waits for ever. */
export const inLockOrder = <T>(byForm: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...byForm].sort(([a], [b]) => (a < b ? -1 : 1));

export const listText = (values: readonly string[]): string => JSON.stringify(values);
export const toRules = (text: string): readonly FieldRule[] => JSON.parse(text) as FieldRule[];

export const toList = (text: string): readonly string[] => JSON.parse(text) as string[];

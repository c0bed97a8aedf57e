/**
 * The interface between the store's SQL, written once, and the database below it. Every difference between the databases
 * is a named member here; code above must never ask which database it runs on.
 */
import type { Kysely } from 'kysely';
import type { SubmissionFilter } from '../../model/submission.js';
import type { TracesLeft, TracesRemoval } from '../../ports/persons.js';
import type { SubmissionScope } from '../../ports/store.js';
import type { Schema, SubmissionRow } from './schema.js';

export type SqlValue = string | number | null;

/** Rows for one table. `onConflict` is the tail of the insert, in SQL that means the same in all our databases. */
export interface BatchInsert {
  readonly table: keyof Schema;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
  /** SQL that computes a column from the value in its rows; `?` stands for that value. */
  readonly derived?: Readonly<Record<string, string>>;
  readonly onConflict?: string;
}

/** Columns of a `Mapping` are quoted, the keys of `derived` are not. */
const placeOf = (column: string, derived: BatchInsert['derived']): string =>
  derived?.[column.replaceAll('"', '')] ?? '?';

export const insertText = ({ table, columns, derived, onConflict }: BatchInsert): string =>
  `INSERT INTO ${table} (${columns.join(', ')})
    VALUES (${columns.map((column) => placeOf(column, derived)).join(', ')}) ${onConflict ?? ''}`;

/** One statement with `?` parameters, run once for each row of them. */
export interface BatchStatement {
  readonly sql: string;
  readonly rows: readonly (readonly SqlValue[])[];
}

/** The result of one statement of a batch. */
export interface BatchResult {
  /** How many rows each row of parameters changed. May be empty for a statement that returns rows. */
  readonly changes: readonly number[];
  /**
   * The rows that each row of parameters returned, as values in column order; empty for a statement that returns nothing.
   * Without names: with them, creating a row of the queue took 5 µs longer.
   */
  readonly rows: readonly (readonly (readonly SqlValue[])[])[];
}

/** A claim on one lane: who claims, how many deliveries at most, and for how long. */
export interface LineClaim {
  readonly lane: string;
  readonly queue: number;
  readonly limit: number;
  readonly now: number;
  readonly token: string;
  readonly owner: string;
  readonly until: number;
  /** Nothing is claimed while the database has a different epoch. */
  readonly epoch: number;
}

export interface SearchQuery {
  readonly scope: SubmissionScope;
  /** Its words consist only of letters, digits and their marks (model/words.ts), so none can be query syntax. */
  readonly filter: SubmissionFilter;
  readonly beforeSeq: number | null;
  readonly limit: number;
}

export interface FoundRow extends SubmissionRow {
  readonly seq: number;
  /** Length of the data of this row and of all rows before it on the page. */
  readonly bytes_so_far: number;
}

/**
 * A page ends here even if more rows were requested: a hundred rows of a mebibyte each would be in memory three times.
 * Receiving four mebibytes from the database's thread and writing them out blocked the event loop for up to 37 ms.
 */
export const maxPageBytes = 1024 * 1024;

export interface SqlEngine {
  readonly name: string;
  /** Names of the migrations that were applied when the database was opened. */
  readonly migrated: readonly string[];
  /** For reading. Never blocks a write. */
  readonly read: Kysely<Schema>;
  /** For writing, one statement at a time. */
  readonly write: Kysely<Schema>;
  /**
   * Runs the work in its own transaction. These run one after the other, across all processes; batches and single statements
   * may commit meanwhile. The work may run again from the start, for instance after a conflict with another transaction.
   */
  transaction<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** Translates a statement with `?` parameters to this database's syntax. */
  textOf(statement: string): string;
  /** Inserts all rows in one synced transaction and one round trip to the database. */
  insertBatch(inserts: readonly BatchInsert[]): Promise<void>;
  /** Runs all statements in order, in one synced transaction and one round trip. */
  runBatch(statements: readonly BatchStatement[]): Promise<readonly BatchResult[]>;
  /**
   * Batch statements that claim due deliveries, earliest first, without waiting for other processes that claim in the same
   * lane. The first one returns, for each lane, the `claimedColumns` of the claimed rows as they were before, in any order.
   */
  claimDue(lines: readonly LineClaim[]): readonly BatchStatement[];
  /** Suffix of a SELECT that locks its rows until the transaction ends; empty where there is only one writer. */
  readonly rowLock: '' | 'FOR UPDATE';
  /** Suffix of a SELECT whose rows others may read and reference, but not lock with `rowLock`, until the transaction ends. */
  readonly sharedLock: '' | 'FOR KEY SHARE';
  /** Submissions that match all words, latest commit first, only those committed before `beforeSeq`. */
  search(query: SearchQuery): Promise<readonly FoundRow[]>;
  /** Removes submissions from the search index. Call it inside the transaction that deletes them. */
  unindex(db: Kysely<Schema>, submissionIds: readonly string[]): Promise<void>;
  /** Moves submissions to another project, in their table and in the search index. Call it inside a transaction. */
  moveToProject(db: Kysely<Schema>, submissionIds: readonly string[], projectId: string): Promise<void>;
  /** Indexes submissions again whose data has changed. Call it inside the transaction that changes it. */
  reindex(db: Kysely<Schema>, submissionIds: readonly string[]): Promise<void>;
  /** Runs one bounded step of bringing the search index up to date. Returns false when nothing is left. */
  indexStep(): Promise<boolean>;
  /** A text as this database returns it: not every database can store every character. */
  keptText(text: string): string;
  /** What the work deletes is overwritten in the files of the database, as far as the database supports it. */
  erasing<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Removes what deleted rows leave behind in the files of the database, including the search index. Afterwards the files
   * contain none of the spellings, in upper or lower case, unless a row still has it. `spellings` is null if they are unknown.
   */
  removeTraces(spellings: readonly string[] | null, signal: AbortSignal): Promise<TracesRemoval>;
  /** What `removeTraces` would leave behind, as far as that can be known. Returns null for nothing. */
  expectedTraces(): Promise<TracesLeft | null>;
  check(): Promise<void>;
  sizeBytes(): Promise<number>;
  /** Reads all stored data and returns what is wrong with it. */
  verify(): Promise<readonly string[]>;
  backup(path: string, onProgress: (done: number, total: number) => void): Promise<void>;
  /** Call it after inserting rows with explicit numbers (`submissions.seq`), so that new rows continue from there. Repeatable. */
  afterImport(): Promise<void>;
  close(): Promise<void>;
}

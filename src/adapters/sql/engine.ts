/**
 * The seam between the one SQL implementation of the store and the database below it. Every difference between the
 * databases is a named member here; nothing above may ask which database it is.
 */
import type { Kysely } from 'kysely';
import type { SubmissionFilter } from '../../model/submission.js';
import type { TracesLeft, TracesRemoval } from '../../ports/persons.js';
import type { SubmissionScope } from '../../ports/store.js';
import type { Schema, SubmissionRow } from './schema.js';

export type SqlValue = string | number | null;

/** Rows for one table. `onConflict` is the tail of the insert, in SQL that all our databases read alike. */
export interface BatchInsert {
  readonly table: keyof Schema;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
  /** How a column's value follows from what its rows give, which stands as `?`. */
  readonly derived?: Readonly<Record<string, string>>;
  readonly onConflict?: string;
}

/** Mapped columns are quoted. */
const placeOf = (column: string, derived: BatchInsert['derived']): string =>
  derived?.[column.replaceAll('"', '')] ?? '?';

export const insertText = ({ table, columns, derived, onConflict }: BatchInsert): string =>
  `INSERT INTO ${table} (${columns.join(', ')})
    VALUES (${columns.map((column) => placeOf(column, derived)).join(', ')}) ${onConflict ?? ''}`;

/** One statement for many rows of parameters, which stand as `?`. */
export interface BatchStatement {
  readonly sql: string;
  readonly rows: readonly (readonly SqlValue[])[];
}

/** What one statement of a batch did. */
export interface BatchResult {
  /** How many rows each row of parameters changed; not told of a statement that gives rows back. */
  readonly changes: readonly number[];
  /**
   * What each row of parameters gave back, the values in the order of the columns; empty for a statement that gives nothing
   * back. No names: with them a row of the queue took 5 µs more to make.
   */
  readonly rows: readonly (readonly (readonly SqlValue[])[])[];
}

/** Who claims how much of one line of the deliveries, and for how long. */
export interface LineClaim {
  readonly lane: string;
  readonly queue: number;
  readonly limit: number;
  readonly now: number;
  readonly token: string;
  readonly owner: string;
  readonly until: number;
  /** Nothing is claimed while the database has another one. */
  readonly epoch: number;
}

export interface SearchQuery {
  readonly scope: SubmissionScope;
  /** Its words are letters, digits and their marks only (model/words.ts), so none can be query syntax. */
  readonly filter: SubmissionFilter;
  readonly beforeSeq: number | null;
  readonly limit: number;
}

export interface FoundRow extends SubmissionRow {
  readonly seq: number;
  /** The length of its data and of all before it on the page. */
  readonly bytes_so_far: number;
}

/**
 * A page ends here even if more rows were asked for: a hundred of a mebibyte each would be held three times over. Taking
 * four mebibytes from the database's thread and writing them out held the event loop for up to 37 ms.
 */
export const maxPageBytes = 1024 * 1024;

export interface SqlEngine {
  readonly name: string;
  /** The migrations that were applied when it was opened. */
  readonly migrated: readonly string[];
  /** For reading. Never holds up a write. */
  readonly read: Kysely<Schema>;
  /** For writing, a statement at a time. */
  readonly write: Kysely<Schema>;
  /**
   * The work in a transaction of its own: no other transaction writes between its first statement and its end. It may run
   * again, from its beginning, when others stood in its way.
   */
  transaction<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** A statement with its parameters as `?`, as this database reads it. */
  textOf(statement: string): string;
  /** All rows of all inserts in one synced transaction, in one trip to the database. */
  insertBatch(inserts: readonly BatchInsert[]): Promise<void>;
  /** All of them in one synced transaction, in their order, in one trip. */
  runBatch(statements: readonly BatchStatement[]): Promise<readonly BatchResult[]>;
  /**
   * The statements of a batch that claim what is due, the earliest first, without waiting for others that claim in the
   * same line. The first gives back, for each line, the `claimedColumns` of the claimed as they were before, in any order.
   */
  claimDue(lines: readonly LineClaim[]): readonly BatchStatement[];
  /** The end of a SELECT that keeps its rows from others until the transaction ends; empty where only one can write. */
  readonly rowLock: '' | 'FOR UPDATE';
  /** The end of a SELECT whose rows others may read and refer to, but not lock by `rowLock`, until the transaction ends. */
  readonly sharedLock: '' | 'FOR KEY SHARE';
  /** Submissions that match all words, latest commit first, only those committed before `beforeSeq`. */
  search(query: SearchQuery): Promise<readonly FoundRow[]>;
  /** Takes a submission out of the search index; inside the transaction that deletes it. */
  unindex(db: Kysely<Schema>, submissionIds: readonly string[]): Promise<void>;
  /** Puts submissions into another project, in their table and in the search index; inside a transaction. */
  moveToProject(db: Kysely<Schema>, submissionIds: readonly string[], projectId: string): Promise<void>;
  /** Their data has changed; inside the transaction that changes it. */
  reindex(db: Kysely<Schema>, submissionIds: readonly string[]): Promise<void>;
  /** One bounded step of bringing the search index up to date; false when nothing is left. */
  indexStep(): Promise<boolean>;
  /** A text as this database gives it back; not every one can hold every character. */
  keptText(text: string): string;
  /** What is deleted meanwhile is overwritten in the files of the database, as far as the database can. */
  erasing<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Removes what deleted rows leave behind in the files of the database, the search index included. Afterwards none of the
   * spellings is found there, in upper or lower case, unless a row holds it; null: they are not known.
   */
  removeTraces(spellings: readonly string[] | null, signal: AbortSignal): Promise<TracesRemoval>;
  /** What it would leave, as far as that can be known; null: nothing. */
  expectedTraces(): Promise<TracesLeft | null>;
  check(): Promise<void>;
  sizeBytes(): Promise<number>;
  /** What a full read finds wrong with the stored data. */
  verify(): Promise<readonly string[]>;
  backup(path: string, onProgress: (done: number, total: number) => void): Promise<void>;
  /** After rows were inserted with their numbers (`submissions.seq`): the next number follows them. Repeatable. */
  afterImport(): Promise<void>;
  close(): Promise<void>;
}

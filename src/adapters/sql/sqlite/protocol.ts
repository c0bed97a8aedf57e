/** Messages between the request thread and a SQLite thread. */
import type { BatchStatement, SqlValue } from '../engine.js';

export interface ThreadOptions {
  readonly path: string;
  readonly readOnly: boolean;
}

/** Rows to read and to judge by their words, see sieve.ts. */
export interface SiftRequest {
  /** Returns `seq`, `form_id`, `project_id`, `data` and `is_wanted`. Other columns are passed on. */
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** What a row must match, as a query of the index. */
  readonly match: string;
  /** For each of these queries, the number of matching rows is returned. */
  readonly tests: readonly string[];
  readonly maxBytes: number;
}

export interface Sifted {
  /** Those that match and are wanted, in their order. */
  readonly rows: readonly unknown[];
  /** How many were judged, wanted or not, and the length of their data. */
  readonly judged: number;
  readonly bytes: number;
  readonly passed: readonly number[];
  /** The `seq` of the last row that was judged; null when none was. */
  readonly lastSeq: number | null;
  /** True if it stopped before the end of the statement, because the next row would have exceeded `maxBytes`. */
  readonly isCut: boolean;
}

export type ThreadRequest =
  | {
      readonly id: number;
      readonly kind: 'query';
      readonly sql: string;
      readonly params: readonly SqlValue[];
    }
  | {
      readonly id: number;
      readonly kind: 'batch';
      readonly statements: readonly BatchStatement[];
      /** Whether to return a BatchResult for each statement: what each row of parameters changed and returned. */
      readonly isAnswered: boolean;
    }
  /** Several statements. A failure leaves no transaction open. */
  | { readonly id: number; readonly kind: 'script'; readonly sql: string }
  /** Also safe when SQLite itself has rolled back already, as it does on a full disk. */
  | { readonly id: number; readonly kind: 'rollback' }
  | ({ readonly id: number; readonly kind: 'sift' } & SiftRequest)
  | { readonly id: number; readonly kind: 'backup'; readonly path: string }
  | { readonly id: number; readonly kind: 'close' };

export interface ThreadResult {
  readonly id: number;
  readonly rows: readonly unknown[];
  readonly changes: number;
}

export type ThreadAnswer =
  /** `tookMs`: how long the thread was busy with it. Requests that arrived meanwhile have waited. */
  | (ThreadResult & { readonly tookMs: number })
  | { readonly id: number; readonly progress: { readonly done: number; readonly total: number } }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: number | null } };

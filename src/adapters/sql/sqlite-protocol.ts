/** What the request thread and a SQLite thread say to each other. */
import type { BatchStatement, SqlValue } from './engine.js';

export interface ThreadOptions {
  readonly path: string;
  readonly readOnly: boolean;
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
      /** Whether it is of interest what each row of parameters changed and gave back: a BatchResult for each statement. */
      readonly isAnswered: boolean;
    }
  /** Several statements; what fails leaves no transaction open. */
  | { readonly id: number; readonly kind: 'script'; readonly sql: string }
  /** Also right when the engine itself has rolled back already, as it does on a full disk. */
  | { readonly id: number; readonly kind: 'rollback' }
  | { readonly id: number; readonly kind: 'backup'; readonly path: string }
  | { readonly id: number; readonly kind: 'close' };

export type ThreadAnswer =
  | { readonly id: number; readonly rows: readonly unknown[]; readonly changes: number }
  | { readonly id: number; readonly progress: { readonly done: number; readonly total: number } }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: number | null } };

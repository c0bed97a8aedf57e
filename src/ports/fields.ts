/**
 * The fields that the submissions of each form have had. Those of a submission are stored by the commit that stores it
 * (`NewSubmission.fields`), so that none is missing.
 */
import type { ObservedField, SeenField } from '../model/observed-field.js';

/** Submissions whose fields were not stored with them: they are of an earlier release. */
export interface Backlog {
  readonly submissions: readonly {
    readonly formId: string;
    readonly data: string;
    readonly createdAt: number;
    readonly files: readonly { readonly fieldName: string }[];
  }[];
  /** For `learn`; null: these are the last ones. */
  readonly next: number | null;
}

export interface FieldStore {
  /** In the order in which they were first seen; at most `maxObservedNames`. */
  list(formId: string): Promise<readonly ObservedField[]>;
  /** Whether the fields of all submissions are there. */
  isComplete(): Promise<boolean>;
  /** Some of the submissions whose fields may not be there; null: all are. */
  backlog(): Promise<Backlog | null>;
  /** Stores the fields of a part of the backlog, and that it is done. */
  learn(fields: readonly SeenField[], next: Backlog['next']): Promise<void>;
  /** Begins the backlog anew: a process of another release may have stored submissions without their fields. */
  relearn(): Promise<void>;
}

/**
 * The fields seen in the submissions of each form. The fields of a submission are stored by the commit that stores it
 * (`NewSubmission.fields`), so that none is missing.
 */
import type { ObservedField, SeenField } from '../model/observed-field.js';

/** Submissions of an earlier release, whose fields were not stored with them. */
export interface Backlog {
  readonly submissions: readonly {
    readonly formId: string;
    readonly data: string;
    readonly createdAt: number;
    readonly files: readonly { readonly fieldName: string }[];
  }[];
  /** For `learn`; null when these are the last ones. */
  readonly next: number | null;
}

export interface FieldStore {
  /** In the order in which they were first seen; at most `maxObservedNames`. */
  list(formId: string): Promise<readonly ObservedField[]>;
  /** Whether the fields of all submissions are stored. */
  isComplete(): Promise<boolean>;
  /** Some of the submissions whose fields may be missing; null when none are. */
  backlog(): Promise<Backlog | null>;
  /** Stores the fields of a part of the backlog and marks that part as done. */
  learn(fields: readonly SeenField[], next: Backlog['next']): Promise<void>;
  /** Starts the backlog over: a process of another release may have stored submissions without their fields. */
  relearn(): Promise<void>;
}

/** What is stored of a person, and erasures, which are durable: each step is one transaction with its progress. */
import type { Delivery } from '../model/delivery.js';
import type { Erasure, ErasureStage, PersonPlace } from '../model/erasure.js';
import type { PersonKey } from '../model/person.js';

/** A stored row that may hold a person. */
export interface PersonRow {
  /** The row, for `erase`. */
  readonly ref: string;
  readonly formId: string | null;
  readonly submissionId: string | null;
  readonly createdAt: number | null;
  /** What is to be looked through; may be JSON. */
  readonly texts: readonly (string | null)[];
}

export interface PersonPage {
  /** Those that can hold the person. */
  readonly rows: readonly PersonRow[];
  /** Where to go on; null: that was the last page. */
  readonly next: string | null;
}

export interface PersonStore {
  /**
   * The rows of a place, of all forms of the account, a bounded part of the table at a time. `key` leaves out what cannot hold
   * the person; null: nothing is left out.
   */
  scan(accountId: string, place: PersonPlace, key: PersonKey | null, after: string): Promise<PersonPage>;
}

/** Where an erasure is. */
export type ErasurePosition = Pick<Erasure, 'stage' | 'place' | 'after'>;

export interface ErasureStep {
  /** Rows of the place that it is at. */
  readonly refs: readonly string[];
  readonly to: ErasurePosition;
  readonly now: number;
}

/** Bytes of deleted rows that stay, because the database may not remove them. */
export interface TracesLeft {
  readonly reason: string;
  /** What the operator can do. */
  readonly remedy: string;
}

/** `busy`: somebody is reading who must end first. */
export type TracesRemoval = 'removed' | 'busy' | TracesLeft;

export interface ErasureStore {
  /** Nothing if it is known already. */
  create(erasure: Erasure): Promise<void>;
  find(accountId: string, id: string): Promise<Erasure | null>;
  /** Newest first, at most 100. */
  list(accountId: string): Promise<readonly Erasure[]>;
  listRunning(): Promise<readonly Erasure[]>;
  /** Those of the ids that this database knows. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Erases the rows and notes the progress, in one transaction. `busy`: some of them are being sent at this moment; nothing that
   * waits is sent any more, and the step is to be repeated. null: somebody else has done it.
   */
  eraseRows(erasure: Erasure, step: ErasureStep): Promise<{ erasure: Erasure; isBusy: boolean } | null>;
  /** Into another stage; null: somebody else has done it. */
  enter(erasure: Erasure, stage: Exclude<ErasureStage, 'finished'>): Promise<Erasure | null>;
  /**
   * Into the last stage, in which what was asked for is forgotten, with what destinations are told of it: both, or nothing. Null:
   * somebody else has done it.
   */
  finish(erasure: Erasure, notices: readonly Delivery[], now: number): Promise<Erasure | null>;
  /** Some keys of bytes that are to be removed. */
  listBlobs(id: string, limit: number): Promise<readonly string[]>;
  forgetBlobs(id: string, keys: readonly string[]): Promise<void>;
  /** The submissions that it has deleted. */
  submissionIds(id: string): Promise<readonly string[]>;
  /**
   * Removes what deleted rows leave behind in the files of the database. `spellings`: none of them may be found there afterwards;
   * null: they are not known.
   */
  removeTraces(spellings: readonly string[] | null, signal: AbortSignal): Promise<TracesRemoval>;
  /** What `removeTraces` would leave, as far as that can be known; null: nothing. */
  expectedTraces(): Promise<TracesLeft | null>;
}

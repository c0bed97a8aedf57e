/** What is stored about a person, and erasures. Erasures are durable: each step is one transaction with its progress. */
import type { Delivery } from '../model/delivery.js';
import type { Erasure, ErasureStage, PersonPlace } from '../model/erasure.js';
import type { PersonKey } from '../model/person.js';

/** A stored row that may contain a person. */
export interface PersonRow {
  /** Identifies the row for `eraseRows`. */
  readonly ref: string;
  readonly formId: string | null;
  readonly submissionId: string | null;
  readonly createdAt: number | null;
  /** The texts to search; may be JSON. */
  readonly texts: readonly (string | null)[];
}

export interface PersonPage {
  /** Rows that can contain the person. */
  readonly rows: readonly PersonRow[];
  /** Where to continue; null on the last page. */
  readonly next: string | null;
}

export interface PersonStore {
  /**
   * The rows of a place, across all forms of the account, a bounded part of the table at a time. `key` leaves out rows that
   * cannot contain the person; with null, nothing is left out.
   */
  scan(accountId: string, place: PersonPlace, key: PersonKey | null, after: string): Promise<PersonPage>;
}

/** How far an erasure has come. */
export type ErasurePosition = Pick<Erasure, 'stage' | 'place' | 'after'>;

export interface ErasureStep {
  /** Rows of the current place. */
  readonly refs: readonly string[];
  readonly to: ErasurePosition;
  readonly now: number;
}

/** Bytes of deleted rows that stay because we cannot remove them from the database. */
export interface TracesLeft {
  readonly reason: string;
  /** What the operator can do. */
  readonly remedy: string;
}

/** `busy`: a read is in progress that must end first. */
export type TracesRemoval = 'removed' | 'busy' | TracesLeft;

export interface ErasureStore {
  /** Does nothing when it is already known. */
  create(erasure: Erasure): Promise<void>;
  find(accountId: string, id: string): Promise<Erasure | null>;
  /** Newest first, at most 100. */
  list(accountId: string): Promise<readonly Erasure[]>;
  listRunning(): Promise<readonly Erasure[]>;
  countRunning(accountId: string): Promise<number>;
  /** Those of the ids that this database knows. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Erases the rows and records the progress, in one transaction. `isBusy`: some of them are being sent right now; nothing
   * that still waits is sent any more, and the step must be repeated. Returns null when another process has done it.
   */
  eraseRows(erasure: Erasure, step: ErasureStep): Promise<{ erasure: Erasure; isBusy: boolean } | null>;
  /** Enters another stage. Returns null when another process has done it. */
  enter(erasure: Erasure, stage: Exclude<ErasureStage, 'finished'>): Promise<Erasure | null>;
  /**
   * Enters the last stage, which forgets what the erasure searched for, and queues the notices to destinations: both, or
   * nothing. Returns null when another process has done it.
   */
  finish(erasure: Erasure, notices: readonly Delivery[], now: number): Promise<Erasure | null>;
  /** Some keys of blobs that are to be removed. */
  listBlobs(id: string, limit: number): Promise<readonly string[]>;
  forgetBlobs(id: string, keys: readonly string[]): Promise<void>;
  /** The submissions that it has deleted. */
  submissionIds(id: string): Promise<readonly string[]>;
  /**
   * Removes what deleted rows leave behind in the files of the database. None of the `spellings` may be found there
   * afterwards; null when they are not known.
   */
  removeTraces(spellings: readonly string[] | null, signal: AbortSignal): Promise<TracesRemoval>;
  /** What `removeTraces` would leave, as far as that can be known; null for nothing. */
  expectedTraces(): Promise<TracesLeft | null>;
}

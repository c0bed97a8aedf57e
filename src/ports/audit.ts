/** The part of the store for the audit log. Entries are written by a transaction's `record`, see `TransactionStore`. */
import type { ActorKind, AuditAction } from '../contract/audit.js';
import type { AuditEntry, AuditEvent, Recorder } from '../model/audit.js';

export interface AuditFilter {
  readonly actorKind: ActorKind | null;
  /** An id, or the name at the time of the entry. */
  readonly actor: string | null;
  /** A whole action, or the part before its dot. */
  readonly action: string | null;
  readonly objectKind: string | null;
  readonly objectId: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

export interface AuditRecorder {
  /**
   * Adds the event to its account's chain after everything else in the transaction, so that the chain is locked last and only
   * briefly: transactions that wait for each other there cannot deadlock. With `unlessSince`, does nothing if the same actor
   * did the same to the same object after that time.
   */
  record(event: AuditEvent, unlessSince?: number): void;
}

/** What a check of one chain found. */
export interface ChainReport {
  readonly accountId: string;
  /** How many entries there are. */
  readonly entries: number;
  /** Of the last entry. Stored elsewhere, it reveals that a database was replaced by an older copy. */
  readonly hash: string;
  /** The first invalid entry, and what is wrong with it. */
  readonly fault: { readonly seq: number; readonly reason: string } | null;
}

export interface AuditStore {
  /** Newest first; only entries before the sequence number `before`. */
  list(
    accountId: string,
    filter: AuditFilter,
    page: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly AuditEntry[]>;
  /** Checks every chain from its first entry to its last. Reports how many entries it has checked so far. */
  verify(onProgress: (checked: number) => void): Promise<readonly ChainReport[]>;
  /**
   * Blanks values that match the test in a bounded number of the account's entries, after that sequence number, and records
   * that it did. The chain stays valid. `next` is where to continue, null at the end. Can be repeated.
   */
  redactStep(
    who: Recorder,
    after: number,
    isPersonal: (text: string) => boolean,
  ): Promise<{ readonly next: number | null; readonly redacted: number }>;
  /** Removes some of the oldest entries from before that time; the chain then begins after them. Returns false when none are left. */
  expireStep(before: number): Promise<boolean>;
  /** Calls the listener after entries of this process are durable. Returns the function that removes it. */
  watch(listener: (recorded: Recorded) => void): () => void;
}

export interface Recorded {
  readonly accountId: string;
  readonly seq: number;
  readonly action: AuditAction;
}

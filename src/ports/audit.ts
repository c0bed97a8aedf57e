/** The part of the store that holds the audit log. Entries are written by `record` of a transaction, see `TransactionStore`. */
import type { ActorKind, AuditAction } from '../contract/audit.js';
import type { AuditEntry, AuditEvent, Recorder } from '../model/audit.js';

export interface AuditFilter {
  readonly actorKind: ActorKind | null;
  /** An id, or a name as it was then. */
  readonly actor: string | null;
  /** A whole action, or what comes before its dot. */
  readonly action: string | null;
  readonly objectKind: string | null;
  readonly objectId: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

export interface AuditRecorder {
  /**
   * Adds the event to its account's chain when everything else of the transaction is done, so that the lock of the chain is
   * held for moments and taken last: transactions that wait for each other there cannot deadlock. `unlessSince`: not if the
   * same actor did the same to the same object after that time.
   */
  record(event: AuditEvent, unlessSince?: number): void;
}

/** What a check of one chain found. */
export interface ChainReport {
  readonly accountId: string;
  /** Those that are there. */
  readonly entries: number;
  /** Of the last one. Anyone who keeps it elsewhere can tell that a database was replaced by an older copy. */
  readonly hash: string;
  /** The first that is wrong, and what is wrong with it. */
  readonly fault: { readonly seq: number; readonly reason: string } | null;
}

export interface AuditStore {
  /** Newest first, those before that sequence number. */
  list(
    accountId: string,
    filter: AuditFilter,
    page: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly AuditEntry[]>;
  /** Checks every chain from its first entry to its end. Tells how many entries it has checked so far. */
  verify(onProgress: (checked: number) => void): Promise<readonly ChainReport[]>;
  /**
   * Blanks values of the account's entries that the test finds, in a bounded step of entries after that sequence number, and
   * records that it did; the chain stays whole. `next`: where to go on, null at the end. Repeatable.
   */
  redactStep(
    who: Recorder,
    after: number,
    isPersonal: (text: string) => boolean,
  ): Promise<{ readonly next: number | null; readonly redacted: number }>;
  /** Removes some of the oldest entries, from before that time; the chain begins after them. False when nothing is left. */
  expireStep(before: number): Promise<boolean>;
  /** Called after entries of this process are durable. Returns the function that ends it. */
  watch(listener: (recorded: Recorded) => void): () => void;
}

export interface Recorded {
  readonly accountId: string;
  readonly seq: number;
  readonly action: AuditAction;
}

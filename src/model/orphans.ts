/** Decides which files without a row can be deleted. Pure and cautious: connecting the wrong database must not cost a file. */

/** Longer than any request can take (15 minutes), so that an upload in flight never counts as an orphan. */
export const orphanAgeMs = 60 * 60 * 1000;

/** How much the clocks of a database and a bucket can differ: buckets reject requests that are off by more. */
const clockSkewMs = 15 * 60 * 1000;

/** Uploads need an account, so a file from before the first account is not an upload to this database. */
export const isOlderThan = (modifiedAt: number, createdAt: number): boolean =>
  modifiedAt < createdAt - clockSkewMs;

/** This many are always plausible: a crash under load can leave them. */
const plausibleOrphans = 100;
const plausibleShare = 0.1;

export interface FoundOrphans {
  /** Files in the store. */
  readonly listed: number;
  /** Files without a row, except recent ones. */
  readonly orphans: number;
  /** Orphans that were stored before the first account was created. */
  readonly older: number;
}

/** What a sweep found and did. */
export interface SweepReport extends FoundOrphans {
  readonly at: number;
  /** Nothing was moved to the trash, because `isAbsurd` returned true. */
  readonly isRefused: boolean;
  readonly discarded: number;
  /** Leftovers of unfinished uploads, and files that had been in the trash for long enough. */
  readonly removed: number;
}

/** Returns true when crashes cannot explain the orphans. More likely the database is the wrong one, or an old one. */
export const isAbsurd = ({ listed, orphans, older }: FoundOrphans): boolean =>
  older > 0 || orphans > Math.max(plausibleOrphans, plausibleShare * listed);

/** Which files without a row may be removed: pure, and careful. A wrong database must not cost a file. */

/** Longer than any request may take (15 minutes), so that an upload in flight is never taken for an orphan. */
export const orphanAgeMs = 60 * 60 * 1000;

/** How far the clocks of a database and a bucket may be apart: a bucket refuses requests that are further off. */
const clockSkewMs = 15 * 60 * 1000;

/** Uploads need an account: what was stored before the first one is no upload to this database. */
export const isOlderThan = (modifiedAt: number, createdAt: number): boolean =>
  modifiedAt < createdAt - clockSkewMs;

/** So many are always plausible: a crash under load. */
const plausibleOrphans = 100;
const plausibleShare = 0.1;

export interface FoundOrphans {
  /** Files in the store. */
  readonly listed: number;
  /** Those without a row, but for young ones. */
  readonly orphans: number;
  /** Those of them that were stored before the database was created. */
  readonly older: number;
}

/** What a sweep found and did. */
export interface SweepReport extends FoundOrphans {
  readonly at: number;
  /** Nothing was moved to the trash, because what was found is absurd. */
  readonly isRefused: boolean;
  readonly discarded: number;
  /** Leftovers of unfinished uploads, and what had been in the trash for long enough. */
  readonly removed: number;
}

/** True: this is not what crashes leave. More likely the database is the wrong one, or an old one. */
export const isAbsurd = ({ listed, orphans, older }: FoundOrphans): boolean =>
  older > 0 || orphans > Math.max(plausibleOrphans, plausibleShare * listed);

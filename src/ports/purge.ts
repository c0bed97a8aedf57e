/** Background cleaning, in bounded steps so that no write waits long behind one. */
import type { Day } from '../model/tally.js';

export interface PurgeStore {
  /** Removes some of what deleted projects and forms left behind; false when nothing is left. */
  purgeDeletedStep(now: number): Promise<boolean>;
  /** Removes some submissions that are past their form's retention; false when nothing is left. */
  purgeExpiredStep(now: number): Promise<boolean>;
  /** Removes some files that their form retains for less time than the submissions; false when nothing is left. */
  purgeExpiredFilesStep(now: number): Promise<boolean>;
  /** Removes the values of `redactFields` from some submissions that are delivered; false when nothing is left. */
  redactStep(now: number): Promise<boolean>;
  /** Removes some submissions that were moved to the trash before the given time; false when nothing is left. */
  purgeTrashStep(before: number, now: number): Promise<boolean>;
  /** Removes some submissions whose confirmation expired before the given time; false when nothing is left. */
  purgeUnconfirmedStep(before: number, now: number): Promise<boolean>;
  /** Removes some expired idempotency keys; false when nothing is left. */
  purgeIdempotentStep(now: number): Promise<boolean>;
  /** Removes some spent challenges that have expired; false when nothing is left. */
  purgeChallengesStep(now: number): Promise<boolean>;
  /** Removes some counts of mails to visitors from before `beforeDay`; false when nothing is left. */
  purgeMailCapsStep(beforeDay: Day): Promise<boolean>;
  /** Removes some counts from before `beforeDay` and some examples from before `examplesBefore`; false when nothing is left. */
  purgeTalliesStep(beforeDay: Day, examplesBefore: number): Promise<boolean>;
  /** Adds some counts of quarter hours before that UTC day to their days; false when nothing is left. */
  foldTalliesStep(beforeDay: Day): Promise<boolean>;
  /** Removes some sessions that have expired; false when nothing is left. */
  purgeSessionsStep(now: number): Promise<boolean>;
  /** Removes some attempts that began before the given time; false when nothing is left. */
  purgeAttemptsStep(before: number): Promise<boolean>;
  /** Removes some of what was quarantined before the given time or exceeds what a form may have there; false when nothing is left. */
  purgeQuarantineStep(before: number, most: { perForm: number; textPerForm: number }): Promise<boolean>;
}

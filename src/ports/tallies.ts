/** The part of the store for what was counted for each form, by day and by quarter hour. */
import type { Reach } from '../model/reach.js';
import type { Rejections } from '../model/rejections.js';
import type { Day, DayCount, DayRun, FormCount, TallyKind } from '../model/tally.js';
import type { TallyScope } from './scopes.js';

export interface FormTroubles {
  readonly formId: string;
  readonly formName: string;
  readonly projectId: string;
  readonly isSandbox: boolean;
  readonly undelivered: number;
  readonly waiting: number;
  readonly quarantined: number;
}

export interface TallyStore {
  /**
   * Adds the counts to the stored ones and stores the examples, the newest `examplesKept` for each form and reason; all of it
   * or nothing. What belongs to a deleted form is left out.
   */
  add(counts: readonly FormCount[], examples: readonly Rejections[]): Promise<void>;
  /**
   * Summed over the scope's forms that are not deleted; in no particular order. What is known only by its UTC day counts for
   * the day with the same date.
   */
  days(scope: TallyScope, runs: readonly DayRun[]): Promise<readonly DayCount[]>;
  /** Those kinds for each form of the account that is not deleted, from that UTC day on. */
  byForm(
    reach: Reach,
    fromDay: Day,
    kinds: readonly TallyKind[],
  ): Promise<readonly Omit<FormCount, 'quarterHour'>[]>;
  /**
   * The forms of the account, oldest first. `undelivered` counts submissions whose webhooks were given up since
   * `givenUpSince`, `waiting` those from before `waitingSince` whose webhooks are still tried; each up to `mostCounted`.
   */
  troubles(
    reach: Reach,
    times: { readonly givenUpSince: number; readonly waitingSince: number },
    mostCounted: number,
  ): Promise<readonly FormTroubles[]>;
  /** From that time on, newest first. */
  examples(formId: string, since: number): Promise<readonly Rejections[]>;
}

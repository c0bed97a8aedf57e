/** The part of the store that holds what was counted of each form, by day and by quarter hour. */
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
   * Adds the counts to what is there and keeps the examples, of each form and reason the newest `examplesKept`; all of it or
   * nothing. What belongs to a form that is deleted is left out.
   */
  add(counts: readonly FormCount[], examples: readonly Rejections[]): Promise<void>;
  /**
   * Added up over the forms of the scope that are not deleted; in no order. What is known only by its UTC day counts for the
   * day of the same date.
   */
  days(scope: TallyScope, runs: readonly DayRun[]): Promise<readonly DayCount[]>;
  /** Of each form of the account that is not deleted, from that UTC day on, those kinds. */
  byForm(
    reach: Reach,
    fromDay: Day,
    kinds: readonly TallyKind[],
  ): Promise<readonly Omit<FormCount, 'quarterHour'>[]>;
  /**
   * The forms of the account, oldest first. `undelivered` counts submissions whose webhooks were given up
   * since the one time, `waiting` those from before the other whose webhooks are still tried; each at most `mostCounted`.
   */
  troubles(
    reach: Reach,
    times: { readonly givenUpSince: number; readonly waitingSince: number },
    mostCounted: number,
  ): Promise<readonly FormTroubles[]>;
  /** From that time on, newest first. */
  examples(formId: string, since: number): Promise<readonly Rejections[]>;
}

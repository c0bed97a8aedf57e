/** The requests that a form rejected and why, for its owner. */

import { type RejectionReason, rejectionReasons } from '../../contract/rejections.js';
import type { Clock } from '../../kernel/clock.js';
import { localDays } from '../../kernel/local-days.js';
import type { Principal } from '../../model/account.js';
import type { Rejections } from '../../model/rejections.js';
import { type Day, dayRuns } from '../../model/tally.js';
import type { Store } from '../../ports/store.js';
import type { AuditTrail } from '../audit/trail.js';
import type { FormService } from '../forms/service.js';
import type { Tallies } from './tallies.js';

export interface RejectionDay {
  readonly day: Day;
  readonly total: number;
  /** All reasons, including those without rejections. */
  readonly reasons: Readonly<Record<RejectionReason, number>>;
}

export interface RejectionReport {
  /** Oldest first, without gaps. The last one is today. */
  readonly days: readonly RejectionDay[];
  /** Newest first. */
  readonly examples: readonly Rejections[];
}

export interface RejectionService {
  report(who: Principal, formId: string, days: number, timeZone: string): Promise<RejectionReport>;
}

export function createRejectionService(deps: {
  store: Store;
  forms: FormService;
  tallies: Tallies;
  clock: Clock;
  trail: AuditTrail;
}): RejectionService {
  const { store, forms, tallies, clock, trail } = deps;
  return {
    async report(who, formId, days, timeZone) {
      const { form } = await forms.get(who, formId);
      await trail.viewed(who, 'rejections.viewed', { kind: 'form', id: form.id, name: form.name });
      // An owner who is debugging wants to see what just happened. If it cannot be written now, what is stored can still be
      // read, and the background task that writes reports the error.
      await tallies.write().catch(() => {});
      const { firstDay, starts } = localDays(timeZone, clock.now(), days);
      const [counts, examples] = await Promise.all([
        store.tallies.days({ kind: 'form', formId: form.id }, dayRuns(firstDay, starts)),
        store.tallies.examples(form.id, starts[0] ?? 0),
      ]);
      const found = new Map(counts.map(({ day, kind, count }) => [`${day} ${kind}`, count]));
      return {
        days: Array.from({ length: days }, (_, index) => {
          const day = firstDay + index;
          const numbers = rejectionReasons.map((reason) => found.get(`${day} refused_${reason}`) ?? 0);
          return {
            day,
            total: numbers.reduce((sum, count) => sum + count, 0),
            reasons: Object.fromEntries(
              rejectionReasons.map((reason, place) => [reason, numbers[place]]),
            ) as Record<RejectionReason, number>,
          };
        }),
        examples,
      };
    },
  };
}

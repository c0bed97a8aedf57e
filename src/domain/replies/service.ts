/** What was not sent, and why: suppressed addresses and suppressed replies. */
import { type SuppressedReplyReason, suppressedReplyReasons } from '../../contract/suppression.js';
import type { Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import { localDays } from '../../kernel/local-days.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { SuppressedAddress } from '../../model/suppression.js';
import { type Day, dayRuns } from '../../model/tally.js';
import type { Page, Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { AuditTrail } from '../audit/trail.js';
import type { FormService } from '../forms/service.js';
import type { Tallies } from '../tallies/tallies.js';

export interface SuppressedDay {
  readonly day: Day;
  readonly total: number;
  /** Every reason, including those that did not occur. */
  readonly reasons: Readonly<Record<SuppressedReplyReason, number>>;
}

export interface SuppressionService {
  /** Newest first. */
  list(who: Principal, address: string | null, page: Page): Promise<readonly SuppressedAddress[]>;
  /** Mails are sent to this address again. */
  lift(who: Principal, id: string): Promise<void>;
  /** The suppressed replies of a form per day: oldest day first, the last one is today. */
  replies(who: Principal, formId: string, days: number, timeZone: string): Promise<readonly SuppressedDay[]>;
}

export function createSuppressionService(deps: {
  store: Store;
  forms: FormService;
  tallies: Tallies;
  clock: Clock;
  trail: AuditTrail;
}): SuppressionService {
  const { store, forms, tallies, clock, trail } = deps;
  return {
    async list(who, address, page) {
      await trail.viewed(who, 'suppressed_addresses.listed', { kind: 'account', id: who.accountId });
      return store.suppressions.list(who.accountId, address, page);
    },

    async lift(who, id) {
      if (!isUuid(id)) throw refuse.suppressedAddressNotFound();
      await store.tx(async (tx) => {
        if (!(await tx.suppressions.lift(who.accountId, id))) throw refuse.suppressedAddressNotFound();
        record(tx, who, {
          action: 'suppressed_address.deleted',
          object: { kind: 'suppressed_address', id },
        });
      });
    },

    async replies(who, formId, days, timeZone) {
      const { form } = await forms.get(who, formId);
      // As in rejections.ts: a failed write must not prevent reading the rest.
      await tallies.write().catch(() => {});
      const { firstDay, starts } = localDays(timeZone, clock.now(), days);
      const counts = await store.tallies.days({ kind: 'form', formId: form.id }, dayRuns(firstDay, starts));
      const found = new Map(counts.map(({ day, kind, count }) => [`${day} ${kind}`, count]));
      return Array.from({ length: days }, (_, index) => {
        const day = firstDay + index;
        const numbers = suppressedReplyReasons.map((reason) => found.get(`${day} reply_${reason}`) ?? 0);
        return {
          day,
          total: numbers.reduce((sum, count) => sum + count, 0),
          reasons: Object.fromEntries(
            suppressedReplyReasons.map((reason, place) => [reason, numbers[place]]),
          ) as Record<SuppressedReplyReason, number>,
        };
      });
    },
  };
}

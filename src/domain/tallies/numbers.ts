/** The numbers of a form, a project or an account, day by day. */
import type { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../model/account.js';
import { rejectionReasons } from '../../model/rejections.js';
import { type Day, dayOf, type LatencyBound, latencyAt, latencyBounds } from '../../model/tally.js';
import type { Store, TallyScope } from '../../ports/store.js';
import type { FormService } from '../forms/service.js';
import type { ProjectService } from '../projects/service.js';
import type { Tallies } from './tallies.js';

export interface DayNumbers {
  readonly day: Day;
  readonly received: number;
  readonly quarantined: number;
  /** Without what the honeypot caught: that is quarantined. */
  readonly refused: number;
  readonly delivered: number;
  readonly retried: number;
  readonly failed: number;
}

export interface Numbers {
  /** Oldest first, the last one is today; every day is there. */
  readonly days: readonly DayNumbers[];
  /** How long receivers took to answer, in milliseconds; null when nothing was delivered. */
  readonly deliveryMs: { readonly p50: number | null; readonly p95: number | null };
}

export interface NumbersWish {
  readonly days: number;
  /** At most one of the two; null and null: of the whole account. */
  readonly formId: string | null;
  readonly projectId: string | null;
}

export interface NumbersService {
  get(who: Principal, wish: NumbersWish): Promise<Numbers>;
}

const refusedKinds = rejectionReasons
  .filter((reason) => reason !== 'honeypot')
  .map((reason) => `refused_${reason}` as const);

export function createNumbersService(deps: {
  store: Store;
  forms: FormService;
  projects: ProjectService;
  tallies: Tallies;
  clock: Clock;
}): NumbersService {
  const { store, forms, projects, tallies, clock } = deps;

  const scopeOf = async (who: Principal, { formId, projectId }: NumbersWish): Promise<TallyScope> => {
    if (formId !== null) return { kind: 'form', formId: (await forms.get(who, formId)).form.id };
    if (projectId !== null) return { kind: 'project', projectId: (await projects.get(who, projectId)).id };
    return { kind: 'account', accountId: who.accountId };
  };

  return {
    async get(who, wish) {
      const scope = await scopeOf(who, wish);
      // As in rejections.ts: what cannot be written now does not keep the rest from being read.
      await tallies.write().catch(() => {});
      const firstDay = dayOf(clock.now()) - wish.days + 1;
      const counts = new Map<string, number>();
      const latencies = new Map<LatencyBound, number>();
      for (const { day, kind, count } of await store.tallies.days(scope, firstDay)) {
        counts.set(`${day} ${kind}`, count);
        const bound = latencyBounds.find((one) => kind === `latency_${one}`);
        if (bound !== undefined) latencies.set(bound, (latencies.get(bound) ?? 0) + count);
      }
      return {
        days: Array.from({ length: wish.days }, (_, index) => {
          const day = firstDay + index;
          const of = (kind: string): number => counts.get(`${day} ${kind}`) ?? 0;
          return {
            day,
            received: of('received'),
            quarantined: of('quarantined'),
            refused: refusedKinds.reduce((sum, kind) => sum + of(kind), 0),
            delivered: of('delivered'),
            retried: of('retried'),
            failed: of('failed'),
          };
        }),
        deliveryMs: { p50: latencyAt(0.5, latencies), p95: latencyAt(0.95, latencies) },
      };
    },
  };
}

/** The numbers of a form, a project or an account, day by day. */

import { rejectionReasons } from '../../contract/rejections.js';
import type { Clock } from '../../kernel/clock.js';
import { type LocalDays, localDays } from '../../kernel/local-days.js';
import type { Principal } from '../../model/account.js';
import { type Day, dayRuns, type LatencyBound, latencyAt, latencyBounds } from '../../model/tally.js';
import type { DeliveryCounts } from '../../ports/deliveries.js';
import type { Store, TallyScope } from '../../ports/store.js';
import type { FormService } from '../forms/service.js';
import type { ProjectService } from '../projects/service.js';
import type { LongReads } from '../submissions/long-reads.js';
import type { Tallies } from './tallies.js';

export interface DayNumbers {
  readonly day: Day;
  readonly received: number;
  readonly quarantined: number;
  /** Without submissions caught by the honeypot, which are quarantined. */
  readonly refused: number;
  readonly delivered: number;
  readonly retried: number;
  readonly failed: number;
  /** The current states of the deliveries of that day's submissions. null: too many were received since then to count them all. */
  readonly deliveries: DeliveryCounts | null;
}

export interface Numbers {
  /** Oldest first, without gaps. The last one is today. */
  readonly days: readonly DayNumbers[];
  /** How long successful attempts took, in milliseconds. null when nothing was delivered. */
  readonly deliveryMs: { readonly p50: number | null; readonly p95: number | null };
}

export interface NumbersQuery {
  readonly days: number;
  /** The time zone that the days are in: a name of the IANA database. */
  readonly timeZone: string;
  /** At most one of the two is set. Both null: the whole account. */
  readonly formId: string | null;
  readonly projectId: string | null;
}

export interface NumbersService {
  get(who: Principal, query: NumbersQuery): Promise<Numbers>;
}

/** Counting the deliveries of so many submissions takes about 0.1 s. Earlier days are left out. */
const mostCounted = 100_000;
/** Counting fewer takes no longer than any other read. */
const manyCounted = 5_000;

const refusedKinds = rejectionReasons
  .filter((reason) => reason !== 'honeypot')
  .map((reason) => `refused_${reason}` as const);

/** The newest days that received at most `most` submissions together, but always the last day. Oldest first. */
function newestWithin(
  most: number,
  days: readonly Pick<DayNumbers, 'day' | 'received'>[],
): { readonly chosen: readonly Day[]; readonly received: number } {
  const chosen: Day[] = [];
  let sum = 0;
  for (const { day, received } of days.toReversed()) {
    if (chosen.length > 0 && sum + received > most) break;
    chosen.unshift(day);
    sum += received;
  }
  return { chosen, received: sum };
}

export function createNumbersService(deps: {
  store: Store;
  forms: FormService;
  projects: ProjectService;
  tallies: Tallies;
  clock: Clock;
  longReads: LongReads;
}): NumbersService {
  const { store, forms, projects, tallies, clock, longReads } = deps;

  const scopeOf = async (who: Principal, { formId, projectId }: NumbersQuery): Promise<TallyScope> => {
    if (formId !== null) return { kind: 'form', formId: (await forms.get(who, formId)).form.id };
    if (projectId !== null) return { kind: 'project', projectId: (await projects.get(who, projectId)).id };
    return { kind: 'account', reach: who };
  };

  const countDeliveries = async (
    { accountId }: Principal,
    scope: TallyScope,
    { starts }: LocalDays,
    days: readonly Pick<DayNumbers, 'day' | 'received'>[],
  ): Promise<ReadonlyMap<Day, DeliveryCounts>> => {
    const { chosen, received } = newestWithin(mostCounted, days);
    const times = starts.slice(-1 - chosen.length);
    const count = () => store.deliveries.counts(scope, times);
    const counts = await (received > manyCounted ? longReads(accountId, count) : count());
    return new Map(counts.map((one, place) => [chosen[place] ?? 0, one]));
  };

  return {
    async get(who, query) {
      const scope = await scopeOf(who, query);
      // As in rejections.ts: if counts cannot be written now, the stored ones can still be read.
      await tallies.write().catch(() => {});
      const local = localDays(query.timeZone, clock.now(), query.days);
      const counts = new Map<string, number>();
      const latencies = new Map<LatencyBound, number>();
      for (const { day, kind, count } of await store.tallies.days(
        scope,
        dayRuns(local.firstDay, local.starts),
      )) {
        counts.set(`${day} ${kind}`, count);
        const bound = latencyBounds.find((one) => kind === `latency_${one}`);
        if (bound !== undefined) latencies.set(bound, (latencies.get(bound) ?? 0) + count);
      }
      const days = Array.from({ length: query.days }, (_, index) => {
        const day = local.firstDay + index;
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
      });
      const deliveries = await countDeliveries(who, scope, local, days);
      return {
        days: days.map((one) => ({ ...one, deliveries: deliveries.get(one.day) ?? null })),
        deliveryMs: { p50: latencyAt(0.5, latencies), p95: latencyAt(0.95, latencies) },
      };
    },
  };
}

/** What is counted of a form, day by day. */
import type { RejectionReason } from '../contract/rejections.js';
import type { SuppressedReplyReason } from '../contract/suppression.js';

/** `received` and `quarantined` are counted by the commit itself and are exact; the others are written behind. */
export type TallyKind =
  | 'received'
  | 'quarantined'
  | `refused_${RejectionReason}`
  | DeliveryTally
  | `latency_${LatencyBound}`
  /** A notification that the mail server refused for good, or did not take for now. */
  | 'mail_refused'
  | 'mail_delayed'
  /** A reply to a visitor that was not sent, on purpose. */
  | `reply_${SuppressedReplyReason}`;

/** Webhook attempts: it arrived, it failed and is tried again, it failed and was given up. */
export type DeliveryTally = 'delivered' | 'retried' | 'failed';

/**
 * Upper bounds in milliseconds of how long receivers took to answer. Each is a counter of its own, so there are few; an attempt
 * may take longer than the last one, which then stands for all above.
 */
export const latencyBounds = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;
export type LatencyBound = (typeof latencyBounds)[number];

export const latencyBoundOf = (ms: number): LatencyBound =>
  latencyBounds.find((bound) => ms <= bound) ?? 30_000;

/** Where so great a share of them lies, evenly spread within its bounds; null when there are none. */
export function latencyAt(share: number, counts: ReadonlyMap<LatencyBound, number>): number | null {
  let total = 0;
  for (const count of counts.values()) total += count;
  if (total === 0) return null;
  const wanted = share * total;
  let passed = 0;
  let lower = 0;
  for (const bound of latencyBounds) {
    const count = counts.get(bound) ?? 0;
    if (count > 0 && passed + count >= wanted) {
      return Math.round(lower + ((bound - lower) * (wanted - passed)) / count);
    }
    passed += count;
    lower = bound;
  }
  return lower;
}

/** UTC days since 1970. */
export type Day = number;

const dayMs = 86_400_000;

export const dayOf = (ms: number): Day => Math.floor(ms / dayMs);
const startOfDay = (day: Day): number => day * dayMs;
/** 2026-11-15 */
export const dayText = (day: Day): string => new Date(startOfDay(day)).toISOString().slice(0, 10);

/** Since 1970. Counted by it, because the days of every time zone begin at one. */
export type QuarterHour = number;

const quarterHoursPerDay = 96;
const quarterHourMs = dayMs / quarterHoursPerDay;

export const quarterHourOf = (ms: number): QuarterHour => Math.floor(ms / quarterHourMs);
export const firstQuarterHourOf = (day: Day): QuarterHour => day * quarterHoursPerDay;
export const dayOfQuarterHour = (quarterHour: QuarterHour): Day =>
  Math.floor(quarterHour / quarterHoursPerDay);

export interface FormCount {
  readonly formId: string;
  readonly quarterHour: QuarterHour;
  readonly kind: TallyKind;
  readonly count: number;
}

export interface DayCount {
  readonly day: Day;
  readonly kind: TallyKind;
  readonly count: number;
}

/** Days in a row that have the same length. */
export interface DayRun {
  readonly firstDay: Day;
  readonly days: number;
  readonly start: QuarterHour;
  readonly quarterHoursPerDay: number;
}

export const utcDays = (firstDay: Day, days: number): readonly DayRun[] => [
  { firstDay, days, start: firstQuarterHourOf(firstDay), quarterHoursPerDay },
];

/** Of days that begin at these times, of which the last is the end. A year has three to five runs: the clocks change twice. */
export function dayRuns(firstDay: Day, starts: readonly number[]): readonly DayRun[] {
  const runs: DayRun[] = [];
  starts.slice(1).forEach((end, place) => {
    const start = quarterHourOf(starts[place] ?? 0);
    const length = quarterHourOf(end) - start;
    const last = runs.at(-1);
    if (last?.quarterHoursPerDay === length) runs[runs.length - 1] = { ...last, days: last.days + 1 };
    // A zone that moved to the other side of the date line left out a day.
    else if (length > 0)
      runs.push({ firstDay: firstDay + place, days: 1, start, quarterHoursPerDay: length });
  });
  return runs;
}

/** What is counted for a form, by quarter hour and by day. */
import type { RejectionReason } from '../contract/rejections.js';
import type { SuppressedReplyReason } from '../contract/suppression.js';

/** `received` and `quarantined` are counted in the commit itself and are exact. The others are written later. */
export type TallyKind =
  | 'received'
  | 'quarantined'
  | `refused_${RejectionReason}`
  | DeliveryTally
  | `latency_${LatencyBound}`
  /** A notification that the mail server rejected permanently, or did not accept for now. */
  | 'mail_refused'
  | 'mail_delayed'
  /** A reply to a visitor that was deliberately not sent. */
  | `reply_${SuppressedReplyReason}`;

/** Webhook attempts: delivered, failed with a retry to come, or failed for good. */
export type DeliveryTally = 'delivered' | 'retried' | 'failed';

/**
 * Upper bounds, in milliseconds, for the response times of endpoints. Each is a separate counter, so there are few. An attempt
 * can take longer than the last bound, which stands for everything above.
 */
export const latencyBounds = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;
export type LatencyBound = (typeof latencyBounds)[number];

export const latencyBoundOf = (ms: number): LatencyBound =>
  latencyBounds.find((bound) => ms <= bound) ?? 30_000;

/** The latency that this share does not exceed, with an even spread within each bound. Returns null when nothing was counted. */
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

/** Quarter hours since 1970. They are the unit of counting, because days start on one in every time zone. */
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

/** Consecutive days of the same length. */
export interface DayRun {
  readonly firstDay: Day;
  readonly days: number;
  readonly start: QuarterHour;
  readonly quarterHoursPerDay: number;
}

export const utcDays = (firstDay: Day, days: number): readonly DayRun[] => [
  { firstDay, days, start: firstQuarterHourOf(firstDay), quarterHoursPerDay },
];

/** Runs of the days that start at `starts`, whose last entry is the end. A year has three to five runs: clocks change twice. */
export function dayRuns(firstDay: Day, starts: readonly number[]): readonly DayRun[] {
  const runs: DayRun[] = [];
  starts.slice(1).forEach((end, place) => {
    const start = quarterHourOf(starts[place] ?? 0);
    const length = quarterHourOf(end) - start;
    const last = runs.at(-1);
    if (last?.quarterHoursPerDay === length) runs[runs.length - 1] = { ...last, days: last.days + 1 };
    // A zone that moved across the date line skipped a day.
    else if (length > 0)
      runs.push({ firstDay: firstDay + place, days: 1, start, quarterHoursPerDay: length });
  });
  return runs;
}

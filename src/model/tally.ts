/** What is counted of a form, day by day. */
import type { RejectionReason } from '../contract/rejections.js';

/** `received` and `quarantined` are counted by the commit itself and are exact; the others are written behind. */
export type TallyKind =
  | 'received'
  | 'quarantined'
  | `refused_${RejectionReason}`
  | DeliveryTally
  | `latency_${LatencyBound}`
  /** A notification that the mail server refused for good, or did not take for now. */
  | 'mail_refused'
  | 'mail_delayed';

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
export const startOfDay = (day: Day): number => day * dayMs;
/** 2026-11-15 */
export const dayText = (day: Day): string => new Date(startOfDay(day)).toISOString().slice(0, 10);

export interface DayCount {
  readonly formId: string;
  readonly day: Day;
  readonly kind: TallyKind;
  readonly count: number;
}

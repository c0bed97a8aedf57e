/** What is counted of a form, day by day. */
import type { TurnAwayReason } from './turned-away.js';

/** `received` and `quarantined` are counted by the commit itself and are exact; the others are written behind. */
export type TallyKind = 'received' | 'quarantined' | `refused_${TurnAwayReason}`;

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

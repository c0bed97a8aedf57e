/** How many deliveries stand how, over several days. Pure. */
import type { StatsDay } from '../../wire.js';

/** Paused deliveries wait for a person, and say nothing about whether everything arrives. */
export type DeliverySums = Omit<NonNullable<StatsDay['deliveries']>, 'paused'>;

/** Days with too many to count have none. */
export function deliverySums(days: readonly Pick<StatsDay, 'deliveries'>[]): DeliverySums {
  const sum = (name: keyof DeliverySums) =>
    days.reduce((total, { deliveries }) => total + (deliveries?.[name] ?? 0), 0);
  return { delivered: sum('delivered'), waiting: sum('waiting'), failed: sum('failed') };
}

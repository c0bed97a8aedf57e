/** Deliveries by state, summed over several days. Pure. */
import type { StatsDay } from '../../wire.js';

/** Without paused deliveries: they wait for a user, and say nothing about whether everything arrives. */
export type DeliverySums = Omit<NonNullable<StatsDay['deliveries']>, 'paused'>;

/** Days with too many deliveries to count have null and add nothing. */
export function deliverySums(days: readonly Pick<StatsDay, 'deliveries'>[]): DeliverySums {
  const sum = (name: keyof DeliverySums) =>
    days.reduce((total, { deliveries }) => total + (deliveries?.[name] ?? 0), 0);
  return { delivered: sum('delivered'), waiting: sum('waiting'), failed: sum('failed') };
}

/** What the numbers of a day are called, and their colours. */
import type { DayRow, Series } from '../../ui/charts/days.js';
import type { StatsDay } from '../../wire.js';

export const arrivals: readonly Series[] = [
  { name: 'received', label: 'Received', color: 'var(--chart-received)' },
  { name: 'refused', label: 'Rejected', color: 'var(--chart-refused)' },
  { name: 'quarantined', label: 'Quarantined', color: 'var(--chart-quarantined)' },
];

export const deliveries: readonly Series[] = [
  { name: 'delivered', label: 'Delivered', color: 'var(--chart-delivered)' },
  { name: 'waiting', label: 'Waiting', color: 'var(--chart-waiting)' },
  { name: 'failed', label: 'Failed', color: 'var(--chart-failed)' },
];

/** Each delivery once, as it stands now: the numbers of attempts beside it would not add up. */
export const rowOf = ({ day, received, refused, quarantined, deliveries: standing }: StatsDay): DayRow => ({
  ...{ day, received, refused, quarantined },
  ...{ delivered: 0, waiting: 0, failed: 0, ...standing },
});

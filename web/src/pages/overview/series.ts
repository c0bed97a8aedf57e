/** The names and colours of a day's numbers. */
import type { DayRow, Series } from '../../ui/charts/days.js';
import type { StatsDay } from '../../wire.js';
import * as words from '../../words/overview.js';
import * as states from '../../words/states.js';

export const arrivals: readonly Series[] = [
  { name: 'received', label: words.received, color: 'var(--chart-received)' },
  { name: 'refused', label: words.rejected, color: 'var(--chart-refused)' },
  { name: 'quarantined', label: states.quarantined, color: 'var(--chart-quarantined)' },
];

export const deliveries: readonly Series[] = [
  { name: 'delivered', label: states.delivered, color: 'var(--chart-delivered)' },
  { name: 'waiting', label: states.waiting, color: 'var(--chart-waiting)' },
  { name: 'failed', label: states.failed, color: 'var(--chart-failed)' },
];

/** Counts each delivery once, in its current state. The attempt counts would not add up beside it. */
export const rowOf = ({ day, received, refused, quarantined, deliveries: standing }: StatsDay): DayRow => ({
  ...{ day, received, refused, quarantined },
  ...{ delivered: 0, waiting: 0, failed: 0, ...standing },
});

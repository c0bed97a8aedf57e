/** What the numbers of a day are called, and their colours. */
import type { Series } from '../../ui/charts/days.js';

export const arrivals: readonly Series[] = [
  { name: 'received', label: 'Received', color: 'var(--chart-received)' },
  { name: 'refused', label: 'Rejected', color: 'var(--chart-refused)' },
  { name: 'quarantined', label: 'Quarantined', color: 'var(--chart-quarantined)' },
];

export const deliveries: readonly Series[] = [
  { name: 'delivered', label: 'Delivered', color: 'var(--chart-delivered)' },
  { name: 'retried', label: 'Retried', color: 'var(--chart-retried)' },
  { name: 'failed', label: 'Failed', color: 'var(--chart-failed)' },
];

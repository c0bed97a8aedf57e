/** The answer to "is everything arriving?", in one sentence or two. Pure. */
import { countOf } from '../../ui/numbers.js';
import type { StatsDay } from '../../wire.js';
import { formatNumber } from '../../words/format.js';
import { deliverySums } from './delivery-sums.js';

export interface Verdict {
  readonly state: 'good' | 'warning' | 'bad' | 'quiet';
  readonly words: string;
}

/** `failing`: what is said of destinations that fail now; null: none does. */
export function verdictOf(
  days: readonly Pick<StatsDay, 'received' | 'deliveries'>[],
  failing: string | null,
): Verdict {
  const received = days.reduce((total, day) => total + day.received, 0);
  const { delivered, waiting, failed } = deliverySums(days);
  const all = delivered + waiting + failed;
  const period = days.length === 1 ? 'today' : `in the last ${days.length} days`;
  if (failed > 0) {
    const words = `${formatNumber(failed)} of ${countOf(all, 'delivery', 'deliveries')} failed ${period}.`;
    return { state: 'bad', words: failing === null ? words : `${words} ${failing}` };
  }
  if (failing !== null) return { state: 'warning', words: failing };
  if (received === 0 && all === 0) return { state: 'quiet', words: `Nothing was received ${period}.` };
  if (all === 0) {
    return { state: 'good', words: `${countOf(received, 'submission')} received and stored ${period}.` };
  }
  const claim = waiting === 0 ? 'Everything is arriving' : 'Deliveries are on their way';
  const stillWaiting = waiting === 0 ? '' : `, ${formatNumber(waiting)} waiting`;
  return {
    state: 'good',
    words: `${claim}: ${formatNumber(received)} received, ${formatNumber(delivered)} delivered${stillWaiting} ${period}.`,
  };
}

/** The answer to "is everything arriving?", in one sentence. Pure. */
import { countOf, formatCount } from '../../ui/numbers.js';
import type { StatsDay } from '../../wire.js';

export interface Verdict {
  readonly state: 'good' | 'bad' | 'quiet';
  readonly words: string;
}

export function verdictOf(days: readonly Pick<StatsDay, 'received' | 'delivered' | 'failed'>[]): Verdict {
  const sum = (name: 'received' | 'delivered' | 'failed') =>
    days.reduce((total, day) => total + day[name], 0);
  const [received, delivered, failed] = [sum('received'), sum('delivered'), sum('failed')];
  const period = days.length === 1 ? 'today' : `in the last ${days.length} days`;
  if (failed > 0) {
    const ended = delivered + failed;
    return {
      state: 'bad',
      words: `${formatCount(failed)} of ${countOf(ended, 'delivery', 'deliveries')} failed ${period}.`,
    };
  }
  if (received === 0 && delivered === 0) return { state: 'quiet', words: `Nothing was received ${period}.` };
  if (delivered === 0) {
    return { state: 'good', words: `${countOf(received, 'submission')} received and kept ${period}.` };
  }
  // Fewer may be forms without a receiver, or deliveries that are being tried again: only that none failed is certain.
  const claim = delivered >= received ? 'Everything is arriving' : 'Nothing has failed';
  return {
    state: 'good',
    words: `${claim}: ${formatCount(received)} received, ${formatCount(delivered)} delivered ${period}.`,
  };
}

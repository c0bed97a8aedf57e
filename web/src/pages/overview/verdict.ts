/** Whether everything arrives, in one or two sentences. Pure. */
import type { StatsDay } from '../../wire.js';
import * as words from '../../words/overview.js';
import { deliverySums } from './delivery-sums.js';

export interface Verdict {
  readonly state: 'good' | 'warning' | 'bad' | 'quiet';
  readonly words: string;
}

/** `failing`: the sentence about destinations that are failing now, or null. */
export function verdictOf(
  days: readonly Pick<StatsDay, 'received' | 'deliveries'>[],
  failing: string | null,
): Verdict {
  const received = days.reduce((total, day) => total + day.received, 0);
  const { delivered, waiting, failed } = deliverySums(days);
  const all = delivered + waiting + failed;
  if (failed > 0) {
    const said = words.deliveriesFailed(failed, all, days.length);
    return { state: 'bad', words: failing === null ? said : `${said} ${failing}` };
  }
  if (failing !== null) return { state: 'warning', words: failing };
  if (received === 0 && all === 0) return { state: 'quiet', words: words.nothingReceived(days.length) };
  if (all === 0) return { state: 'good', words: words.receivedAndStored(received, days.length) };
  return { state: 'good', words: words.arriving({ received, delivered, waiting, days: days.length }) };
}

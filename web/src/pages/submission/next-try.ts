/** When to look again at deliveries, and what to say of the next try. */
import type { DeliveryItem } from '../../wire.js';
import { formatRelative } from '../../words/format.js';

type Waiting = Pick<DeliveryItem, 'state' | 'next_attempt_at'>;

export function nextTryWords({ state, next_attempt_at }: Waiting, now: number): string | null {
  if (state !== 'pending') return null;
  if (next_attempt_at === null) return 'Being sent now';
  const at = Date.parse(next_attempt_at);
  return at - now < 10_000 ? 'Next try in a moment' : `Next try ${formatRelative(at, now)}`;
}

/** Every second while something is under way or due, now and then while a try lies ahead, else never. */
export function lookAgainMs(deliveries: readonly Waiting[], now: number): number | false {
  const waiting = deliveries.filter(({ state }) => state === 'pending');
  if (waiting.length === 0) return false;
  const isDue = waiting.some(
    ({ next_attempt_at }) => next_attempt_at === null || Date.parse(next_attempt_at) - now < 2_000,
  );
  return isDue ? 1_000 : 10_000;
}

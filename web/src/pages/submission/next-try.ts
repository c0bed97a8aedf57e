/** When to refetch deliveries, and the text about the next attempt. */
import type { DeliveryItem, Submission } from '../../wire.js';
import { formatRelative } from '../../words/format.js';
import * as words from '../../words/submission.js';

type Waiting = Pick<DeliveryItem, 'state' | 'next_attempt_at'>;

/** The folder that pauses the deliveries of a submission, or null. */
export const pausedIn = ({ folder }: Pick<Submission, 'folder'>): 'spam' | 'trash' | null =>
  folder === 'spam' || folder === 'trash' ? folder : null;

const isSoon = (at: number, now: number): boolean => at - now < 10_000;

export function nextTryWords({ state, next_attempt_at }: Waiting, now: number): string | null {
  if (state !== 'pending') return null;
  if (next_attempt_at === null) return words.sentNow;
  const at = Date.parse(next_attempt_at);
  return isSoon(at, now) ? words.nextTrySoon : words.nextTry(formatRelative(at, now));
}

/** The same for use under a heading: `in 4 min`. */
export function nextTryTime({ state, next_attempt_at }: Waiting, now: number): string | null {
  if (state !== 'pending') return null;
  if (next_attempt_at === null) return words.sentNow;
  const at = Date.parse(next_attempt_at);
  return isSoon(at, now) ? words.soon : formatRelative(at, now);
}

/** Every second while a delivery is in progress or due, every ten seconds while an attempt is scheduled, else never. */
export function lookAgainMs(deliveries: readonly Waiting[], now: number): number | false {
  const waiting = deliveries.filter(({ state }) => state === 'pending');
  if (waiting.length === 0) return false;
  const isDue = waiting.some(
    ({ next_attempt_at }) => next_attempt_at === null || Date.parse(next_attempt_at) - now < 2_000,
  );
  return isDue ? 1_000 : 10_000;
}

/** Realistic endpoints: how one responds to a request at a given time, and after how long. */
import type { OutboundFault } from '../../src/ports/outbound.js';
import type { Chance } from '../support/seeded.js';

export interface Answer {
  readonly status: number | null;
  readonly fault: OutboundFault | null;
  readonly afterMs: number;
  /** The Retry-After that it sends. */
  readonly retryAfterS: number | null;
}

export interface Receiver {
  readonly url: string;
  readonly kind: 'healthy' | 'dead' | 'healing' | 'flapping';
  /** `now` is virtual time. */
  answer(now: number): Answer;
}

export type Manner = 'ok' | 'slow' | 'error' | 'busy' | 'gone' | 'refused' | 'hanging';

const answerOf = (manner: Manner, chance: Chance, deadlineMs: number): Answer => {
  const quiet = { fault: null, retryAfterS: null };
  switch (manner) {
    case 'ok':
      return { ...quiet, status: chance.next() < 0.5 ? 200 : 204, afterMs: chance.between(1, 60) };
    case 'slow':
      return { ...quiet, status: 200, afterMs: chance.between(500, deadlineMs - 1) };
    case 'error':
      return { ...quiet, status: chance.next() < 0.5 ? 500 : 302, afterMs: chance.between(1, 200) };
    case 'busy':
      return { ...quiet, status: 429, afterMs: 5, retryAfterS: chance.between(1, 90) };
    case 'gone':
      return { ...quiet, status: 410, afterMs: chance.between(1, 200) };
    case 'refused':
      return { ...quiet, status: null, fault: 'connect_refused', afterMs: chance.between(0, 5) };
    case 'hanging':
      return { ...quiet, status: null, fault: 'timeout', afterMs: deadlineMs };
  }
};

const harms: readonly Manner[] = ['error', 'refused', 'hanging', 'gone', 'busy'];

export function makeReceiver(
  url: string,
  kind: Receiver['kind'],
  {
    chance,
    deadlineMs,
    healsAt,
    harm,
  }: { chance: Chance; deadlineMs: number; healsAt: number; harm?: Manner },
): Receiver {
  const bad = harm ?? harms[chance.between(0, 4)] ?? 'error';
  const periodMs = chance.between(500, 40_000);
  const mannerAt = (now: number): Manner => {
    if (kind === 'healthy') return 'ok';
    if (kind === 'dead') return bad;
    if (now >= healsAt) return 'ok';
    if (kind === 'healing') return bad;
    const odd = Math.floor(now / periodMs) % 3;
    return odd === 0 ? bad : odd === 1 ? 'slow' : 'ok';
  };
  return { url, kind, answer: (now) => answerOf(mannerAt(now), chance, deadlineMs) };
}

import { describe, expect, it } from 'vitest';
import { lookAgainMs, nextTryTime, nextTryWords } from './next-try.js';

const now = Date.parse('2026-11-15T12:00:00.000Z');
const pending = (next_attempt_at: string | null) => ({ state: 'pending' as const, next_attempt_at });

describe('the next try', () => {
  it('is said in words while there is one', () => {
    expect(nextTryWords(pending('2026-11-15T12:04:30.000Z'), now)).toBe('Next attempt in 4 min');
    expect(nextTryWords(pending('2026-11-15T12:00:01.000Z'), now)).toBe('Next attempt in a moment');
    expect(nextTryWords(pending('2026-11-15T11:59:00.000Z'), now)).toBe('Next attempt in a moment');
    expect(nextTryWords(pending(null), now)).toBe('Being sent now');
    expect(nextTryWords({ state: 'failed', next_attempt_at: null }, now)).toBeNull();
  });

  it('is short where a heading says what it is', () => {
    expect(nextTryTime(pending('2026-11-15T12:04:30.000Z'), now)).toBe('in 4 min');
    expect(nextTryTime(pending('2026-11-15T12:00:01.000Z'), now)).toBe('in a moment');
    expect(nextTryTime(pending(null), now)).toBe('Being sent now');
    expect(nextTryTime({ state: 'failed', next_attempt_at: null }, now)).toBeNull();
  });

  it('is looked for as often as something can change', () => {
    const done = { state: 'delivered' as const, next_attempt_at: null };
    expect(lookAgainMs([], now)).toBe(false);
    expect(lookAgainMs([done], now)).toBe(false);
    expect(lookAgainMs([done, pending('2026-11-15T12:04:30.000Z')], now)).toBe(10_000);
    expect(lookAgainMs([pending('2026-11-15T12:04:30.000Z'), pending(null)], now)).toBe(1_000);
  });
});

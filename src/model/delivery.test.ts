import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliveryTriggers, queues, settle, webhookStateOf } from './delivery.js';

const delays = [60_000, 300_000, 1_800_000, 7_200_000];
const auto = (attempt: number) => ({ attempt, trigger: 'auto' }) as const;

describe('settle', () => {
  it('ends a delivery that arrived, whoever asked for the attempt', () => {
    for (const trigger of deliveryTriggers) {
      for (const attempt of [0, 4, 9]) {
        expect(settle({ attempt, trigger }, 'succeeded', { delays, endedAt: 5, jitter: 0.5 })).toEqual({
          state: 'delivered',
          queue: queues.later,
          nextAttemptAt: null,
        });
      }
    }
  });

  it('waits a minute, five, thirty and two hours from the end of the attempt, and ends after the fifth', () => {
    const next = [0, 1, 2, 3, 4].map(
      (attempt) => settle(auto(attempt), 'failed', { delays, endedAt: 1_000, jitter: 0 }).nextAttemptAt,
    );
    expect(next).toEqual([61_000, 301_000, 1_801_000, 7_201_000, null]);
    expect(settle(auto(4), 'failed', { delays, endedAt: 0, jitter: 0 }).state).toBe('failed');
    expect(settle(auto(0), 'failed', { delays, endedAt: 0, jitter: 0 })).toMatchObject({
      state: 'pending',
      queue: queues.later,
    });
  });

  it('is up to a tenth later and never earlier, by whole milliseconds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.array(fc.integer({ min: 0, max: 10_000_000 }), { minLength: 4, maxLength: 4 }),
        (attempt, jitter, own) => {
          const endedAt = 1_900_000_000_000;
          const { nextAttemptAt } = settle(auto(attempt), 'failed', { delays: own, endedAt, jitter });
          const waits = (nextAttemptAt ?? 0) - endedAt;
          const delay = own[attempt] ?? 0;
          expect(Number.isInteger(waits)).toBe(true);
          expect(waits).toBeGreaterThanOrEqual(delay);
          expect(waits).toBeLessThanOrEqual(Math.ceil(delay * 1.1));
        },
      ),
    );
  });

  it('lets no automatic attempt follow one that a person asked for', () => {
    for (const trigger of ['manual', 'replay'] as const) {
      const settled = settle({ attempt: 1, trigger }, 'failed', { delays, endedAt: 0, jitter: 0 });
      expect(settled).toEqual({ state: 'failed', queue: queues.later, nextAttemptAt: null });
    }
  });

  it('tries nothing more when there is nobody left to send it to', () => {
    const settled = settle(auto(0), 'cancelled', { delays, endedAt: 0, jitter: 0 });
    expect(settled).toMatchObject({ state: 'failed', nextAttemptAt: null });
  });

  it('tries nothing more when the endpoint is gone, whoever asked for the attempt', () => {
    for (const trigger of ['auto', 'manual', 'replay'] as const) {
      const settled = settle({ attempt: 0, trigger }, 'gone', { delays, endedAt: 0, jitter: 0 });
      expect(settled).toEqual({ state: 'failed', queue: queues.later, nextAttemptAt: null });
    }
  });

  it('makes one attempt when there are no delays', () => {
    expect(settle(auto(0), 'failed', { delays: [], endedAt: 0, jitter: 0 }).state).toBe('failed');
  });
});

describe('webhookStateOf', () => {
  it('names what is worst and still moving first', () => {
    expect(webhookStateOf([])).toBeNull();
    expect(webhookStateOf(['delivered', 'pending', 'failed'])).toBe('pending');
    expect(webhookStateOf(['delivered', 'failed'])).toBe('failed');
    expect(webhookStateOf(['delivered', 'delivered'])).toBe('delivered');
  });
});

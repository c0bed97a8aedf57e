import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AttemptEnded,
  type Delivery,
  deliveryTriggers,
  laneOf,
  originOf,
  queues,
  settle,
  webhookStateOf,
} from './delivery.js';

const delays = [60_000, 300_000, 1_800_000, 7_200_000];
const day = 24 * 60 * 60_000;

type Settling = Parameters<typeof settle>[0];
const waiting = (more: Partial<Settling> = {}): Settling => ({
  attempt: 0,
  extraAttempts: 0,
  resumeAt: null,
  trigger: 'auto',
  heldUntil: null,
  ...more,
});
const auto = (attempt: number): Settling => waiting({ attempt });
const ended = (end: AttemptEnded['end'], more: Partial<AttemptEnded> = {}): AttemptEnded => ({
  end,
  endedAt: 0,
  delays,
  jitter: 0,
  retryAfterMs: null,
  ...more,
});
const over = { queue: queues.later, nextAttemptAt: null, heldUntil: null, resumeAt: null };

describe('settle', () => {
  it('ends a delivery that arrived, no matter who asked for the attempt', () => {
    for (const trigger of deliveryTriggers) {
      for (const attempt of [0, 4, 9]) {
        const settled = settle(
          waiting({ attempt, trigger, resumeAt: trigger === 'auto' ? null : 9_000 }),
          ended('succeeded', { endedAt: 5, jitter: 0.5, retryAfterMs: 7 }),
        );
        expect(settled).toEqual({ ...over, state: 'delivered', extraAttempts: trigger === 'auto' ? 0 : 1 });
      }
    }
  });

  it('waits a minute, five, thirty and two hours from the end of the attempt, and ends after the fifth', () => {
    const next = [0, 1, 2, 3, 4].map(
      (attempt) => settle(auto(attempt), ended('failed', { endedAt: 1_000 })).nextAttemptAt,
    );
    expect(next).toEqual([61_000, 301_000, 1_801_000, 7_201_000, null]);
    expect(settle(auto(4), ended('failed')).state).toBe('failed');
    expect(settle(auto(0), ended('failed'))).toMatchObject({ state: 'pending', queue: queues.later });
  });

  it('is up to a tenth later and never earlier, by whole milliseconds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.array(fc.integer({ min: 0, max: 10_000_000 }), { minLength: 4, maxLength: 4 }),
        (attempt, jitter, own) => {
          const endedAt = 1_900_000_000_000;
          const { nextAttemptAt } = settle(auto(attempt), ended('failed', { delays: own, endedAt, jitter }));
          const waits = (nextAttemptAt ?? 0) - endedAt;
          const delay = own[attempt] ?? 0;
          expect(Number.isInteger(waits)).toBe(true);
          expect(waits).toBeGreaterThanOrEqual(delay);
          expect(waits).toBeLessThanOrEqual(Math.ceil(delay * 1.1));
        },
      ),
    );
  });

  it('leaves one that had failed failed when an attempt that was asked for fails', () => {
    for (const trigger of ['manual', 'replay'] as const) {
      const settled = settle(waiting({ attempt: 5, trigger }), ended('failed', { retryAfterMs: 1_000 }));
      expect(settled).toEqual({ ...over, state: 'failed', extraAttempts: 1 });
    }
  });

  it('leaves the schedule of a waiting one as it was when an attempt that was asked for fails', () => {
    for (const trigger of ['manual', 'replay'] as const) {
      const asked = waiting({ attempt: 2, trigger, resumeAt: 700_000 });
      expect(settle(asked, ended('failed', { endedAt: 500_000, jitter: 0.9 }))).toEqual({
        ...over,
        state: 'pending',
        nextAttemptAt: 700_000,
        extraAttempts: 1,
      });
    }
  });

  it('makes as many attempts by the schedule, however many are asked for between them', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 5, maxLength: 5 }), (askedBefore) => {
        let delivery = waiting();
        const scheduled: number[] = [];
        let now = 0;
        for (const asked of askedBefore) {
          const dueAt = now;
          for (let i = 0; i < asked; i += 1) {
            const manual = { ...delivery, trigger: 'manual', resumeAt: dueAt } as const;
            const settled = settle(manual, ended('failed', { endedAt: dueAt - 1 }));
            expect(settled).toMatchObject({ state: 'pending', nextAttemptAt: dueAt });
            delivery = { ...delivery, ...settled, attempt: delivery.attempt + 1 };
          }
          const settled = settle(delivery, ended('failed', { endedAt: dueAt }));
          scheduled.push((settled.nextAttemptAt ?? 0) - dueAt);
          delivery = { ...delivery, ...settled, attempt: delivery.attempt + 1 };
          now = settled.nextAttemptAt ?? now;
          expect(settled.state).toBe(scheduled.length === 5 ? 'failed' : 'pending');
        }
        expect(scheduled.slice(0, 4)).toEqual(delays);
      }),
    );
  });

  it('waits longer when the endpoint asks for it, and never shorter', () => {
    const waitAfter = (retryAfterMs: number | null): Pick<Delivery, 'nextAttemptAt' | 'heldUntil'> =>
      settle(auto(0), ended('failed', { endedAt: 1_000, retryAfterMs }));
    expect(waitAfter(5_000)).toMatchObject({ nextAttemptAt: 61_000, heldUntil: 6_000 });
    expect(waitAfter(600_000)).toMatchObject({ nextAttemptAt: 601_000, heldUntil: 601_000 });
    expect(waitAfter(day)).toMatchObject({ nextAttemptAt: 1_000 + day });
  });

  it('keeps what the endpoint asked for over an attempt that a person asked for', () => {
    const asked = waiting({ attempt: 1, trigger: 'manual', resumeAt: day, heldUntil: day });
    expect(settle(asked, ended('failed', { endedAt: 5_000 }))).toMatchObject({
      nextAttemptAt: day,
      heldUntil: day,
    });
    expect(settle(asked, ended('failed', { endedAt: 5_000, retryAfterMs: day }))).toMatchObject({
      nextAttemptAt: day + 5_000,
      heldUntil: day + 5_000,
    });
  });

  it.each(['gone', 'rejected', 'cancelled'] as const)('tries nothing more after %s', (end) => {
    for (const trigger of deliveryTriggers) {
      const settled = settle(waiting({ trigger, resumeAt: 9_000 }), ended(end, { retryAfterMs: 5 }));
      expect(settled).toEqual({ ...over, state: 'failed', extraAttempts: trigger === 'auto' ? 0 : 1 });
    }
  });

  it('makes one attempt when there are no delays', () => {
    expect(settle(auto(0), ended('failed', { delays: [] })).state).toBe('failed');
  });
});

it('a lane says what its origin is', () => {
  expect(originOf(laneOf('https://hooks.example.com:8443', 'one'))).toBe('https://hooks.example.com:8443');
  // Deliveries that were planned before destinations existed have no origin.
  expect(originOf(' one')).toBe('');
  expect(originOf('')).toBe('');
});

describe('a delivery that must not be sent', () => {
  it('ends without having failed, regardless of who asked for the attempt', () => {
    for (const trigger of deliveryTriggers)
      expect(settle(waiting({ trigger, resumeAt: 5 }), ended('suppressed'))).toMatchObject({
        ...over,
        state: 'suppressed',
      });
  });
});

describe('webhookStateOf', () => {
  it('names what is worst and still moving first', () => {
    expect(webhookStateOf([])).toBeNull();
    expect(webhookStateOf(['delivered', 'pending', 'failed'])).toBe('pending');
    expect(webhookStateOf(['delivered', 'failed'])).toBe('failed');
    expect(webhookStateOf(['delivered', 'delivered', 'suppressed'])).toBe('delivered');
    expect(webhookStateOf(['suppressed'])).toBeNull();
  });
});

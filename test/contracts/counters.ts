/** The contract of every counters adapter. Time moves only when the harness advances it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Counters } from '../../src/ports/counters.js';

export interface CountersHarness {
  readonly counters: Counters;
  /** The time that the counters use. */
  now(): number;
  advance(ms: number): void | Promise<void>;
  dispose(): Promise<void>;
}

const minute = 60_000;
const hour = 60 * minute;

export function countersContract(name: string, make: () => Promise<CountersHarness>): void {
  describe(`counters: ${name}`, () => {
    let harness: CountersHarness;
    let counters: Counters;

    beforeEach(async () => {
      harness = await make();
      counters = harness.counters;
    });
    afterEach(() => harness.dispose());

    const count = async (key: string, windowMs = minute): Promise<number> =>
      (await counters.hit(key, windowMs)).count;

    it('counts the hits of a window from one, each exactly once', async () => {
      for (let expected = 1; expected <= 50; expected += 1) expect(await count('visitor')).toBe(expected);
    });

    it('loses no hit and gives no count twice when hits come at once', async () => {
      const counts = await Promise.all(Array.from({ length: 200 }, () => count('visitor')));
      expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    });

    it('keeps keys apart, also the odd ones', async () => {
      const keys = [
        'a',
        'b',
        'a:b',
        'a b',
        '',
        '__proto__',
        'constructor',
        'é',
        '😀',
        '2001:db8::/64',
        '\n',
        '*',
      ];
      keys.push('x'.repeat(300));
      for (const key of keys) expect(await count(key)).toBe(1);
      for (const key of keys) expect(await count(key)).toBe(2);
    });

    it('says when the window ends, and says the same all through it', async () => {
      const before = harness.now();
      const first = await counters.hit('visitor', minute);
      expect(first.resetsAt).toBeGreaterThan(before);
      expect(first.resetsAt).toBeLessThanOrEqual(harness.now() + minute);
      await harness.advance(50_000);
      expect((await counters.hit('visitor', minute)).resetsAt).toBe(first.resetsAt);
    });

    it('does not move the end of a window by later hits', async () => {
      expect(await count('visitor')).toBe(1);
      await harness.advance(59_000);
      expect(await count('visitor')).toBe(2);
      await harness.advance(1_001);
      expect(await count('visitor')).toBe(1);
    });

    it('opens the next window with the first hit after the end, not at a round time', async () => {
      const first = await counters.hit('visitor', minute);
      await harness.advance(minute + 30_000);
      const second = await counters.hit('visitor', minute);
      expect(second.count).toBe(1);
      expect(second.resetsAt).toBeGreaterThanOrEqual(first.resetsAt + minute);
      await harness.advance(59_000);
      expect(await count('visitor')).toBe(2);
    });

    it('serves windows of different lengths side by side', async () => {
      expect(await count('long', hour)).toBe(1);
      expect(await count('short', minute)).toBe(1);
      await harness.advance(minute + 1);
      expect(await count('short', minute)).toBe(1);
      expect(await count('long', hour)).toBe(2);
      await harness.advance(hour);
      expect(await count('long', hour)).toBe(1);
    });

    it('counts into the open window even if a hit names another length', async () => {
      const first = await counters.hit('visitor', hour);
      const second = await counters.hit('visitor', minute);
      expect(second).toEqual({ count: 2, resetsAt: first.resetsAt });
    });

    it('peeks at a window without opening or changing it', async () => {
      expect(await counters.peek('visitor')).toBe(0);
      expect(await count('visitor')).toBe(1);
      expect(await count('visitor')).toBe(2);
      expect(await counters.peek('visitor')).toBe(2);
      expect(await count('visitor')).toBe(3);
      await harness.advance(minute + 1);
      expect(await counters.peek('visitor')).toBe(0);
    });

    it('renews a window: it ends its full length from then, and counts from one', async () => {
      const first = await counters.renew('visitor', minute);
      expect(first.count).toBe(1);
      expect(await count('visitor')).toBe(2);
      await harness.advance(50_000);
      const second = await counters.renew('visitor', minute);
      expect(second.count).toBe(1);
      expect(second.resetsAt).toBeGreaterThanOrEqual(first.resetsAt + 50_000);
      await harness.advance(50_000);
      expect(await counters.peek('visitor')).toBe(1);
      await harness.advance(10_001);
      expect(await counters.peek('visitor')).toBe(0);
    });

    it('gives results that later hits do not change', async () => {
      const first = await counters.hit('visitor', minute);
      await counters.hit('visitor', minute);
      expect(first.count).toBe(1);
    });
  });
}

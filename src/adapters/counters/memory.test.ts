import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Window } from '../../ports/counters.js';
import { memoryCounters } from './memory.js';

const minute = 60_000;
const hour = 60 * minute;

function start(maxKeys?: number) {
  let time = 1_700_000_000_000;
  const counters = memoryCounters(maxKeys === undefined ? { now: () => time } : { now: () => time, maxKeys });
  return {
    counters,
    now: () => time,
    advance: (ms: number) => {
      time += ms;
    },
    count: (key: string, windowMs = minute) => (counters.hit(key, windowMs) as Window).count,
  };
}

describe('memory counters', () => {
  it('answers at once, not with a promise', () => {
    const { counters, now } = start();
    expect(counters.hit('visitor', minute)).toEqual({ count: 1, resetsAt: now() + minute });
  });

  it('ends a window exactly when it says', () => {
    const { advance, count } = start();
    count('visitor');
    advance(minute - 1);
    expect(count('visitor')).toBe(2);
    advance(1);
    expect(count('visitor')).toBe(1);
  });

  it('opens a fresh window after the clock was set back', () => {
    const { counters, advance, now, count } = start();
    count('visitor');
    advance(-hour);
    expect(counters.hit('visitor', minute)).toEqual({ count: 1, resetsAt: now() + minute });
    advance(minute);
    expect(count('visitor')).toBe(1);
  });

  it('refuses a bound that leaves no room', () => {
    expect(() => start(0)).toThrow(RangeError);
    expect(() => start(Number.NaN)).toThrow(RangeError);
  });

  it('counts every key exactly up to its bound, then forgets the oldest window first', () => {
    const { advance, count } = start(3);
    for (const key of ['a', 'b', 'c']) {
      count(key);
      advance(1);
    }
    expect(['a', 'b', 'c'].map((key) => count(key))).toEqual([2, 2, 2]);
    expect(count('d')).toBe(1);
    expect(['b', 'c', 'd'].map((key) => count(key))).toEqual([3, 3, 2]);
    expect(count('a')).toBe(1);
    expect(count('c')).toBe(4);
    expect(count('b')).toBe(1);
  });

  it('forgets the oldest window over all lengths', () => {
    const { advance, count } = start(2);
    count('long', hour);
    advance(1);
    count('short', minute);
    advance(1);
    count('new', minute);
    expect(count('short', minute)).toBe(2);
    expect(count('long', hour)).toBe(1);
  });

  it('lets no ended window push out an open one, even an older one', () => {
    const { advance, count } = start(10);
    count('long', hour);
    for (let i = 0; i < 9; i += 1) count(`short ${i}`);
    advance(minute);
    for (let i = 0; i < 9; i += 1) count(`new ${i}`);
    expect(count('long', hour)).toBe(2);
    for (let i = 0; i < 9; i += 1) expect(count(`new ${i}`)).toBe(2);
  });

  it("drops an ended window without touching its key's next one", () => {
    const { advance, count } = start();
    for (let i = 0; i < 10; i += 1) count(`visitor ${i}`);
    advance(minute);
    // In reverse order, so that ended windows of these keys are still queued when the next ones open.
    for (let i = 9; i >= 0; i -= 1) expect(count(`visitor ${i}`)).toBe(1);
    for (let i = 9; i >= 0; i -= 1) expect(count(`visitor ${i}`)).toBe(2);
  });

  it('keeps the memory of one window for a key that is renewed again and again', () => {
    const { counters, advance } = start(3);
    counters.hit('other', hour);
    const heap = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = heap();
    for (let i = 0; i < 200_000; i += 1) {
      advance(1);
      counters.renew('home', hour);
    }
    expect(heap() - before).toBeLessThan(5_000_000);
    expect([counters.peek('home'), counters.peek('other')]).toEqual([1, 1]);
    // The renewed window is the newer one now.
    counters.hit('third', hour);
    counters.hit('fourth', hour);
    expect([counters.peek('home'), counters.peek('other')]).toEqual([1, 0]);
  });

  it('agrees with the plainest model of fixed windows and of its bound', () => {
    const step = fc.record({
      key: fc.constantFrom(...'abcdefghijkl'),
      windowMs: fc.constantFrom(20, 50, 300),
      // Never 0: of two windows opened in the same millisecond, either may be dropped first.
      pauseMs: fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: 1, max: 5 }) },
        fc.integer({ min: 1, max: 60 }),
      ),
    });
    const steps = fc.array(step, { minLength: 50, maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 14 }), (hits, maxKeys) => {
        const { counters, advance, now } = start(maxKeys);
        const expected: unknown[] = [];
        const given: unknown[] = [];
        // Oldest first.
        let open: { key: string; window: Window }[] = [];
        for (const { key, windowMs, pauseMs } of hits) {
          advance(pauseMs);
          open = open.filter(({ window }) => now() < window.resetsAt);
          const known = open.find((entry) => entry.key === key);
          if (known) known.window = { ...known.window, count: known.window.count + 1 };
          else {
            if (open.length >= maxKeys) open.shift();
            open.push({ key, window: { count: 1, resetsAt: now() + windowMs } });
          }
          expected.push(open.find((entry) => entry.key === key)?.window);
          given.push(counters.hit(key, windowMs));
        }
        expect(given).toEqual(expected);
      }),
    );
  });

  it('keeps nothing of windows that have ended', () => {
    const { advance, count } = start();
    const heapBytes = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = heapBytes();
    for (let i = 0; i < 200_000; i += 1) {
      count('the same visitor');
      count(`visitor ${i}`);
      advance(minute);
    }
    // Each of the 400,000 windows took more than 50 bytes while it was open.
    expect(heapBytes() - before).toBeLessThan(5_000_000);
    expect(count('the same visitor')).toBe(1);
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Attempt, type KeptConnectionOptions, keepConnected } from './kept-connection.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Attempts that the test settles itself. */
function start(options: Partial<KeptConnectionOptions<number>> = {}) {
  const told: string[] = [];
  const attempts: { attempt: Attempt; succeed: () => Promise<void>; fail: (why: string) => Promise<void> }[] =
    [];
  const kept = keepConnected<number>({
    open: (attempt) =>
      new Promise((resolve, reject) => {
        const number = attempts.length;
        attempts.push({
          attempt,
          async succeed() {
            resolve(number);
            await nextTurn();
          },
          async fail(why) {
            reject(new Error(why));
            await nextTurn();
          },
        });
      }),
    onUp: (connection, wasDown) => told.push(`up ${connection}${wasDown ? ' again' : ''}`),
    onDown: (error) => told.push(`down: ${error.message}`),
    ...options,
  });
  const attempt = (index: number) => {
    const found = attempts[index];
    if (!found) throw new Error(`attempt ${index} was not made`);
    return found;
  };
  return { kept, told, attempts, attempt };
}

it('is there only while it works, and tells each outage and its end once', async () => {
  const { kept, told, attempt } = start();
  expect(kept.current).toBeNull();
  await attempt(0).fail('refused');
  await vi.advanceTimersByTimeAsync(1_000);
  await attempt(1).fail('refused again');
  await vi.advanceTimersByTimeAsync(1_000);
  await attempt(2).succeed();
  expect(kept.current).toBe(2);
  expect(told).toEqual(['down: refused', 'up 2 again']);
  kept.lose(2, new Error('silent'));
  expect(kept.current).toBeNull();
  expect(attempt(2).attempt.signal.aborted).toBe(true);
  expect(told.slice(2)).toEqual(['down: silent']);
  kept.close();
});

it('gives up one that does not open in time, and takes no notice of it later', async () => {
  const { kept, told, attempts, attempt } = start({ openTimeoutMs: 1_000 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told).toEqual(['down: no answer within 1000 ms']);
  expect(attempt(0).attempt.signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(400);
  expect(attempts).toHaveLength(2);
  await attempt(0).succeed();
  expect(kept.current).toBeNull();
  await attempt(1).succeed();
  expect(kept.current).toBe(1);
  kept.lose(0, new Error('an old one'));
  attempt(0).attempt.lose(new Error('an old one'));
  expect(kept.current).toBe(1);
  kept.close();
});

it('waits longer after each failure, up to a bound, and starts over after it has worked for long', async () => {
  const { kept, attempts, attempt } = start({ firstWaitMs: 100, longestWaitMs: 1_000 });
  const waitedMs = async (): Promise<number> => {
    const [before, startedAt] = [attempts.length, performance.now()];
    while (attempts.length === before) await vi.advanceTimersByTimeAsync(1);
    return performance.now() - startedAt;
  };
  const waits: number[] = [];
  for (let i = 0; i < 8; i += 1) {
    await attempt(i).fail('refused');
    waits.push(await waitedMs());
  }
  for (const [i, wait] of waits.entries()) {
    const middle = Math.min(1_000, 100 * 2 ** i);
    expect(wait).toBeGreaterThanOrEqual(0.75 * middle - 2);
    expect(wait).toBeLessThanOrEqual(1.25 * middle + 2);
  }
  // A connection that works only for a moment counts like one that does not work.
  await attempt(8).succeed();
  kept.lose(8, new Error('gone'));
  expect(await waitedMs()).toBeGreaterThan(700);
  await attempt(9).succeed();
  await vi.advanceTimersByTimeAsync(10_001);
  kept.lose(9, new Error('gone'));
  expect(await waitedMs()).toBeLessThan(130);
  kept.close();
});

it('ends what is open or opening when it is closed, and tries nothing more', async () => {
  const { kept, told, attempts, attempt } = start();
  await attempt(0).succeed();
  kept.close();
  kept.close();
  expect(kept.current).toBeNull();
  expect(attempt(0).attempt.signal.aborted).toBe(true);
  attempt(0).attempt.lose(new Error('closed'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(attempts).toHaveLength(1);
  expect(told).toEqual(['up 0']);

  const opening = start();
  opening.kept.close();
  await opening.attempt(0).succeed();
  expect(opening.kept.current).toBeNull();
  const waiting = start();
  await waiting.attempt(0).fail('refused');
  waiting.kept.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(waiting.attempts).toHaveLength(1);
});

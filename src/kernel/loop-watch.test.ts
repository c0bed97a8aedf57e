import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Blockage, type LoopWatch, watchLoop } from './loop-watch.js';

let watch: LoopWatch | null = null;
afterEach(() => watch?.stop());

const busyFor = (ms: number): void => {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
};

async function within(ms: number, holds: () => boolean): Promise<void> {
  const endsAt = performance.now() + ms;
  while (!holds() && performance.now() < endsAt) await pause(10);
}

describe('the watch over the event loop', () => {
  it('tells how long it was held up, once, and takes it apart', async () => {
    const delays: number[] = [];
    const blockages: Blockage[] = [];
    watch = watchLoop({ delayed: (ms) => delays.push(ms), blocked: (one) => blockages.push(one) });
    await within(5_000, () => delays.length > 2);
    watch.takeLongest();
    busyFor(300);
    await within(5_000, () => Math.max(...delays) >= 190);
    const longest = watch.takeLongest();
    // The tick was due up to one interval after the work began.
    expect(longest.ms).toBeGreaterThanOrEqual(190);
    const [longestOne] = [...blockages].sort((a, b) => b.ms - a.ms);
    const { ms = 0, gcMs = 0, waitMs = 0, workMs = 0 } = longestOne ?? {};
    expect(gcMs + waitMs + workMs).toBeCloseTo(ms, 6);
    expect(Math.min(gcMs, waitMs, workMs)).toBeGreaterThanOrEqual(0);
    expect(watch.takeLongest().ms).toBeLessThan(longest.ms);
  });

  it('does not keep a process that has nothing else to do', () => {
    const before = process.getActiveResourcesInfo();
    watch = watchLoop({ delayed: () => {}, blocked: () => {} });
    expect(process.getActiveResourcesInfo()).toEqual(before);
  });

  it('is silent once it is stopped', async () => {
    let ticks = 0;
    watch = watchLoop({
      delayed: () => {
        ticks += 1;
      },
      blocked: () => {},
    });
    await within(5_000, () => ticks > 0);
    watch.stop();
    watch = null;
    const before = ticks;
    await pause(50);
    expect(ticks).toBe(before);
  });
});

import { describe, expect, it } from 'vitest';
import { seeded } from '../../test/support/seeded.js';
import { VirtualTime } from '../../test/support/virtual-time.js';
import { CycleLoop } from './cycle-loop.js';

/** A loop with cycles of 10 ms and waits of 1,000 ms. Records when each cycle began. */
function scene(isFailing: (at: number) => boolean = () => false) {
  const time = new VirtualTime(seeded(7));
  const begun: number[] = [];
  const failures: unknown[] = [];
  let atOnce = 0;
  const loop = new CycleLoop({
    timers: time,
    async cycle() {
      begun.push(time.now);
      atOnce += 1;
      expect(atOnce).toBe(1);
      await new Promise<void>((resolve) => {
        time.after(10, resolve);
      });
      atOnce -= 1;
      if (isFailing(time.now)) throw new Error('not now');
    },
    waitMs: () => 1_000,
    failed: (error) => void failures.push(error),
  });
  return { time, loop, begun, failures, run: (until: number) => time.run(until, () => false) };
}

describe('a loop of cycles', () => {
  it('waits between cycles, and runs one at once when it is requested', async () => {
    const { time, loop, begun, run } = scene();
    loop.request();
    time.after(1_500, () => loop.request());
    await run(2_600);
    expect(begun).toEqual([0, 1_010, 1_500, 2_510]);
  });

  it('runs one more cycle for all requests during one', async () => {
    const { time, loop, begun, run } = scene();
    loop.request();
    for (const at of [3, 5, 8]) time.after(at, () => loop.request());
    time.after(9, () => loop.requestWithin(2));
    await run(500);
    expect(begun).toEqual([0, 10]);
  });

  it('gathers requests that can wait, unless one cannot', async () => {
    const { time, loop, begun, run } = scene();
    for (const at of [100, 101]) time.after(at, () => loop.requestWithin(5));
    for (const at of [200, 201]) time.after(at, () => loop.requestWithin(5));
    time.after(203, () => loop.request());
    await run(500);
    expect(begun).toEqual([105, 203]);
  });

  it('backs off after failures, however often it is requested, and no longer after a success', async () => {
    const { time, loop, begun, failures, run } = scene((at) => at < 1_500 || (at > 1_800 && at < 1_900));
    loop.request();
    for (let at = 20; at < 1_500; at += 20) time.after(at, () => loop.request());
    time.after(1_850, () => loop.request());
    await run(2_400);
    expect(begun).toEqual([0, 260, 770, 1_780, 1_850, 2_110]);
    expect(failures).toHaveLength(4);
  });

  it('runs only what is requested when it drains, and does not back off', async () => {
    const { time, loop, begun, run } = scene((at) => at < 500);
    loop.request();
    time.after(100, () => loop.drain());
    for (const at of [200, 205, 600]) time.after(at, () => loop.request());
    time.after(700, () => loop.requestWithin(5));
    await run(10_000);
    expect(begun).toEqual([0, 200, 600, 700]);
  });

  it('has settled when no cycle runs', async () => {
    const { time, loop, run } = scene();
    loop.request();
    loop.request();
    let settledAt: number | null = null;
    void loop.settled().then(() => {
      settledAt = time.now;
    });
    await run(500);
    expect(settledAt).toBe(20);
  });
});

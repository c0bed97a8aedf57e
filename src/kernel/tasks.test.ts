import { describe, expect, it } from 'vitest';
import { seeded } from '../../test/support/seeded.js';
import { VirtualTime } from '../../test/support/virtual-time.js';
import { Tasks } from './tasks.js';

function scene(durations: readonly number[]) {
  const time = new VirtualTime(seeded(7));
  const tasks = new Tasks();
  const left: number[] = [];
  for (const ms of durations) {
    const task = new Promise<void>((resolve) => {
      time.after(ms, resolve);
    });
    tasks.add(task, () => left.push(tasks.size));
  }
  return { time, tasks, left };
}

describe('tasks', () => {
  it('call back when they are no longer counted', async () => {
    const { time, tasks, left } = scene([10, 20, 30]);
    expect(tasks.size).toBe(3);
    await time.run(100, () => false);
    expect(left).toEqual([2, 1, 0]);
  });

  it.each([
    [[10, 20], true],
    [[10, 200], false],
    [[], true],
  ])('of %j ms, all end within 100 ms: %s', async (durations, expected) => {
    const { time, tasks } = scene(durations);
    let isInTime: boolean | null = null;
    void tasks.endedWithin(100, time).then((answer) => {
      isInTime = answer;
    });
    await time.run(150, () => false);
    expect(isInTime).toBe(expected);
  });
});

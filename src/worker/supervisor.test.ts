import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Supervisor, superviseTasks, type Task } from './supervisor.js';

describe('superviseTasks', () => {
  let lines: Record<string, unknown>[];
  let supervisor: Supervisor | undefined;
  const supervise = (...tasks: Task[]): Supervisor => {
    const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    supervisor = superviseTasks(tasks, log);
    return supervisor;
  };

  beforeEach(() => {
    lines = [];
    vi.useFakeTimers();
  });
  afterEach(async () => {
    await supervisor?.stop();
    vi.useRealTimers();
  });

  it('runs each task every so often, for the first time after one interval', async () => {
    const runs = { often: 0, rarely: 0 };
    const counting = (name: keyof typeof runs, everyMs: number): Task => ({
      name,
      everyMs,
      async run() {
        runs[name] += 1;
      },
    });
    supervise(counting('often', 100), counting('rarely', 250));
    await vi.advanceTimersByTimeAsync(99);
    expect(runs).toEqual({ often: 0, rarely: 0 });
    await vi.advanceTimersByTimeAsync(901);
    expect(runs).toEqual({ often: 10, rarely: 4 });
  });

  it('never runs a task twice at once: the interval counts from the end of a run', async () => {
    const ends: (() => void)[] = [];
    supervise({ name: 'slow', everyMs: 100, run: () => new Promise((resolve) => ends.push(resolve)) });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(99);
    expect(ends).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends).toHaveLength(2);
    ends[1]?.();
  });

  it('goes on after a fault, says whose it was, and disturbs no other task', async () => {
    let [failed, others] = [0, 0];
    supervise(
      {
        name: 'failing',
        everyMs: 100,
        run() {
          failed += 1;
          return Promise.reject(new Error('disk'));
        },
      },
      { name: 'other', everyMs: 100, run: async () => void others++ },
    );
    await vi.advanceTimersByTimeAsync(300);
    expect([failed, others]).toEqual([3, 3]);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject({
      task: 'failing',
      err: { message: 'disk' },
      msg: 'background task failed',
    });
  });

  it('asks the run in progress to end, and stops once it has', async () => {
    let finish = (): void => {};
    let told: AbortSignal | undefined;
    const task: Task = {
      name: 'slow',
      everyMs: 100,
      run(signal) {
        told = signal;
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    };
    const { stop } = supervise(task);
    await vi.advanceTimersByTimeAsync(100);
    expect(told?.aborted).toBe(false);
    let stopped = false;
    const stopping = stop().then(() => {
      stopped = true;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told?.aborted).toBe(true);
    expect(stopped).toBe(false);
    finish();
    await stopping;
  });

  it('runs nothing after it was stopped, and leaves no timer behind', async () => {
    let runs = 0;
    const { stop } = supervise({ name: 'task', everyMs: 100, run: async () => void runs++ });
    await vi.advanceTimersByTimeAsync(100);
    await stop();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toBe(1);
  });

  it('has nothing to wait for when nothing runs', async () => {
    await supervise().stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

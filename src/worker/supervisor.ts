/** Runs recurring background tasks: one run of a task at a time, and a failed run never ends the repetition. */
import type { Logger } from '../kernel/log.js';

export interface Task {
  readonly name: string;
  readonly everyMs: number;
  /** When the first run starts, if it should not wait for a whole interval. */
  readonly firstAfterMs?: number;
  run(signal: AbortSignal): Promise<void>;
}

export interface Supervisor {
  /** Resolves when the runs in progress have ended. */
  stop(): Promise<void>;
}

export function superviseTasks(tasks: readonly Task[], log: Logger): Supervisor {
  const ending = new AbortController();
  const running = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();

  const plan = (task: Task, afterMs: number): void => {
    if (ending.signal.aborted) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      const run = task
        .run(ending.signal)
        .catch((error: unknown) => log.error({ err: error, task: task.name }, 'background task failed'))
        .finally(() => {
          running.delete(run);
          plan(task, task.everyMs);
        });
      running.add(run);
    }, afterMs);
    timers.add(timer);
  };

  for (const task of tasks) plan(task, task.firstAfterMs ?? task.everyMs);
  return {
    async stop() {
      ending.abort();
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}

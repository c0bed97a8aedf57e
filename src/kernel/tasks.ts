/** Work that runs in the background. Tasks must not reject. */
import type { Timers } from './clock.js';

export class Tasks {
  readonly #running = new Set<Promise<void>>();

  get size(): number {
    return this.#running.size;
  }

  /** Calls `ended` when the task has ended and is no longer counted. */
  add(task: Promise<void>, ended: () => void): void {
    this.#running.add(task);
    void task.then(() => {
      this.#running.delete(task);
      ended();
    });
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Whether all tasks that are running now end in time. */
  async endedWithin(ms: number, timers: Timers): Promise<boolean> {
    let cancel = (): void => {};
    const late = new Promise<false>((resolve) => {
      cancel = timers.after(ms, () => resolve(false));
    });
    const isInTime = await Promise.race([this.ended().then(() => true), late]);
    cancel();
    return isInTime;
  }
}

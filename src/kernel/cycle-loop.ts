/**
 * Runs cycles of work, never two at once:
 *
 *   idle ─────── request(), or its timer ──────▶ running
 *   idle ─────── requestWithin(ms) ────────────▶ gathering
 *   gathering ── request(), or its timer ──────▶ running
 *   running ──── done, requested meanwhile ────▶ running
 *   running ──── done ─────────────────────────▶ idle, for `waitMs`
 *   running ──── failed ───────────────────────▶ backing off
 *   backing off  its timer ────────────────────▶ running; requests wait for it
 *
 * After `drain` there are no timers: a cycle runs only when it is requested.
 */
import type { Timers } from './clock.js';

export interface CycleLoopOptions {
  readonly timers: Timers;
  cycle(): Promise<void>;
  /** How long to wait for the next cycle if none is requested. */
  waitMs(): number;
  failed(error: unknown): void;
}

type State = 'idle' | 'gathering' | 'running' | 'backing off';

const firstBackoffMs = 250;
const longestBackoffMs = 10_000;

export class CycleLoop {
  #state: State = 'idle';
  #isRequested = false;
  #isDraining = false;
  #failures = 0;
  #running: Promise<void> = Promise.resolve();
  #cancelTimer = (): void => {};

  constructor(private readonly options: CycleLoopOptions) {}

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Runs a cycle now, or right after the one that is running. */
  request(): void {
    if (this.#state === 'running') this.#isRequested = true;
    else if (this.#state !== 'backing off') this.#start();
  }

  /** Runs a cycle after at most `ms`, so that it can do more at once. */
  requestWithin(ms: number): void {
    if (this.#state === 'running' || this.#isDraining) this.request();
    else if (this.#state === 'idle') this.#enter('gathering', ms);
  }

  drain(): void {
    this.#isDraining = true;
    if (this.#state !== 'running') this.#enter('idle', 0);
  }

  /** Resolves when no cycle is running. */
  async settled(): Promise<void> {
    while (this.#state === 'running') await this.#running;
  }

  #start(): void {
    this.#cancelTimer();
    this.#state = 'running';
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    try {
      do {
        this.#isRequested = false;
        await this.options.cycle();
        this.#failures = 0;
      } while (this.#isRequested);
      this.#enter('idle', this.options.waitMs());
    } catch (error) {
      this.options.failed(error);
      this.#enter('backing off', Math.min(longestBackoffMs, firstBackoffMs * 2 ** this.#failures));
      this.#failures += 1;
    }
  }

  #enter(state: Exclude<State, 'running'>, ms: number): void {
    this.#cancelTimer();
    this.#state = this.#isDraining ? 'idle' : state;
    if (!this.#isDraining) this.#cancelTimer = this.options.timers.after(ms, () => this.#start());
  }
}

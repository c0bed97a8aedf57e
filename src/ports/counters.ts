/**
 * Counters with a fixed window: the first hit opens a window of `windowMs`, later hits count into it, and the
 * first hit after its end opens the next. Loss of all counters costs nothing but a fresh window.
 * `test/contracts/counters.ts` runs against every adapter.
 */
export interface Window {
  /** Hits in this window, this one included. */
  readonly count: number;
  readonly resetsAt: number;
}

export interface Counters {
  /** A window of 0 ms ends at once: such a hit shows whether a window is open, and opens none. */
  hit(key: string, windowMs: number): Window | Promise<Window>;
  close(): Promise<void>;
}

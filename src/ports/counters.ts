/**
 * Counters with a fixed window: the first hit opens a window of `windowMs`, later hits count into it, and the
 * first hit after its end opens the next. Losing all counters only means fresh windows.
 * `test/contracts/counters.ts` runs against every adapter.
 */
export interface Window {
  /** Hits in this window, this one included. */
  readonly count: number;
  readonly resetsAt: number;
}

export interface Counters {
  hit(key: string, windowMs: number): Window | Promise<Window>;
  /** The hits in the open window; 0 when none is open. Changes nothing. */
  peek(key: string): number | Promise<number>;
  /** Replaces any open window with a new one that has one hit and ends `windowMs` from now. */
  renew(key: string, windowMs: number): Window | Promise<Window>;
  close(): Promise<void>;
}

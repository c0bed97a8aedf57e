/** The time is passed in as a value, so that tests can control it. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The only wire format of an instant: ISO 8601, UTC, with milliseconds. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Timers are passed in for the same reason. */
export interface Timers {
  /** Calls back once after `ms`. Returns a function that cancels the timer. */
  after(ms: number, callback: () => void): () => void;
}

/** Node fires timers with a longer delay immediately. */
const longestTimerMs = 2 ** 31 - 1;

export const systemTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), longestTimerMs));
    return () => clearTimeout(timer);
  },
};

/** For Retry-After: never 0, which would invite the next rejection. */
export const secondsUntil = (at: number, now: number): number => Math.max(1, Math.ceil((at - now) / 1000));

export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

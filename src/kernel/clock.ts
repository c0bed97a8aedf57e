/** Time as a value that is passed in, so that tests can hold it still. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The one way an instant is written on the wire: ISO 8601, UTC, with milliseconds. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Waiting as a value that is passed in, for the same reason. */
export interface Timers {
  /** Calls back once after the time; the function that it returns calls it off. */
  after(ms: number, callback: () => void): () => void;
}

/** Node fires a timer of more milliseconds than fit into 31 bits at once. */
const longestTimerMs = 2 ** 31 - 1;

export const systemTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), longestTimerMs));
    return () => clearTimeout(timer);
  },
};

export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/**
 * The database's clock, which all processes share: leases and due times are compared between machines whose own clocks
 * differ. It is read from time to time and extrapolated with this machine's monotonic clock, so that callers never wait.
 */
export class DatabaseClock {
  /** Database time minus monotonic time. */
  #offset = Date.now() - performance.now();
  #roundTrip = Number.POSITIVE_INFINITY;
  #learnedAt = Number.NEGATIVE_INFINITY;

  #last = 0;

  readonly now = (): number => {
    const now = Math.round(this.#offset + performance.now());
    // A new reading always differs slightly. The clock stands still rather than go back, unless the database's was set back.
    if (now < this.#last && this.#last - now < setBackMs) return this.#last;
    this.#last = now;
    return now;
  };

  /** `askedAt` and `answeredAt` are monotonic times. */
  learn(databaseMs: number, askedAt: number, answeredAt: number): void {
    const roundTrip = answeredAt - askedAt;
    // This process stood still meanwhile, and half of that time would be the error. The clock is soon read again.
    if (roundTrip > uselessFromMs) return;
    // A slow response is imprecise: it counts only when there is no better one, or that one is old.
    if (roundTrip > 4 * this.#roundTrip && answeredAt - this.#learnedAt < vagueAfterMs) return;
    this.#offset = databaseMs - (askedAt + answeredAt) / 2;
    this.#roundTrip = roundTrip;
    this.#learnedAt = answeredAt;
  }
}

const setBackMs = 1_000;
/** A connection that takes longer to respond is dropped. */
const uselessFromMs = 10_000;
/** Two good clocks drift apart by a few milliseconds in this time. */
const vagueAfterMs = 60_000;

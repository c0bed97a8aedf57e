/**
 * The database's clock, which all processes share: leases and due times are compared between machines whose own clocks
 * differ. It is asked from time to time and carried on by this machine's monotonic clock, so that nobody waits for it.
 */
export class DatabaseClock {
  /** Database time minus monotonic time. */
  #offset = Date.now() - performance.now();
  #roundTrip = Number.POSITIVE_INFINITY;
  #learnedAt = Number.NEGATIVE_INFINITY;

  #last = 0;

  readonly now = (): number => {
    const now = Math.round(this.#offset + performance.now());
    // What was learned anew is never quite the same: the clock waits rather than go back, unless it was set back.
    if (now < this.#last && this.#last - now < setBackMs) return this.#last;
    this.#last = now;
    return now;
  };

  /** `askedAt` and `answeredAt` on the monotonic clock. */
  learn(databaseMs: number, askedAt: number, answeredAt: number): void {
    const roundTrip = answeredAt - askedAt;
    // This process stood still meanwhile: half of that time would be the error. It is soon asked again.
    if (roundTrip > uselessFromMs) return;
    // A slow answer is a vague one: it counts only when there is none better, or that one is old.
    if (roundTrip > 4 * this.#roundTrip && answeredAt - this.#learnedAt < vagueAfterMs) return;
    this.#offset = databaseMs - (askedAt + answeredAt) / 2;
    this.#roundTrip = roundTrip;
    this.#learnedAt = answeredAt;
  }
}

const setBackMs = 1_000;
/** A connection that takes longer to answer is given up. */
const uselessFromMs = 10_000;
/** Two good clocks drift apart by a few milliseconds in this time. */
const vagueAfterMs = 60_000;

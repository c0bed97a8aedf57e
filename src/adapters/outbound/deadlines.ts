/**
 * One timer for all exchanges under way: two of its own took each exchange 3 µs, a place in a set next to nothing.
 * What must stay true: nobody is told early, and nobody later than a tick after its time.
 */
const tickMs = 25;

export interface Dated {
  /** On the clock of performance.now(). May change while it is watched. */
  readonly endsAt: number;
  onTime(): void;
}

export class Deadlines {
  readonly #watched = new Set<Dated>();
  #ticking: NodeJS.Timeout | null = null;

  watch(one: Dated): void {
    this.#watched.add(one);
    this.#ticking ??= setInterval(() => this.#tick(), tickMs);
  }

  unwatch(one: Dated): void {
    this.#watched.delete(one);
  }

  #tick(): void {
    const now = performance.now();
    for (const one of this.#watched) if (one.endsAt <= now) one.onTime();
    if (this.#watched.size > 0 || this.#ticking === null) return;
    clearInterval(this.#ticking);
    this.#ticking = null;
  }
}

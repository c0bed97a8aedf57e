/**
 * Work that may take long, asked for by many. So much of it runs at once, one piece for each key; the keys that wait take
 * turns, so that one which asks without end delays the others by one piece of work and no more.
 */
type Enter = (isMyTurn: boolean) => void;

export class FairTurns {
  readonly #running = new Set<string>();
  /** In the order in which the keys have their turns. */
  readonly #waiting = new Map<string, Enter[]>();

  constructor(
    private readonly atOnce: number,
    private readonly maxWaitingPerKey: number,
    private readonly maxWaitMs: number,
  ) {}

  /** null: the work was not done, because too much of this key waits already or its turn did not come in time. */
  async run<T>(key: string, work: () => Promise<T>): Promise<{ readonly value: T } | null> {
    if (!this.#begin(key) && !(await this.#turn(key))) return null;
    try {
      return { value: await work() };
    } finally {
      this.#running.delete(key);
      this.#letIn();
    }
  }

  #begin(key: string): boolean {
    if (this.#running.size >= this.atOnce || this.#running.has(key)) return false;
    this.#running.add(key);
    return true;
  }

  #turn(key: string): Promise<boolean> {
    const waiting = this.#waiting.get(key) ?? [];
    if (waiting.length >= this.maxWaitingPerKey) return Promise.resolve(false);
    this.#waiting.set(key, waiting);
    return new Promise((resolve) => {
      const enter: Enter = (isMyTurn) => {
        clearTimeout(timer);
        waiting.splice(waiting.indexOf(enter), 1);
        if (waiting.length === 0) this.#waiting.delete(key);
        resolve(isMyTurn);
      };
      const timer = setTimeout(enter, this.maxWaitMs, false);
      waiting.push(enter);
    });
  }

  #letIn(): void {
    for (const [key, [first]] of this.#waiting) {
      if (first === undefined || !this.#begin(key)) continue;
      first(true);
      const rest = this.#waiting.get(key);
      if (!rest) return;
      // Behind all others, until its turn comes again.
      this.#waiting.delete(key);
      this.#waiting.set(key, rest);
      return;
    }
  }
}

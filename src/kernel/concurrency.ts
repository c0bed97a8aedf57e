/** Small building blocks for work that meets itself. */

/** Goes on at once when the value is here. An `await` would cost the hot path a turn of the queue of promises. */
export const andThen = <T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Runs pieces of work one after the other, in the order they came. */
export class Mutex {
  #tail: Promise<unknown> = Promise.resolve();

  /** Resolves with the function that lets the next one in. */
  async acquire(): Promise<() => void> {
    let release = (): void => {};
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    const before = this.#tail;
    this.#tail = before.then(() => mine);
    await before;
    return release;
  }
}

/** Work on one key is done one after the other; work on different keys does not wait for each other. */
export class Turns {
  readonly #tails = new Map<string, Promise<unknown>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#tails.get(key) ?? Promise.resolve()).then(work);
    const tail = mine.catch(() => {});
    this.#tails.set(key, tail);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}

interface Waiter {
  readonly key: string;
  readonly enter: (free: (() => void) | null) => void;
}

/** At most `max` at once over all, and `maxPerKey` for one key; a bounded number may wait for a place. */
export class Slots {
  #used = 0;
  readonly #perKey = new Map<string, number>();
  #waiting: Waiter[] = [];

  constructor(
    private readonly max: number,
    private readonly maxPerKey: number,
    private readonly maxWaiting = 0,
  ) {}

  /** The function that frees the slot, or null when there is none. */
  take(key: string): (() => void) | null {
    const mine = this.#perKey.get(key) ?? 0;
    if (this.#used >= this.max || mine >= this.maxPerKey) return null;
    this.#used += 1;
    this.#perKey.set(key, mine + 1);
    let freed = false;
    return () => {
      if (freed) return;
      freed = true;
      this.#used -= 1;
      const left = (this.#perKey.get(key) ?? 1) - 1;
      if (left === 0) this.#perKey.delete(key);
      else this.#perKey.set(key, left);
      this.#letIn();
    };
  }

  /** As `take`, but waits so long for a place; those who came first enter first. */
  wait(key: string, forMs: number): Promise<(() => void) | null> {
    const free = this.take(key);
    if (free !== null || this.#waiting.length >= this.maxWaiting) return Promise.resolve(free);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        key,
        enter(slot) {
          clearTimeout(timer);
          resolve(slot);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        resolve(null);
      }, forMs);
      this.#waiting.push(waiter);
    });
  }

  #letIn(): void {
    for (const [index, waiter] of this.#waiting.entries()) {
      const free = this.take(waiter.key);
      if (free === null) continue;
      this.#waiting.splice(index, 1);
      waiter.enter(free);
      return;
    }
  }
}

/** Small building blocks for concurrent work. */

/** Lets one caller in at a time, in the order of arrival. */
export class Mutex {
  #tail: Promise<unknown> = Promise.resolve();

  /** Resolves with the function that releases the mutex. */
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

/** Work on the same key runs one at a time. Work on different keys runs concurrently. */
export class Locks {
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

type Free = () => void;

export interface Waiting {
  /** For all keys together. */
  readonly max: number;
  readonly maxPerKey: number;
}

/**
 * At most `max` slots in total and `maxPerKey` for one key. A limited number of callers can wait for a slot. Waiting keys
 * take turns, so a key with endless requests delays the others by one slot at most.
 */
export class Slots {
  #used = 0;
  readonly #perKey = new Map<string, number>();
  #waiting = 0;
  /** In the order in which the keys take turns. */
  readonly #queues = new Map<string, ((slot: Free | null) => void)[]>();

  constructor(
    private readonly max: number,
    private readonly maxPerKey: number,
    private readonly waiting: Waiting = { max: 0, maxPerKey: 0 },
  ) {}

  /** Returns the function that frees the slot, or null when no slot is free. */
  take(key: string): Free | null {
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

  /** Like `take`, but waits up to `forMs` for a slot. Within a key, first come, first served. */
  wait(key: string, forMs: number): Promise<Free | null> {
    const free = this.take(key);
    const queue = this.#queues.get(key) ?? [];
    const isFull = this.#waiting >= this.waiting.max || queue.length >= this.waiting.maxPerKey;
    if (free !== null || isFull) return Promise.resolve(free);
    this.#waiting += 1;
    this.#queues.set(key, queue);
    return new Promise((resolve) => {
      const enter = (slot: Free | null): void => {
        clearTimeout(timer);
        this.#waiting -= 1;
        queue.splice(queue.indexOf(enter), 1);
        if (queue.length === 0) this.#queues.delete(key);
        resolve(slot);
      };
      const timer = setTimeout(enter, forMs, null);
      queue.push(enter);
    });
  }

  /** Runs the work in a slot. Returns null, without running it, when no slot was free in time. */
  async run<T>(key: string, forMs: number, work: () => Promise<T>): Promise<{ readonly value: T } | null> {
    const free = this.take(key) ?? (await this.wait(key, forMs));
    if (free === null) return null;
    try {
      return { value: await work() };
    } finally {
      free();
    }
  }

  #letIn(): void {
    for (const [key, queue] of this.#queues) {
      const free = this.take(key);
      if (free === null) continue;
      queue[0]?.(free);
      if (queue.length === 0) return;
      // Moves the key behind all others.
      this.#queues.delete(key);
      this.#queues.set(key, queue);
      return;
    }
  }
}

/** At most `atOnce` at a time. A failure stops further work. The first one is thrown once everything in progress has ended. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (const item of waiting) {
      await work(item).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  if (failures.length > 0) throw failures[0];
}

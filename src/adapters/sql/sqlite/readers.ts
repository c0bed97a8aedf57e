/**
 * The threads that read: one at first, and another when those there are get no pause. A thread takes 10 MB of memory and a
 * twentieth of the processor time of a start, and an instance that nobody looks at never needs the second.
 */
import type { SqliteConnection } from './connection.js';

/** The queries of a start come at once, and take a few milliseconds together. */
const patienceMs = 50;

export class Readers {
  readonly #connections: SqliteConnection[];
  #most: number;
  #opening: Promise<void> | null = null;

  constructor(
    first: SqliteConnection,
    most: number,
    private readonly open: () => Promise<SqliteConnection>,
  ) {
    this.#connections = [first];
    this.#most = most;
  }

  get all(): readonly SqliteConnection[] {
    return this.#connections;
  }

  /** The least busy one. */
  next(): SqliteConnection {
    const best = this.#connections.reduce((least, one) => (one.pending < least.pending ? one : least));
    if (best.busyMs > patienceMs && this.#connections.length < this.#most) this.#opening ??= this.#add();
    return best;
  }

  async close(): Promise<void> {
    this.#most = 0;
    await this.#opening;
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  async #add(): Promise<void> {
    try {
      this.#connections.push(await this.open());
    } catch {
      // No descriptor or no memory is left for it. Those there are still serve every statement.
      this.#most = this.#connections.length;
    }
    this.#opening = null;
  }
}

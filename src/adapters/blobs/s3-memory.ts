/**
 * The memory that all uploads to the bucket share. A part must be in memory as a whole before it is sent, because it is
 * signed and may be sent again. Without this limit, many large uploads at once would take gigabytes.
 */
import { BlobsUnavailable } from '../../ports/blobs.js';

interface Waiter {
  readonly bytes: number;
  enter(): void;
}

export class UploadMemory {
  #free: number;
  #waiting: Waiter[] = [];

  constructor(
    maxBytes: number,
    private readonly patienceMs: number,
  ) {
    this.#free = maxBytes;
  }

  /** First come, first served. A request that waits too long is rejected and can be retried, so that slow uploads cannot deadlock. */
  async take(bytes: number): Promise<void> {
    if (this.#waiting.length === 0 && bytes <= this.#free) {
      this.#free -= bytes;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        bytes,
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        this.#letIn();
        reject(new BlobsUnavailable('Too many bytes are on their way to the bucket'));
      }, this.patienceMs);
      this.#waiting.push(waiter);
    });
  }

  give(bytes: number): void {
    this.#free += bytes;
    this.#letIn();
  }

  #letIn(): void {
    for (let next = this.#waiting[0]; next && next.bytes <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.bytes;
      next.enter();
    }
  }
}

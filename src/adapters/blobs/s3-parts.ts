/** Splits a stream into parts that are in memory as a whole, each with its checksum. */
import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { UploadMemory } from './s3-memory.js';

export interface Part {
  readonly bytes: Buffer;
  /** In base64, for the Content-MD5 header: the one checksum that every S3-compatible server verifies. */
  readonly md5: string;
  readonly isLast: boolean;
  release(): void;
}

const firstCapacity = 64 * 1024;
const growth = 4;

export class PartReader {
  readonly #chunks: AsyncIterator<unknown>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(
    source: Readable,
    private readonly memory: UploadMemory,
  ) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Returns a full part, or the last one. Memory grows with the bytes received, so a slow client takes little of it. */
  async next(maxBytes: number): Promise<Part> {
    const block = new Block(this.memory, maxBytes, createHash('md5'));
    try {
      for (;;) {
        if (this.#rest.length === 0 && !(await this.#fetch())) return block.finish(true);
        if (block.isFull) return block.finish(false);
        this.#rest = this.#rest.subarray(await block.add(this.#rest));
      }
    } catch (error) {
      block.release();
      throw error;
    }
  }

  async #fetch(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      if (!(value instanceof Uint8Array)) throw new TypeError('Not a stream of bytes');
      if (value.length === 0) continue;
      this.#rest = value;
      return true;
    }
  }
}

class Block {
  #bytes = Buffer.alloc(0);
  #filled = 0;
  #isReleased = false;

  constructor(
    private readonly memory: UploadMemory,
    private readonly maxBytes: number,
    private readonly hash: Hash,
  ) {}

  get isFull(): boolean {
    return this.#filled === this.maxBytes;
  }

  /** Adds what fits and returns the number of bytes added. */
  async add(chunk: Uint8Array): Promise<number> {
    const taken = chunk.subarray(0, this.maxBytes - this.#filled);
    await this.#makeRoom(this.#filled + taken.length);
    this.#bytes.set(taken, this.#filled);
    this.#filled += taken.length;
    this.hash.update(taken);
    return taken.length;
  }

  finish(isLast: boolean): Part {
    return {
      bytes: this.#bytes.subarray(0, this.#filled),
      md5: this.hash.digest('base64'),
      isLast,
      release: () => this.release(),
    };
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.memory.give(this.#bytes.length);
    this.#bytes = Buffer.alloc(0);
  }

  async #makeRoom(needed: number): Promise<void> {
    const capacity = this.#bytes.length;
    if (needed <= capacity) return;
    let wanted = Math.max(capacity, firstCapacity);
    while (wanted < needed) wanted *= growth;
    wanted = Math.min(wanted, this.maxBytes);
    await this.memory.take(wanted - capacity);
    const grown = Buffer.allocUnsafeSlow(wanted);
    grown.set(this.#bytes.subarray(0, this.#filled));
    this.#bytes = grown;
  }
}

/**
 * What was handed out a moment ago, with its bytes where they are few: a picture on a busy page is asked for many times a
 * second, and two trips to the database for each cost more than sending it (0.3 of the rate of a static file, measured;
 * with this 1.0). Dropped at once when anything is deleted here; a deletion elsewhere counts after `freshForMs`.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../../kernel/clock.js';
import type { ByteRange } from '../../ports/blobs.js';

/** Bytes as they are handed out: a file as it was uploaded, or a picture made of it. */
export interface Content {
  readonly filename: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly modifiedAt: number;
  /** We made these bytes ourselves, so they contain nothing that a visitor wrote. */
  readonly isOurs: boolean;
  /** Few bytes come at once, many as a stream. */
  read(range?: ByteRange): Promise<Readable | Buffer>;
}

const freshForMs = 1_000;
const maxEntries = 1_000;
const maxBytes = 8 * 1024 * 1024;
/** Larger ones are streamed: their bytes cost more than finding them. */
export const smallBytes = 256 * 1024;

export interface RecentContent {
  readonly content: Content;
  readonly staleAt: number;
  bytes: Buffer | null;
}

export class RecentContents {
  readonly #entries = new Map<string, RecentContent>();
  #bytes = 0;
  #generation = 0;

  constructor(private readonly clock: Clock) {}

  find(key: string): RecentContent | null {
    const entry = this.#entries.get(key);
    const now = this.clock.now();
    // Also when the clock was set back: nothing is kept for longer than it was meant.
    return entry && entry.staleAt > now && entry.staleAt <= now + freshForMs ? entry : null;
  }

  /** Taken before the look at the store whose result is added: a deletion meanwhile makes that result old. */
  get generation(): number {
    return this.#generation;
  }

  add(key: string, content: Content, generation: number): RecentContent {
    const isNew = generation === this.#generation;
    if (this.#entries.size >= maxEntries || this.#bytes > maxBytes) this.clear();
    const entry: RecentContent = { content, staleAt: this.clock.now() + freshForMs, bytes: null };
    // One that is old leaves alone what was added meanwhile, and is used once.
    if (!isNew) return entry;
    const before = this.#entries.get(key);
    if (before?.bytes) this.#bytes -= before.bytes.length;
    this.#entries.set(key, entry);
    return entry;
  }

  /** Counts only while the entry is the one that is kept. */
  keepBytes(key: string, entry: RecentContent, bytes: Buffer): void {
    if (this.#entries.get(key) !== entry || entry.bytes) return;
    entry.bytes = bytes;
    this.#bytes += bytes.length;
  }

  clear(): void {
    this.#generation += 1;
    this.#entries.clear();
    this.#bytes = 0;
  }
}

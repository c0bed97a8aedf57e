/**
 * Caches recently served files, with their bytes if small. An image on a busy page is requested many times a second, and two
 * database queries for each request cost more than sending it (0.3 of the rate of a static file, measured; 1.0 with this cache).
 * Cleared when this process deletes anything; a deletion by another process takes effect within `freshForMs`.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../../kernel/clock.js';
import type { ByteRange } from '../../ports/blobs.js';

/** Bytes as they are served: a file as uploaded, or a variant of it. */
export interface Content {
  readonly filename: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly modifiedAt: number;
  /** We made these bytes ourselves, so they contain nothing that a visitor wrote. */
  readonly isOurs: boolean;
  /** Small content is returned as a Buffer, large content as a stream. */
  read(range?: ByteRange): Promise<Readable | Buffer>;
}

const freshForMs = 1_000;
const maxEntries = 1_000;
const maxBytes = 8 * 1024 * 1024;
/** Larger files are streamed: sending their bytes costs more than finding them. */
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
    // The upper bound covers a clock that was set back: no entry may outlive `freshForMs`.
    return entry && entry.staleAt > now && entry.staleAt <= now + freshForMs ? entry : null;
  }

  /** Read before the store lookup whose result is added: a deletion in between makes that result stale. */
  get generation(): number {
    return this.#generation;
  }

  add(key: string, content: Content, generation: number): RecentContent {
    const isNew = generation === this.#generation;
    if (this.#entries.size >= maxEntries || this.#bytes > maxBytes) this.clear();
    const entry: RecentContent = { content, staleAt: this.clock.now() + freshForMs, bytes: null };
    // A stale result is used once and does not replace what was added meanwhile.
    if (!isNew) return entry;
    const before = this.#entries.get(key);
    if (before?.bytes) this.#bytes -= before.bytes.length;
    this.#entries.set(key, entry);
    return entry;
  }

  /** Ignored unless this entry is still the cached one. */
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

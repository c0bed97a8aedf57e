/**
 * Turns one image into another. The codecs read what visitors uploaded, so they run isolated from the service.
 *
 * The contract, which `test/contracts/imaging.ts` runs against every adapter:
 * - `transform` resolves for every source, broken or malicious; one that kills or hangs the codec costs only this outcome.
 * - The result is upright, sRGB, 8 bits per channel, from the first frame, without any metadata, and has the size that
 *   `planSize` returns.
 * - Work beyond the queue is rejected at once, and waiting times are bounded. Owners take turns, and none of them can fill
 *   the queue.
 * - Results of up to `maxWholeBytes` are returned whole, larger ones as a stream. A stream must be read to the end or
 *   destroyed: until then it occupies the codec.
 */
import type { Readable } from 'node:stream';
import type { ImageSourceType, Recipe } from '../model/image.js';

/** How much of a result is buffered in memory between the codec and the caller. */
export const maxWholeBytes = 256 * 1024;

export interface ImageJob {
  /** A local file with the source. */
  readonly path: string;
  readonly sourceType: ImageSourceType;
  readonly recipe: Recipe;
  /** Who the image is for. Jobs without an owner share one turn. */
  readonly owner?: string;
}

export type ImagingOutcome =
  | {
      readonly kind: 'made';
      readonly mimeType: string;
      readonly sizeBytes: number;
      readonly bytes: Buffer | Readable;
    }
  | { readonly kind: 'refused'; readonly reason: 'too_many_pixels' | 'broken' | 'too_slow' }
  /** The source disappeared before it could be read. */
  | { readonly kind: 'missing' }
  /** The codec died, which may or may not be the image's fault. */
  | { readonly kind: 'crashed' }
  | { readonly kind: 'busy' };

/**
 * What isolates a codec that a malicious image has taken over.
 * - own user: it runs as a user that owns nothing.
 * - permission model: Node lets its scripts read only the program, and start nothing.
 * - system call filter: the kernel lets it open no sockets, start no processes and change no file names.
 * - file access limits: the kernel lets it read only the program, and write nothing.
 */
export type IsolationMeasure = 'own user' | 'permission model' | 'system call filter' | 'file access limits';

export interface CodecIsolation {
  /** What this machine does not support. */
  readonly missing: readonly IsolationMeasure[];
}

export interface Imaging {
  transform(job: ImageJob): Promise<ImagingOutcome>;
  /** How many jobs wait for a codec. */
  readonly waiting: number;
  /** Resolves when a codec can be started, with how it is isolated. */
  check(): Promise<CodecIsolation>;
  close(): Promise<void>;
}

/**
 * Turns one picture into another. The codecs read what visitors uploaded, so they run apart from the service.
 *
 * The contract, which `test/contracts/imaging.ts` runs against every adapter:
 * - `transform` resolves for every source, broken or malicious; what kills or hangs the codec costs this one outcome.
 * - The result is upright, sRGB, 8 bits a channel, of the first frame, without any metadata, and of the size
 *   that `planSize` gives.
 * - Work beyond the queue is refused at once, and nothing waits for longer than a bounded time. Owners take turns, and
 *   none of them can fill the queue.
 * - Results of up to `maxWholeBytes` come whole, larger ones as a stream. A stream must be read to the end or destroyed:
 *   until then it occupies the codec.
 */
import type { Readable } from 'node:stream';
import type { ImageSourceType, Recipe } from '../model/image.js';

/** What is held in memory between the codec and those who asked. */
export const maxWholeBytes = 256 * 1024;

export interface ImageJob {
  /** A file on this machine with the source. */
  readonly path: string;
  readonly sourceType: ImageSourceType;
  readonly recipe: Recipe;
  /** For whom it is made; without one it shares the turn of all who have none. */
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
  /** The source was gone before it could be read. */
  | { readonly kind: 'missing' }
  /** The codec died, which may or may not be the picture's fault. */
  | { readonly kind: 'crashed' }
  | { readonly kind: 'busy' };

/**
 * What keeps a codec that a picture has taken over away from everything else.
 * - own user: it runs as a user that owns nothing.
 * - permission model: Node lets its scripts read nothing but the program, and start nothing.
 * - system call filter: the kernel lets it open no socket, start no process and change no name of a file.
 * - file access limits: the kernel lets it read nothing but the program, and write nothing.
 */
export type IsolationMeasure = 'own user' | 'permission model' | 'system call filter' | 'file access limits';

export interface CodecIsolation {
  /** What this machine cannot do. */
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

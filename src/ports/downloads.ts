/**
 * One HTTP GET of a file from an address that a user chose.
 *
 * - `open` resolves for everything that the other side can do. Nothing is written to an address that the guard refuses, and
 *   each redirect is judged like the first address; at most three are followed.
 * - The deadline covers everything, the last byte included. A content that is longer than `maxBytes`, stalls or breaks
 *   fails its stream with a sentence for the user.
 */
import type { Readable } from 'node:stream';

export interface Download {
  readonly content: Readable;
  /** From Content-Disposition, else from the path. Not made harmless yet. */
  readonly filename: string;
  readonly type: string;
}

export interface Downloads {
  open(
    url: string,
    limits: { readonly maxBytes: number; readonly timeoutMs: number },
  ): Promise<Download | { readonly fault: string }>;
}

/**
 * One HTTP GET of a file from an address that a user chose.
 *
 * - `open` resolves whatever the other side does. Nothing is sent to an address that the guard rejects. Each redirect is
 *   checked like the first address, and at most three are followed.
 * - The deadline covers everything, including the last byte. Content that is longer than `maxBytes`, stalls or breaks off
 *   fails its stream with a message for the user.
 */
import type { Readable } from 'node:stream';

export interface Download {
  readonly content: Readable;
  /** From Content-Disposition, else from the path. Not sanitized yet. */
  readonly filename: string;
  readonly type: string;
}

export interface Downloads {
  open(
    url: string,
    limits: { readonly maxBytes: number; readonly timeoutMs: number },
  ): Promise<Download | { readonly fault: string }>;
}

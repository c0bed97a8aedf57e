/** What the pool and a codec process say to each other. The bytes of a result come on a pipe of their own. */
import type { ImageJob } from '../../ports/imaging.js';

/** The descriptor in the codec process on which results go out. */
export const bytesDescriptor = 4;

export interface CodecRequest extends ImageJob {
  readonly timeoutMs: number;
}

export type CodecAnswer =
  | { readonly kind: 'made'; readonly mimeType: string; readonly sizeBytes: number }
  | { readonly kind: 'refused'; readonly reason: 'too_many_pixels' | 'broken' | 'too_slow' }
  | { readonly kind: 'missing' };

export interface CodecMessage {
  readonly answer: CodecAnswer;
  /** How much memory the process holds now. */
  readonly residentBytes: number;
}

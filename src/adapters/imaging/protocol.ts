/** What the pool and a codec process say to each other. Results come on a pipe of their own, sources through a slot. */
import type { ImageSourceType, Recipe } from '../../model/image.js';

/** The descriptor in the codec process on which results go out. */
export const resultDescriptor = 4;
/** The one from which the source is read: a codec opens no file. */
export const sourceDescriptor = 5;

export interface CodecRequest {
  /** The same name means the same bytes. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly sourceType: ImageSourceType;
  readonly recipe: Recipe;
  readonly timeoutMs: number;
}

export type CodecAnswer =
  | { readonly kind: 'made'; readonly mimeType: string; readonly sizeBytes: number }
  | { readonly kind: 'refused'; readonly reason: 'too_many_pixels' | 'broken' | 'too_slow' };

/** The first message: everything is loaded, no upload was read yet. */
export interface CodecReady {
  /** What the launcher says it has done. */
  readonly confined: readonly string[];
}

export interface CodecMessage {
  readonly answer: CodecAnswer;
  /** How much memory the process holds now. */
  readonly residentBytes: number;
}

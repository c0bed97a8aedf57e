/** Messages between the pool and a codec process. Results come through a separate pipe, sources through a slot. */
import type { ImageSourceType, Recipe } from '../../model/image.js';

/** The codec process writes results to this descriptor. */
export const resultDescriptor = 4;
/** It reads the source from this one, because a codec opens no file. */
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

/** The first message: everything is loaded, and no upload has been read yet. */
export interface CodecReady {
  /** What the launcher reports it has done. */
  readonly confined: readonly string[];
}

export interface CodecMessage {
  readonly answer: CodecAnswer;
  /** How much memory the process uses now. */
  readonly residentBytes: number;
}

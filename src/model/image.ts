/** Images on download: what a request can ask for, and what that means for one file. Pure. */

export const imageFits = ['cover', 'contain', 'fill'] as const;
export type ImageFit = (typeof imageFits)[number];

export const imageFormats = ['webp', 'jpeg', 'png'] as const;
export type ImageFormat = (typeof imageFormats)[number];

export const maxImageSide = 4096;
/** A source with more pixels is rejected: decoding needs at least four bytes for each of them. */
export const maxSourcePixels = 50_000_000;
export const defaultQuality = 80;

/** The types that can be transformed, as detected from the bytes. */
export const imageSourceTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'] as const;
export type ImageSourceType = (typeof imageSourceTypes)[number];

export const isImageSource = (mimeType: string): mimeType is ImageSourceType =>
  (imageSourceTypes as readonly string[]).includes(mimeType);

/** The requested transformation, with defaults filled in. */
export interface Transformation {
  readonly width: number | null;
  readonly height: number | null;
  readonly fit: ImageFit;
  readonly quality: number;
  /** null: the format of the source, or PNG. */
  readonly format: ImageFormat | null;
}

/** What a transformation means for one file. Requests for the same result have the same recipe. */
export interface Recipe {
  readonly width: number | null;
  readonly height: number | null;
  readonly fit: ImageFit;
  /** null: the format has no quality setting. */
  readonly quality: number | null;
  readonly format: ImageFormat;
}

export interface Variant {
  readonly fileId: string;
  /** The text of its recipe; see `recipeText`. */
  readonly recipe: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly blobKey: string;
  readonly createdAt: number;
  readonly usedAt: number;
}

/** The same text for a transformation in any spelling, because links are signed with it. */
export const transformationText = (transformation: Transformation): string =>
  [
    transformation.width ?? '',
    transformation.height ?? '',
    transformation.fit,
    transformation.quality,
    transformation.format ?? '',
  ].join(',');

const sourceFormats: Readonly<Record<ImageSourceType, ImageFormat>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/webp': 'webp',
  'image/gif': 'png',
  'image/avif': 'png',
};

export function recipeFor(source: ImageSourceType, transformation: Transformation): Recipe {
  const format = transformation.format ?? sourceFormats[source];
  const oneSided = transformation.width === null || transformation.height === null;
  const sizeless = transformation.width === null && transformation.height === null;
  return {
    width: transformation.width,
    height: transformation.height,
    // With one side, there is nothing to crop or stretch. Only the permission to enlarge makes a difference.
    fit: sizeless || (oneSided && transformation.fit !== 'fill') ? 'cover' : transformation.fit,
    quality: format === 'png' ? null : transformation.quality,
    format,
  };
}

export const recipeText = (recipe: Recipe): string =>
  [recipe.width ?? '', recipe.height ?? '', recipe.fit, recipe.quality ?? '', recipe.format].join(',');

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The size of the result, from the size of the upright source. Only `fill` enlarges. No side is ever longer than
 * `maxImageSide`, even if no size was requested: output is limited like input.
 */
export function planSize(source: Size, { width, height, fit }: Recipe): Size {
  const scaled = (size: Size, factor: number): Size => ({
    width: Math.max(1, Math.round(size.width * factor)),
    height: Math.max(1, Math.round(size.height * factor)),
  });
  const bounded = (size: Size, limit: number): Size =>
    scaled(size, Math.min(limit, maxImageSide / size.width, maxImageSide / size.height));
  if (width !== null && height !== null) {
    if (fit === 'fill') return { width, height };
    if (fit === 'contain') return bounded(source, Math.min(1, width / source.width, height / source.height));
    // Cropped to the requested shape, at a smaller size if the source is too small.
    return scaled({ width, height }, Math.min(1, source.width / width, source.height / height));
  }
  const factor = width !== null ? width / source.width : height !== null ? height / source.height : 1;
  return bounded(source, fit === 'fill' ? factor : Math.min(1, factor));
}

/** `holiday.jpeg` as WebP is `holiday.webp`. */
export function variantFilename(filename: string, mimeType: string): string {
  const stem = filename.replace(/\.[a-z0-9]{1,5}$/i, '');
  const ending = mimeType === 'image/jpeg' ? 'jpg' : mimeType.slice('image/'.length);
  return `${stem === '' ? 'image' : stem}.${ending}`;
}

import { type Static, Type } from 'typebox';
import { exactly, shape } from './shapes.js';

const widthText = 'Width in pixels, 1 to 4096. Alone, the height follows.';
const heightText = 'Height in pixels, 1 to 4096. Alone, the width follows.';
const fitText =
  '`cover` (default) crops to the size, `contain` fits inside it, `fill` stretches to it; only `fill` enlarges.';
const qualityText = 'Quality, 1 to 100; 80 unless given. PNG has none.';
const formatText = "Output format; the source's own unless given, PNG where that is not one of these.";

const fit = Type.Unsafe<'cover' | 'contain' | 'fill'>({
  type: 'string',
  enum: ['cover', 'contain', 'fill'],
  description: fitText,
});
const format = Type.Unsafe<'webp' | 'jpeg' | 'png'>({
  type: 'string',
  enum: ['webp', 'jpeg', 'png'],
  description: formatText,
});

/** Query values are text. The formats accept plain digits only, not `1e2` or `0x10`. */
const wholeNumber = (format: 'image-side' | 'image-quality', description: string) =>
  Type.Optional(Type.String({ format, description }));

export const TransformationQuery = {
  w: wholeNumber('image-side', widthText),
  h: wholeNumber('image-side', heightText),
  fit: Type.Optional(fit),
  q: wholeNumber('image-quality', qualityText),
  f: Type.Optional(format),
};

const TransformationFields = {
  w: Type.Optional(Type.Integer({ minimum: 1, maximum: 4096, description: widthText })),
  h: Type.Optional(Type.Integer({ minimum: 1, maximum: 4096, description: heightText })),
  fit: Type.Optional(fit),
  q: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: qualityText })),
  f: Type.Optional(format),
};
export const TransformationBody = exactly(TransformationFields);
export type TransformationBody = Static<typeof TransformationBody>;

const maxLinkSeconds = 30 * 24 * 60 * 60;

export const SignedUrlRequest = shape('SignedUrlRequest', {
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxLinkSeconds,
      description: 'Seconds until the link expires, up to 30 days; FILE_TOKEN_TTL unless given.',
    }),
  ),
  transformation: Type.Optional(TransformationBody),
  ...TransformationFields,
});
export type SignedUrlRequest = Static<typeof SignedUrlRequest>;

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ImageSourceType,
  imageFits,
  imageFormats,
  imageSourceTypes,
  isImageSource,
  maxImageSide,
  planSize,
  type Recipe,
  recipeFor,
  recipeText,
  type Size,
  type Transformation,
  transformationText,
  variantFilename,
} from './image.js';

const asTransformation = (more: Partial<Transformation> = {}): Transformation => ({
  width: null,
  height: null,
  fit: 'cover',
  quality: 80,
  format: null,
  ...more,
});

const side = fc.integer({ min: 1, max: maxImageSide });
const sides = fc.option(side);
const transformations: fc.Arbitrary<Transformation> = fc.record({
  width: sides,
  height: sides,
  fit: fc.constantFrom(...imageFits),
  quality: fc.integer({ min: 1, max: 100 }),
  format: fc.option(fc.constantFrom(...imageFormats)),
});
const sourceTypes = fc.constantFrom(...imageSourceTypes);
/** Includes long strips: an image of 50 megapixels can be one pixel high. */
const sources: fc.Arbitrary<Size> = fc.oneof(
  fc.record({ width: fc.integer({ min: 1, max: 8000 }), height: fc.integer({ min: 1, max: 6000 }) }),
  fc.record({ width: fc.constant(1), height: fc.integer({ min: 1, max: 50_000_000 }) }),
  fc.record({ width: fc.integer({ min: 1, max: 50_000_000 }), height: fc.constant(1) }),
);

const planned = (source: Size, more: Partial<Transformation>): Size =>
  planSize(source, recipeFor('image/png', asTransformation(more)));

describe('isImageSource', () => {
  it.each(imageSourceTypes)('takes %s', (type) => expect(isImageSource(type)).toBe(true));
  it.each(['image/svg+xml', 'image/tiff', 'image/heic', 'application/pdf', 'text/html', '', 'IMAGE/PNG'])(
    'does not take %j',
    (type) => expect(isImageSource(type)).toBe(false),
  );
});

describe('recipeFor', () => {
  it.each<[ImageSourceType, string]>([
    ['image/png', 'png'],
    ['image/jpeg', 'jpeg'],
    ['image/webp', 'webp'],
    ['image/gif', 'png'],
    ['image/avif', 'png'],
  ])('keeps the format of %s, or takes PNG: %s', (source, format) => {
    expect(recipeFor(source, asTransformation({ width: 10 })).format).toBe(format);
  });

  it('takes the format that was asked for', () => {
    fc.assert(
      fc.property(sourceTypes, transformations, (source, asked) => {
        fc.pre(asked.format !== null);
        expect(recipeFor(source, asked).format).toBe(asked.format);
      }),
    );
  });

  it('has a quality exactly where the format has one', () => {
    fc.assert(
      fc.property(sourceTypes, transformations, (source, asked) => {
        const { format, quality } = recipeFor(source, asked);
        expect(quality).toBe(format === 'png' ? null : asked.quality);
      }),
    );
  });

  it('is one recipe for transformations that give one picture', () => {
    const text = (more: Partial<Transformation>): string =>
      recipeText(recipeFor('image/png', asTransformation(more)));
    expect(text({ width: 9, fit: 'contain' })).toBe(text({ width: 9, fit: 'cover' }));
    expect(text({ height: 9, fit: 'contain' })).toBe(text({ height: 9 }));
    expect(text({ fit: 'fill' })).toBe(text({ fit: 'contain' }));
    expect(text({ width: 9, quality: 1 })).toBe(text({ width: 9, quality: 99 }));
    expect(text({ width: 9, format: 'png' })).toBe(text({ width: 9 }));
  });

  it('is two recipes for transformations that give two pictures', () => {
    const texts = [
      asTransformation({ width: 9 }),
      asTransformation({ height: 9 }),
      asTransformation({ width: 9, fit: 'fill' }),
      asTransformation({ width: 9, height: 9 }),
      asTransformation({ width: 9, height: 9, fit: 'contain' }),
      asTransformation({ width: 9, height: 9, fit: 'fill' }),
      asTransformation({ width: 9, format: 'webp' }),
      asTransformation({ width: 9, format: 'jpeg' }),
      asTransformation({ width: 9, format: 'webp', quality: 79 }),
    ].map((asked) => recipeText(recipeFor('image/png', asked)));
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('gives the same size as the transformation that it is made from', () => {
    fc.assert(
      fc.property(sources, transformations, (source, asked) => {
        const raw: Recipe = { ...asked, format: 'png' };
        expect(planSize(source, recipeFor('image/png', asked))).toEqual(
          asked.width === null && asked.height === null
            ? planSize(source, { ...raw, fit: 'cover' })
            : planSize(source, raw),
        );
      }),
    );
  });
});

describe('planSize', () => {
  it.each<[string, Partial<Transformation>, Size]>([
    ['nothing', {}, { width: 400, height: 200 }],
    ['w', { width: 100 }, { width: 100, height: 50 }],
    ['h', { height: 100 }, { width: 200, height: 100 }],
    ['a larger w', { width: 800 }, { width: 400, height: 200 }],
    ['a larger h', { height: 201 }, { width: 400, height: 200 }],
    ['a larger w to fill', { width: 800, fit: 'fill' }, { width: 800, height: 400 }],
    ['cover', { width: 100, height: 100 }, { width: 100, height: 100 }],
    ['cover that is too large', { width: 400, height: 400 }, { width: 200, height: 200 }],
    ['cover, one side too large', { width: 800, height: 100 }, { width: 400, height: 50 }],
    ['contain', { width: 100, height: 100, fit: 'contain' }, { width: 100, height: 50 }],
    ['contain that is larger', { width: 900, height: 900, fit: 'contain' }, { width: 400, height: 200 }],
    ['fill', { width: 100, height: 100, fit: 'fill' }, { width: 100, height: 100 }],
    ['fill that is larger', { width: 900, height: 30, fit: 'fill' }, { width: 900, height: 30 }],
  ])('of 400 x 200 for %s', (_, more, size) => {
    expect(planned({ width: 400, height: 200 }, more)).toEqual(size);
  });

  it('bounds a picture that nobody asked to resize', () => {
    expect(planned({ width: 8192, height: 1024 }, {})).toEqual({ width: 4096, height: 512 });
    expect(planned({ width: 1, height: 60_000 }, {})).toEqual({ width: 1, height: 4096 });
  });

  it('gives whole sides from 1 to 4096 for everything', () => {
    fc.assert(
      fc.property(sources, transformations, (source, asked) => {
        for (const length of Object.values(planned(source, asked))) {
          expect(Number.isInteger(length)).toBe(true);
          expect(length).toBeGreaterThanOrEqual(1);
          expect(length).toBeLessThanOrEqual(maxImageSide);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('never enlarges but to fill', () => {
    fc.assert(
      fc.property(sources, transformations, (source, asked) => {
        fc.pre(asked.fit !== 'fill');
        const size = planned(source, asked);
        expect(size.width).toBeLessThanOrEqual(source.width);
        expect(size.height).toBeLessThanOrEqual(source.height);
      }),
      { numRuns: 1000 },
    );
  });

  it('stays within what was asked for', () => {
    fc.assert(
      fc.property(sources, transformations, (source, asked) => {
        const size = planned(source, asked);
        expect(size.width).toBeLessThanOrEqual(asked.width ?? maxImageSide);
        expect(size.height).toBeLessThanOrEqual(asked.height ?? maxImageSide);
      }),
      { numRuns: 1000 },
    );
  });

  /** Whether both sides come from one factor, each rounded and at least one pixel long. */
  const areOfOneFactor = (from: Size, to: Size): boolean => {
    const range = (length: number, whole: number): [number, number] => [
      length === 1 ? 0 : (length - 0.5) / whole,
      (length + 0.5) / whole,
    ];
    const [lowX, highX] = range(to.width, from.width);
    const [lowY, highY] = range(to.height, from.height);
    return Math.max(lowX, lowY) <= Math.min(highX, highY) + 1e-12;
  };

  it('keeps the proportions with one side, none, or contain', () => {
    fc.assert(
      fc.property(sources, transformations, (source, asked) => {
        fc.pre(asked.width === null || asked.height === null || asked.fit === 'contain');
        expect(areOfOneFactor(source, planned(source, asked))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps the shape that was asked for with cover', () => {
    fc.assert(
      fc.property(sources, side, side, (source, width, height) => {
        expect(areOfOneFactor({ width, height }, planned(source, { width, height }))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('gives exactly what was asked for when the source is large enough to cover it', () => {
    fc.assert(
      fc.property(sources, fc.nat(), fc.nat(), (source, x, y) => {
        const width = 1 + (x % Math.min(source.width, maxImageSide));
        const height = 1 + (y % Math.min(source.height, maxImageSide));
        expect(planned(source, { width, height })).toEqual({ width, height });
      }),
    );
  });
});

describe('transformationText', () => {
  it('is one text for each transformation and another for every other', () => {
    fc.assert(
      fc.property(transformations, transformations, (one, other) => {
        const isSame = (Object.keys(one) as (keyof Transformation)[]).every((key) => one[key] === other[key]);
        expect(transformationText(one) === transformationText(other)).toBe(isSame);
        expect(transformationText({ ...one })).toBe(transformationText(one));
      }),
    );
  });

  it('never changes: links that were signed over it are about', () => {
    expect(transformationText(asTransformation({ width: 400, format: 'webp' }))).toBe('400,,cover,80,webp');
    expect(transformationText(asTransformation({ height: 7, fit: 'fill', quality: 1 }))).toBe(',7,fill,1,');
  });
});

describe('variantFilename', () => {
  it.each([
    ['holiday.jpeg', 'image/webp', 'holiday.webp'],
    ['holiday.JPG', 'image/jpeg', 'holiday.jpg'],
    ['holiday', 'image/png', 'holiday.png'],
    ['a.b.gif', 'image/png', 'a.b.png'],
    ['.png', 'image/webp', 'image.webp'],
    ['Grüße aus Köln.avif', 'image/png', 'Grüße aus Köln.png'],
    ['shot.html', 'image/png', 'shot.png'],
  ])('%s as %s is %s', (filename, mimeType, expected) => {
    expect(variantFilename(filename, mimeType)).toBe(expected);
  });

  it('always ends as its type says, with a name before it', () => {
    const types = fc.constantFrom('image/png', 'image/jpeg', 'image/webp');
    fc.assert(
      fc.property(fc.string(), types, (filename, type) => {
        const ending = { 'image/png': '.png', 'image/jpeg': '.jpg', 'image/webp': '.webp' }[type] ?? '';
        const name = variantFilename(filename, type);
        expect(name.endsWith(ending)).toBe(true);
        expect(name.length).toBeGreaterThan(ending.length);
      }),
    );
  });
});

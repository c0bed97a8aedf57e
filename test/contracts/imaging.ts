/** The contract of every imaging adapter for the images that it makes, proven by their pixels. */

import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageFormat, ImageSourceType, Recipe } from '../../src/model/image.js';
import { planSize } from '../../src/model/image.js';
import {
  blue,
  type Colour,
  distance,
  framesGif,
  green,
  look,
  noisyPicture,
  type Picture,
  paint,
  quadrantAt,
  quadrantPicture,
  quadrants,
  red,
  solid,
  stripedPicture,
  stripes,
  turnedJpeg,
  white,
  yellow,
} from '../support/pixels.js';
import { anyRecipe, type ImagingBench, type MakeImagingBench } from './imaging-bench.js';

/** JPEG and WebP are lossy; a wrong colour differs by 90 and more. */
const tolerance = 24;

const expectColour = (picture: Picture, x: number, y: number, colour: Colour): void => {
  const found = picture.at(x, y);
  expect(distance(found, colour), `${found} at ${x},${y} is not ${colour}`).toBeLessThanOrEqual(tolerance);
};

/** Checks the middle of each quarter. */
const expectQuadrants = (picture: Picture): void => {
  for (const [x, y] of [
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75],
  ] as const) {
    const colour = quadrantAt(Math.floor(x * quadrants.width), Math.floor(y * quadrants.height));
    expectColour(picture, Math.floor(x * picture.width), Math.floor(y * picture.height), colour);
  }
};

const endings: Readonly<Record<ImageFormat, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
};

export function imagingContract(name: string, makeBench: MakeImagingBench): void {
  describe(`imaging: ${name}`, () => {
    let bench: ImagingBench;
    beforeAll(async () => {
      bench = await makeBench();
    });
    afterAll(() => bench.dispose());

    const make = (bytes: Buffer, sourceType: ImageSourceType, more: Partial<Recipe> = {}) =>
      bench.make(bytes, sourceType, more);
    const makeAndLook = async (...given: Parameters<typeof make>) => look((await make(...given)).bytes);

    const inputs: readonly [string, ImageSourceType, () => Promise<Buffer>][] = [
      ['PNG', 'image/png', () => quadrantPicture().png().toBuffer()],
      ['interlaced PNG', 'image/png', () => quadrantPicture().png({ progressive: true }).toBuffer()],
      ['palette PNG', 'image/png', () => quadrantPicture().png({ palette: true, colours: 8 }).toBuffer()],
      ['16-bit PNG', 'image/png', () => quadrantPicture().toColourspace('rgb16').png().toBuffer()],
      ['PNG with alpha', 'image/png', () => quadrantPicture().ensureAlpha().png().toBuffer()],
      ['JPEG', 'image/jpeg', () => quadrantPicture().jpeg({ quality: 95 }).toBuffer()],
      ['progressive JPEG', 'image/jpeg', () => quadrantPicture().jpeg({ progressive: true }).toBuffer()],
      ['CMYK JPEG', 'image/jpeg', () => quadrantPicture().withIccProfile('cmyk').jpeg().toBuffer()],
      ['WebP', 'image/webp', () => quadrantPicture().webp().toBuffer()],
      ['lossless WebP', 'image/webp', () => quadrantPicture().webp({ lossless: true }).toBuffer()],
      ['GIF', 'image/gif', () => quadrantPicture().gif().toBuffer()],
      ['AVIF', 'image/avif', () => quadrantPicture().avif({ quality: 80, effort: 0 }).toBuffer()],
      ['PNG in Display P3', 'image/png', () => quadrantPicture().withIccProfile('p3').png().toBuffer()],
    ];
    const formats: readonly ImageFormat[] = ['png', 'jpeg', 'webp'];
    const matrix = inputs.flatMap(([input, type, source]) =>
      formats.map((format) => [input, format, type, source] as const),
    );

    it.each(matrix)('%s becomes %s of the same colours', async (input, format, type, source) => {
      const { bytes, mimeType } = await make(await source(), type, { format });
      expect(mimeType).toBe(endings[format]);
      const picture = await look(bytes);
      expect(picture).toMatchObject({ format, ...quadrants });
      // CMYK cannot show these colours: they come out paler, but remain distinguishable.
      if (input === 'CMYK JPEG') expectPaleQuadrants(picture);
      else expectQuadrants(picture);
    });

    const expectPaleQuadrants = (picture: Picture): void => {
      const quarter = (x: number, y: number) => {
        const found = picture.at(Math.floor(x * picture.width), Math.floor(y * picture.height));
        const others = [red, green, blue, yellow, white, [0, 0, 0] as const];
        const gaps = others.map((colour) => distanceSum(found, colour));
        return others[gaps.indexOf(Math.min(...gaps))];
      };
      expect([quarter(0.25, 0.25), quarter(0.75, 0.25), quarter(0.25, 0.75), quarter(0.75, 0.75)]).toEqual([
        red,
        green,
        blue,
        yellow,
      ]);
    };

    describe('turns a photo upright', () => {
      it.each([1, 2, 3, 4, 5, 6, 7, 8])('of orientation %i', async (orientation) => {
        const source = await turnedJpeg(orientation);
        expect((await sharp(source).metadata()).orientation).toBe(orientation);
        for (const format of formats) {
          const { bytes } = await make(source, 'image/jpeg', { format });
          const picture = await look(bytes);
          expect(picture).toMatchObject(quadrants);
          expectQuadrants(picture);
          expect((await sharp(bytes).metadata()).orientation).toBeUndefined();
        }
      });

      it.each([1, 2, 3, 4, 5, 6, 7, 8])('of orientation %i, and then takes the size', async (orientation) => {
        const source = await turnedJpeg(orientation);
        const small = await makeAndLook(source, 'image/jpeg', { width: 32 });
        expect(small).toMatchObject({ width: 32, height: 16 });
        expectQuadrants(small);
        const stretched = await makeAndLook(source, 'image/jpeg', { width: 20, height: 90, fit: 'fill' });
        expect(stretched).toMatchObject({ width: 20, height: 90 });
        expectQuadrants(stretched);
        const cropped = await makeAndLook(source, 'image/jpeg', { width: 32, height: 32 });
        expect(cropped).toMatchObject({ width: 32, height: 32 });
        expectQuadrants(cropped);
      });
    });

    describe('sizes', () => {
      const source = () => stripedPicture().png().toBuffer();
      const sizes = [null, 50, 100, 700] as const;
      const fits = ['cover', 'contain', 'fill'] as const;
      const combinations = fits.flatMap((fit) =>
        sizes.flatMap((width) => sizes.map((height) => ({ fit, width, height }))),
      );

      it.each(combinations)('$fit, $width x $height', async (asked) => {
        const picture = await makeAndLook(await source(), 'image/png', asked);
        const { width, height } = planSize(stripes, anyRecipe(asked));
        expect(picture).toMatchObject({ width, height });
        const cropped = asked.fit === 'cover' && asked.width !== null && asked.height !== null;
        const middle = Math.floor(height / 2);
        expectColour(picture, Math.floor(width / 2), middle, green);
        // The visible share of the source's width, from the middle: with `cover`, as much as the shape leaves.
        const shown = cropped ? Math.min(1, width / height / 3) : 1;
        const colourAt = (place: number): Colour => {
          const at = 0.5 + (place - 0.5) * shown;
          return at < 1 / 3 ? red : at < 2 / 3 ? green : blue;
        };
        for (const place of [0.05, 0.2, 0.8, 0.95]) {
          expectColour(picture, Math.floor(place * width), middle, colourAt(place));
        }
      });

      it('shows the whole of a strip that becomes less than a pixel high', async () => {
        const strip = await paint(3000, 2, (x) => (x < 1000 ? red : x < 2000 ? green : blue))
          .png()
          .toBuffer();
        const picture = await makeAndLook(strip, 'image/png', { width: 30 });
        expect(picture).toMatchObject({ width: 30, height: 1 });
        for (const [x, colour] of [
          [2, red],
          [15, green],
          [27, blue],
        ] as const) {
          expectColour(picture, x, 0, colour);
        }
      });

      it('bounds the result where no size was asked for', async () => {
        const source = await solid(5000, 500).png().toBuffer();
        expect(await makeAndLook(source, 'image/png')).toMatchObject({ width: 4096, height: 410 });
      });

      it('enlarges to fill up to the longest side', async () => {
        const made = await makeAndLook(await source(), 'image/png', { width: 4096, height: 2, fit: 'fill' });
        expect(made).toMatchObject({ width: 4096, height: 2 });
      });

      it('takes a picture of one pixel', async () => {
        const one = await solid(1, 1).png().toBuffer();
        for (const fit of fits) {
          const made = await makeAndLook(one, 'image/png', { width: 3, height: 5, fit });
          expect(made).toMatchObject(fit === 'fill' ? { width: 3, height: 5 } : { width: 1, height: 1 });
          expectColour(made, 0, 0, green);
        }
      });
    });

    describe('transparency', () => {
      const source = () =>
        paint(40, 40, (x) => (x < 20 ? [255, 0, 0, 0] : [0, 0, 255, 128]), 4)
          .png()
          .toBuffer();

      it.each(['png', 'webp'] as const)('is kept in %s', async (format) => {
        const picture = await makeAndLook(await source(), 'image/png', { format, width: 20 });
        expect(picture.at(4, 10)[3]).toBeLessThan(4);
        expectColour(picture, 15, 10, [0, 0, 255, 128]);
      });

      it('becomes white in jpeg', async () => {
        const picture = await makeAndLook(await source(), 'image/png', { format: 'jpeg' });
        expect(picture.channels).toBe(3);
        expectColour(picture, 5, 20, white);
        expectColour(picture, 34, 20, [127, 127, 255]);
      });
    });

    describe('colours', () => {
      it('of a profile are converted', async () => {
        const source = await quadrantPicture().withIccProfile('p3').png().toBuffer();
        // The stored red is not that of sRGB: a viewer that ignores the profile would show another one.
        expect(distance((await look(source)).at(5, 5), red)).toBeGreaterThan(tolerance);
        expect(distance((await makeAndLook(source, 'image/png')).at(5, 5), red)).toBeLessThan(6);
      });

      it('of greys stay grey', async () => {
        const grey = paint(20, 20, () => [90, 90, 90]).toColourspace('b-w');
        for (const [type, source] of [
          ['image/png', await grey.clone().png().toBuffer()],
          ['image/jpeg', await grey.clone().jpeg().toBuffer()],
        ] as const) {
          for (const format of formats) {
            expectColour(await makeAndLook(source, type, { format }), 10, 10, [90, 90, 90]);
          }
        }
      });

      it('of 16 bits become 8', async () => {
        const source = await quadrantPicture().toColourspace('rgb16').png().toBuffer();
        expect((await sharp(source).metadata()).depth).toBe('ushort');
        const { bytes } = await make(source, 'image/png');
        expect(await sharp(bytes).metadata()).toMatchObject({ depth: 'uchar', space: 'srgb' });
      });
    });

    describe('the first frame', () => {
      it('of a GIF', async () => {
        const picture = await makeAndLook(framesGif(3), 'image/gif');
        expect(picture).toMatchObject({ width: 2, height: 2 });
        expectColour(picture, 1, 1, red);
      });

      it('of an animated WebP', async () => {
        const source = await sharp(framesGif(3), { animated: true }).webp({ lossless: true }).toBuffer();
        expect((await sharp(source).metadata()).pages).toBe(3);
        const { bytes } = await make(source, 'image/webp', { format: 'webp' });
        expect((await sharp(bytes).metadata()).pages ?? 1).toBe(1);
        const picture = await look(bytes);
        expect(picture).toMatchObject({ width: 2, height: 2 });
        expectColour(picture, 1, 1, red);
      });
    });

    describe('nothing of the photographer is left', () => {
      const secrets = ['Ada of Elm Street', '<x:xmpmeta', 'Exif\0\0', 'GPS'];
      const photo = () =>
        quadrantPicture()
          .withIccProfile('p3')
          .withExif({
            IFD0: { Artist: 'Ada of Elm Street', Copyright: 'GPS' },
            IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' },
          })
          .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Ada of Elm Street</x:xmpmeta>');

      it.each([
        ['image/jpeg', () => photo().jpeg().toBuffer()],
        ['image/png', () => photo().png().toBuffer()],
        ['image/webp', () => photo().webp().toBuffer()],
        ['image/avif', () => photo().avif({ effort: 0 }).toBuffer()],
      ] as const)('of a %s', async (type, take) => {
        const source = await take();
        expect(source.includes('Ada of Elm Street')).toBe(true);
        expect((await sharp(source).metadata()).exif).toBeDefined();
        for (const format of formats) {
          const { bytes } = await make(source, type, { format });
          const { exif, icc, xmp, iptc, orientation, comments } = await sharp(bytes).metadata();
          expect({ exif, icc, xmp, iptc, orientation, comments }).toEqual({});
          for (const secret of secrets) expect(bytes.includes(secret), secret).toBe(false);
        }
      });
    });

    it.each(['jpeg', 'webp'] as const)('a lower quality of %s takes less space', async (format) => {
      const source = await noisyPicture(200, 200).png().toBuffer();
      const sizes = [];
      for (const quality of [1, 40, 80, 100]) {
        sizes.push((await make(source, 'image/png', { format, quality })).bytes.length);
      }
      expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => a - b));
    });

    it('the same recipe gives the same bytes', async () => {
      const source = await noisyPicture(100, 100).png().toBuffer();
      for (const format of formats) {
        const one = await make(source, 'image/png', { format, width: 50 });
        expect((await make(source, 'image/png', { format, width: 50 })).bytes).toEqual(one.bytes);
      }
    });
  });
}

const distanceSum = (one: Colour, other: Colour): number =>
  [0, 1, 2].reduce((sum, at) => sum + Math.abs((one[at] ?? 0) - (other[at] ?? 0)), 0);

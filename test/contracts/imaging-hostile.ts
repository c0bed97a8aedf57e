/** The contract of every imaging adapter for files that are not images, lie, or are made to do harm. */
import { rm } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageSourceType } from '../../src/model/image.js';
import {
  distance,
  framesGif,
  look,
  lyingPng,
  noisyPicture,
  quadrantPicture,
  red,
  solid,
} from '../support/pixels.js';
import { childrenOf, peakBytesOf } from '../support/processes.js';
import type { ImagingBench, MakeImagingBench } from './imaging-bench.js';

const broken = { kind: 'refused', reason: 'broken' };
const tooManyPixels = { kind: 'refused', reason: 'too_many_pixels' };

/** 50 megapixels with four 16-bit channels, twice, and the program itself. */
const maxPeakBytes = 1024 * 1024 * 1024;

export function hostileImagingContract(name: string, makeBench: MakeImagingBench): void {
  describe(`imaging: ${name}, hostile sources`, () => {
    let bench: ImagingBench;
    beforeAll(async () => {
      bench = await makeBench();
    });
    afterAll(() => bench.dispose());

    const sourceTypes: readonly ImageSourceType[] = [
      'image/png',
      'image/jpeg',
      'image/webp',
      'image/gif',
      'image/avif',
    ];

    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
    const disguises: readonly [string, () => Promise<Buffer | string>][] = [
      ['HTML', async () => '<!doctype html><script>alert(1)</script>'],
      ['SVG', async () => svg],
      ['SVG with an XML head', async () => `<?xml version="1.0"?>${svg}`],
      ['PDF', async () => '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'],
      ['TIFF', () => quadrantPicture().tiff().toBuffer()],
      ['PPM', async () => Buffer.concat([Buffer.from('P6 1 1 255\n'), Buffer.from([1, 2, 3])])],
      ['Radiance', async () => '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\nabcd'],
      ['ImageMagick script', async () => 'push graphic-context\nimage over 0,0 0,0 "/etc/passwd"\n'],
      ['nothing', async () => ''],
      ['one byte', async () => 'a'],
      ['zeros', async () => Buffer.alloc(10_000)],
    ];

    it.each(disguises)('%s is no picture, whatever it is called', async (_, source) => {
      const bytes = await source();
      for (const sourceType of sourceTypes) expect(await bench.try(bytes, sourceType)).toEqual(broken);
    });

    it('a picture under the name of another format is refused', async () => {
      const sources = {
        'image/png': await quadrantPicture().png().toBuffer(),
        'image/jpeg': await quadrantPicture().jpeg().toBuffer(),
        'image/webp': await quadrantPicture().webp().toBuffer(),
        'image/gif': await quadrantPicture().gif().toBuffer(),
        'image/avif': await quadrantPicture().avif({ effort: 0 }).toBuffer(),
      } as const;
      for (const called of sourceTypes) {
        for (const is of sourceTypes) {
          const { kind } = await bench.try(sources[is], called);
          expect(kind, `${is} called ${called}`).toBe(is === called ? 'made' : 'refused');
        }
      }
    });

    it('a file that is not there is missing', async () => {
      expect(await bench.run('/nonexistent/picture', 'image/png')).toEqual({ kind: 'missing' });
    });

    it('a file that was there a moment ago is missing, whatever is known of it', async () => {
      const path = await bench.lay(await quadrantPicture().png().toBuffer());
      // As many as there may be codecs, so that each has seen it.
      for (const width of [10, 20, 30, 40]) {
        const made = await bench.read(await bench.run(path, 'image/png', { width }));
        if (made.kind !== 'made') throw new Error(made.kind);
        expect((await look(made.bytes)).width).toBe(width);
      }
      expect(await bench.run(path, 'image/jpeg')).toEqual(broken);
      await rm(path);
      for (const width of [10, 50]) {
        expect(await bench.run(path, 'image/png', { width })).toEqual({ kind: 'missing' });
      }
    });

    it('a folder is no picture', async () => {
      expect(await bench.run('/', 'image/png')).toEqual(broken);
    });

    describe('cut off', () => {
      const whole: readonly [ImageSourceType, () => Promise<Buffer>][] = [
        ['image/jpeg', () => noisyPicture(200, 100).jpeg().toBuffer()],
        ['image/png', () => noisyPicture(200, 100).png().toBuffer()],
        ['image/webp', () => noisyPicture(200, 100).webp().toBuffer()],
        ['image/gif', () => noisyPicture(200, 100).gif().toBuffer()],
        ['image/avif', () => noisyPicture(200, 100).avif({ effort: 0 }).toBuffer()],
      ];
      it.each(whole)('%s', async (sourceType, source) => {
        const bytes = await source();
        const lengths = [1, 3, 8, 12, 24, 33, 64, 200, ...[0.3, 0.6, 0.9].map((x) => bytes.length * x)];
        for (const length of lengths.map(Math.floor)) {
          expect(await bench.try(bytes.subarray(0, length), sourceType), `${length} bytes`).toEqual(broken);
        }
        expect(await bench.try(bytes, sourceType)).toMatchObject({ kind: 'made' });
      });
    });

    it('a photo that is a little untidy is made, as every browser shows it', async () => {
      const photo = await quadrantPicture().jpeg({ quality: 95 }).toBuffer();
      const scan = photo.indexOf(Buffer.from([0xff, 0xda]));
      const insert = (at: number) =>
        Buffer.concat([photo.subarray(0, at), Buffer.alloc(4), photo.subarray(at)]);
      const untidy = {
        'bytes before a marker': insert(scan),
        'padding before the end': insert(photo.length - 2),
        'bytes behind the end': Buffer.concat([photo, Buffer.alloc(1000, 7)]),
        'a second picture behind it': Buffer.concat([photo, photo]),
      };
      for (const [what, bytes] of Object.entries(untidy)) {
        const result = await bench.try(bytes, 'image/jpeg');
        if (result.kind !== 'made') throw new Error(`${what}: ${JSON.stringify(result)}`);
        expect(distance((await look(result.bytes)).at(5, 5), red), what).toBeLessThan(24);
      }
    });

    it('damage in the middle gives an answer, and the next picture is right', async () => {
      const sources = [
        ['image/jpeg', await noisyPicture(100, 100).jpeg().toBuffer()],
        ['image/png', await noisyPicture(100, 100).png().toBuffer()],
        ['image/webp', await noisyPicture(100, 100).webp().toBuffer()],
        ['image/gif', await noisyPicture(100, 100).gif().toBuffer()],
        ['image/avif', await noisyPicture(100, 100).avif({ effort: 0 }).toBuffer()],
      ] as const;
      for (const [sourceType, whole] of sources) {
        for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 25)) {
          const bytes = Buffer.from(whole);
          bytes.fill(0xff, at, at + 5);
          expect((await bench.try(bytes, sourceType)).kind).toMatch(/^(made|refused)$/);
        }
      }
      const next = await bench.make(await quadrantPicture().png().toBuffer(), 'image/png');
      expect((await look(next.bytes)).at(3, 3)).toEqual([...red, 255]);
    });

    describe('too many pixels', () => {
      it.each([
        [60_000, 60_000],
        [8000, 8000],
        [2_147_483_647, 2_147_483_647],
        [50_000_001, 1],
      ])('%i x %i in the header is refused', async (width, height) => {
        const outcome = await bench.try(lyingPng(width, height), 'image/png');
        // No library reads sides this long, so any refusal will do.
        if (width > 10_000_000) expect(outcome.kind).toBe('refused');
        else expect(outcome).toEqual(tooManyPixels);
      });

      it('and a header that lies within the limit is broken', async () => {
        expect(await bench.try(lyingPng(5000, 5000), 'image/png')).toEqual(broken);
      });

      it('8000 x 8000 that are really there are refused, and cost next to nothing', async () => {
        expect(await bench.try(await solid(8000, 8000).png().toBuffer(), 'image/png')).toEqual(tooManyPixels);
        expect(await bench.try(await solid(8000, 8000).jpeg().toBuffer(), 'image/jpeg')).toEqual(
          tooManyPixels,
        );
      });

      it('49 megapixels are allowed, small or large, turned or not, in bounded memory', async () => {
        const flat = await solid(7000, 7000).png().toBuffer();
        expect(flat.length).toBeLessThan(1_000_000);
        const turned = await solid(7000, 7000)
          .withMetadata({ orientation: 6 })
          .jpeg({ progressive: true })
          .toBuffer();
        const small = await bench.make(flat, 'image/png', { width: 10 });
        expect(await look(small.bytes)).toMatchObject({ width: 10, height: 10 });
        const large = await bench.make(turned, 'image/jpeg', { format: 'jpeg' });
        expect(await sharp(large.bytes).metadata()).toMatchObject({ width: 4096, height: 4096 });
        for (const child of childrenOf(process.pid)) expect(peakBytesOf(child)).toBeLessThan(maxPeakBytes);
      });
    });

    it('thousands of frames are one picture', async () => {
      const { bytes } = await bench.make(framesGif(10_000), 'image/gif', { format: 'webp' });
      expect(await sharp(bytes).metadata()).toMatchObject({ width: 2, height: 2 });
      const animated = await sharp(framesGif(2_000), { animated: true }).webp({ lossless: true }).toBuffer();
      const first = await bench.make(animated, 'image/webp');
      expect((await look(first.bytes)).at(0, 0)).toEqual([...red, 255]);
    });
  });
}

import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sniffBytes, sniffType, unknownType } from './sniffing.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj\n');
const script = Buffer.from('<script>alert(1)</script>');

describe('sniffType', () => {
  it.each([
    ['a PNG called text', png, 'text/plain', 'image/png'],
    ['a PNG called SVG', png, 'image/svg+xml', 'image/png'],
    ['a PDF called an image', pdf, 'image/jpeg', 'application/pdf'],
    ['a PDF called nothing', pdf, '', 'application/pdf'],
    ['a GIF', Buffer.from('GIF89a\x01\0\x01\0'), 'application/octet-stream', 'image/gif'],
  ])('believes the bytes of %s', async (_, bytes, declared, type) => {
    expect(await sniffType(bytes, declared)).toBe(type);
  });

  it.each(['image/png', 'image/jpeg', 'video/mp4', 'audio/mpeg', 'application/pdf', 'application/zip'])(
    'does not believe %s without its signature',
    async (declared) => {
      expect(await sniffType(script, declared)).toBe(unknownType);
    },
  );

  it.each([
    ['text/plain', 'text/plain'],
    ['Text/CSV; charset=utf-8', 'text/csv'],
    ['  text/markdown ', 'text/markdown'],
    ['image/svg+xml', 'image/svg+xml'],
    ['application/vnd.api+json', 'application/vnd.api+json'],
  ])('takes the word of the client where bytes say nothing: %s', async (declared, type) => {
    expect(await sniffType(Buffer.from('a,b\n1,2\n'), declared)).toBe(type);
  });

  it.each([
    '',
    'text',
    'text/',
    '/plain',
    'text/pl ain',
    'text/plain\r\nX: y',
    'te"xt/plain',
    `text/${'x'.repeat(99)}`,
  ])('does not repeat a type that is none: %j', async (declared) => {
    expect(await sniffType(Buffer.from('words'), declared)).toBe(unknownType);
  });

  it('takes an empty file', async () => {
    expect(await sniffType(Buffer.alloc(0), 'text/plain')).toBe('text/plain');
    expect(await sniffType(Buffer.alloc(0), 'image/png')).toBe(unknownType);
  });

  it('answers with a well-formed type and never throws, also for broken files', async () => {
    const starts = fc.constantFrom(
      Buffer.alloc(0),
      png.subarray(0, 16),
      pdf.subarray(0, 5),
      Buffer.from('PK\x03\x04'),
      Buffer.from('ID3\x04'),
      Buffer.from('RIFF'),
      Buffer.from('OggS'),
      Buffer.from('\0\0\0\x18ftyp'),
      Buffer.from('1a45dfa3', 'hex'),
      Buffer.from('3026b2758e66cf11a6d9', 'hex'),
      Buffer.from('49492a00', 'hex'),
      Buffer.from('1f8b08', 'hex'),
      Buffer.concat([Buffer.from('PK\x03\x04'), deflateRawSync('x')]),
    );
    await fc.assert(
      fc.asyncProperty(
        starts,
        fc.uint8Array({ maxLength: 200 }),
        fc.string(),
        async (start, rest, declared) => {
          const head = Buffer.concat([start, rest]).subarray(0, sniffBytes);
          expect(await sniffType(head, declared)).toMatch(/^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/i);
        },
      ),
      { numRuns: 300 },
    );
  });
});

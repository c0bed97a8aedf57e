import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aStoredFile } from '../../test/support/nouns.js';
import { attachmentHeaders } from './attachment.js';

const dispositionOf = (filename: string): string =>
  attachmentHeaders({ isOurs: false, ...aStoredFile({ filename }) })['content-disposition'] ?? '';

const shape = /^attachment; filename="([^"\\]*)"; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*)$/;

const filenames = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', '"', '\\', '%', ';', "'", '(', '*', '\r', '\n', '\0', 'é', '例', '🙂', ' '),
  }),
);

describe('attachmentHeaders', () => {
  it('gives back any file name through filename*', () => {
    fc.assert(
      fc.property(filenames, (filename) => {
        const [, , encoded = ''] = shape.exec(dispositionOf(filename)) ?? [];
        expect(decodeURIComponent(encoded)).toBe(filename);
      }),
      { numRuns: 300 },
    );
  });

  it('never puts a line break, a control character or anything but ASCII into a header', () => {
    const loneSurrogates = fc
      .array(fc.integer({ min: 0xd700, max: 0xe000 }))
      .map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(fc.oneof(filenames, loneSurrogates), (filename) => {
        const disposition = dispositionOf(filename);
        expect(disposition).toMatch(/^[\x20-\x7e]*$/);
        expect(disposition).toMatch(shape);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps a plain name plain for old clients', () => {
    expect(dispositionOf('Annual report (2).pdf')).toBe(
      `attachment; filename="Annual report (2).pdf"; filename*=UTF-8''Annual%20report%20%282%29.pdf`,
    );
  });

  it.each(['image/png', 'image/jpeg', 'application/pdf', 'text/plain'])('names %s', (mimeType) => {
    expect(attachmentHeaders({ isOurs: false, ...aStoredFile({ mimeType }) })['content-type']).toBe(mimeType);
  });

  it.each([
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/javascript',
    'application/xml',
    'x/y',
    '',
  ])('hands %j out as octets: a browser could run it', (mimeType) => {
    expect(attachmentHeaders({ isOurs: false, ...aStoredFile({ mimeType }) })['content-type']).toBe(
      'application/octet-stream',
    );
  });

  it('always forbids the browser to guess, to run, to share and to keep', () => {
    expect(attachmentHeaders({ isOurs: false, ...aStoredFile() })).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-store',
    });
  });

  it('lets other sites show pictures that we encoded, and nothing else', () => {
    const headers = attachmentHeaders({ ...aStoredFile({ mimeType: 'image/webp' }), isOurs: true });
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
    expect(headers['content-disposition']).toMatch(/^attachment;/);
  });
});

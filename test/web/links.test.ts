/** What a visitor wrote becomes a link only if following it cannot run anything. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkOf } from '../../web/src/ui/links.js';

describe('a submitted text', () => {
  it.each([
    ['https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['  http://example.com  ', 'http://example.com'],
    ['mailto:ada@example.com', 'mailto:ada@example.com'],
    ['ada@example.com', 'mailto:ada@example.com'],
    ['o?subject=x@example.com', 'mailto:o%3Fsubject%3Dx@example.com'],
  ])('%s leads to %s', (text, target) => {
    expect(linkOf(text)).toBe(target);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt://example.com/%0aalert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//example.com',
    '/dashboard',
    'example.com',
    'see https://example.com',
    'https://',
    '',
  ])('%j stays a text', (text) => {
    expect(linkOf(text)).toBeNull();
  });

  it('never leads anywhere but to web and mail', () => {
    const scheme = fc.constantFrom('javascript:', 'data:', 'https://', 'mailto:', 'JAVASCRIPT:', 'blob:', '');
    fc.assert(
      fc.property(scheme, fc.string({ unit: 'binary' }), (start, rest) => {
        const target = linkOf(`${start}${rest}`);
        if (target !== null) expect(new URL(target).protocol).toMatch(/^(https?|mailto):$/);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aliasOf, isServicePath } from './alias.js';

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  // Characters that change their length or case when normalized.
  fc.string({
    unit: fc.constantFrom(
      'a',
      'Z',
      '@',
      ' ',
      'İ',
      'Σ',
      'ß',
      '\u212a',
      '\u0301',
      'e',
      '\u0958',
      '\u2000',
      '\ud800',
      '🎉',
    ),
    maxLength: 210,
  }),
);

describe('aliasOf', () => {
  it('gives a bounded, visible, normal text, or nothing', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const alias = aliasOf(text);
        if (alias === null) return;
        expect([...alias].length).toBeGreaterThanOrEqual(1);
        expect([...alias].length).toBeLessThanOrEqual(200);
        expect(alias).toBe(alias.normalize('NFC'));
        expect(alias).toBe(alias.trim());
        expect(alias.isWellFormed()).toBe(true);
        expect(alias).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
        if (alias.includes('@')) expect(alias).toBe(alias.toLowerCase());
      }),
      { numRuns: 1_000 },
    );
  });

  it('leaves an alias as it is, and gives every spelling the same one', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const alias = aliasOf(text);
        if (alias === null) return;
        expect(aliasOf(alias)).toBe(alias);
        expect(aliasOf(` ${alias.normalize('NFD')}\t`)).toBe(alias);
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes an address in any case for the same', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        expect(aliasOf(address.toUpperCase())).toBe(aliasOf(address));
        expect(aliasOf(address)).toBe(address.toLowerCase());
      }),
    );
  });

  it('takes every id that a form service gives out', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,200}$/), (id) => {
        expect(aliasOf(id)).toBe(id);
      }),
    );
  });

  it.each([
    ['an access key', 'YOUR-Access_Key', 'YOUR-Access_Key'],
    ['an address in any case', ' Ada@Example.COM ', 'ada@example.com'],
    ['a form name', 'Contact us / Größe', 'Contact us / Größe'],
    ['a decomposed letter', 'Gro\u0308ße', 'Größe'],
    ['200 characters outside the basic plane', '🎉'.repeat(200), '🎉'.repeat(200)],
  ])('takes %s', (_, text, alias) => {
    expect(aliasOf(text)).toBe(alias);
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \t\u00a0'],
    ['201 characters', 'x'.repeat(201)],
    ['far too many characters', ' '.repeat(3_000).concat('x')],
    ['a zero byte', 'a\0b'],
    ['a line break', 'a\nb'],
    ['a line separator', 'a\u2028b'],
    ['a C1 control', 'a\u0085b'],
    ['an override', 'a\u202eb'],
    ['an isolate', 'a\u2066b'],
    ['a direction mark', 'a\u200eb'],
    ['half a pair', 'a\ud83cb'],
  ])('does not take %s', (_, text) => {
    expect(aliasOf(text)).toBeNull();
  });
});

describe('isServicePath', () => {
  it('knows whole names only', () => {
    for (const name of ['f', 'p', 's', 'submit', 'ajax', 'api', 'dashboard', 'docs', '..'])
      expect(isServicePath(name), name).toBe(true);
    for (const name of ['form', 'submit-form', 'api/v1', 'F']) expect(isServicePath(name), name).toBe(false);
  });
});

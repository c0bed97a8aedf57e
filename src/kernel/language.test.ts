import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseLanguage, languageTags } from './language.js';

describe('chooseLanguage', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de', 'de'],
    ['DE-ch', 'de'],
    ['fr-CA,fr;q=0.9,en;q=0.8', 'fr'],
    ['es-419', 'es'],
    ['zh-TW', 'zh'],
    ['zh-Hans-CN', 'zh'],
    ['en;q=0.5, de;q=0.9', 'de'],
    ['de;q=0.5, fr;q=0.5', 'de'],
    ['ja, ko;q=0.9, es;q=0.1', 'es'],
    ['ja', 'en'],
    ['de;q=0', 'en'],
    ['de;q=0, fr;q=0.001', 'fr'],
    ['*, de;q=0.5', 'en'],
    ['*;q=0.1, de;q=0.5', 'de'],
    [' de ; q=0.7 , fr ; Q=0.8 ', 'fr'],
    ['de;q=1.000', 'de'],
  ])('reads %j as %s', (header, language) => {
    expect(chooseLanguage(header)).toBe(language);
  });

  it.each([
    'de;q=2',
    'de;q=-1',
    'de;q=NaN',
    'de;q=1e9',
    'de;q=0x1',
    'de;q=',
    'de;level=1',
    'deutsch',
    'd',
    'de_CH',
    '-de',
    '__proto__',
    'constructor',
    ',,,;;;===',
  ])('takes %j as not said', (header) => {
    expect(chooseLanguage(header)).toBe('en');
    expect(chooseLanguage(`${header},fr;q=0.1`)).toBe('fr');
  });

  it('looks at the first 20 entries, and at the first 512 characters', () => {
    const others = (count: number): string => Array.from({ length: count }, () => 'ja').join(',');
    expect(chooseLanguage(`${others(19)},de`)).toBe('de');
    expect(chooseLanguage(`${others(20)},de`)).toBe('en');
    expect(chooseLanguage(`${'x'.repeat(509)},de`)).toBe('de');
    expect(chooseLanguage(`${'x'.repeat(510)},de`)).toBe('en');
  });

  it('does not take an entry whose weight was cut off for one that weighs most', () => {
    const cut = `fr;q=0.5,${'x'.repeat(500)},de;q=0.1`;
    expect(cut.slice(0, 512).endsWith(',de')).toBe(true);
    expect(chooseLanguage(cut)).toBe('fr');
  });

  it('answers one of ours to anything', () => {
    const pieces = fc.constantFrom('de', 'fr', '*', ';q=', '0.', '1', ',', ';', '-', ' ', '\0', 'ü');
    const anything = fc.array(pieces, { maxLength: 400 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(anything, (header) => {
        expect(Object.keys(languageTags)).toContain(chooseLanguage(header));
      }),
      { numRuns: 200 },
    );
  });
});

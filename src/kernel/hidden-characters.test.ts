import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { shownCharacters } from './hidden-characters.js';

describe('written out', () => {
  it.each([
    ['invoice\u202efdp.exe', 'invoice[U+202E]fdp.exe'],
    ['\u202a\u202b\u202c\u202d', '[U+202A][U+202B][U+202C][U+202D]'],
    ['\u2066a\u2067b\u2068c\u2069', '[U+2066]a[U+2067]b[U+2068]c[U+2069]'],
    ['שלום\u202eabc', 'שלום[U+202E]abc'],
    ['report\u200f.exe', 'report[U+200F].exe'],
    ['12\u200e34\u061c', '12[U+200E]34[U+061C]'],
    ['pay\u200bpal.com', 'pay[U+200B]pal.com'],
    ['bank\u2060.com', 'bank[U+2060].com'],
    ['\ufeffname', '[U+FEFF]name'],
    ['ad\u200dmin', 'ad[U+200D]min'],
    ['a\u3164b\u115f', 'a[U+3164]b[U+115F]'],
    ['hi\u{e0068}\u{e0069}', 'hi[U+E0068][U+E0069]'],
  ])('%j', (text, shown) => expect(shownCharacters(text)).toBe(shown));
});

describe('left alone', () => {
  it.each([
    ['Hebrew with marks', 'שלום\u200f! (abc)\u200e'],
    ['Arabic with a mark', 'رقم\u061c 1-2'],
    ['Persian with a joiner', 'می\u200cخواهم'],
    ['Hindi with a joiner', 'क्\u200dष'],
    ['Thai with breaks', 'ราคา\u200bสินค้า'],
    ['a family', '👩\u200d👩\u200d👧\u200d👦 👍🏽'],
    ['a heart', '❤\ufe0f'],
    ['the flag of Scotland', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['a soft hyphen', 'Donau\u00addampf'],
    ['ordinary text', 'Zoë, 日本 [U+202E]\n\tnext'],
  ])('%s', (_, text) => expect(shownCharacters(text)).toBe(text));
});

it('is the same in the dashboard', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  expect(read('../../web/src/ui/hidden-characters.ts')).toBe(read('./hidden-characters.ts'));
});

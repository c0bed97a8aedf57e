import { describe, expect, it } from 'vitest';
import { humanSize, humanTime, isolated, oneLine } from './shown-text.js';

describe('text for people', () => {
  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_000, '1 kB'],
    [1_550, '1.6 kB'],
    [999_949, '999.9 kB'],
    [999_950, '1 MB'],
    [1_284_322, '1.3 MB'],
    [5_000_000_000, '5 GB'],
  ])('%d is %s', (bytes, text) => expect(humanSize(bytes)).toBe(text));

  it('gives the time in UTC', () => {
    expect(humanTime(Date.UTC(2026, 0, 5, 4, 2, 9))).toBe('5 January 2026, 04:02 UTC');
  });

  it('keeps a name that is read from right to left apart from what follows', () => {
    expect(isolated('Ada')).toBe('Ada');
    expect(isolated('محمد')).toBe('\u2068محمد\u2069');
  });

  it.each([
    ['a\r\n b\u2028\0c', 'a b c'],
    ['x\u202eexe', 'x[U+202E]…'],
    ['\u202eyz', '[U+202E]yz'],
    ['  spaced \u00a0 ', 'spaced'],
    ['0123456789', '0123456789'],
    ['0123456789a', '012345678…'],
    ['01234567😀😀', '01234567…'],
    ['x'.repeat(1_000_000), 'xxxxxxxxx…'],
  ])('one line of at most ten characters', (text, line) => {
    expect(oneLine(text, 10)).toBe(line);
  });
});

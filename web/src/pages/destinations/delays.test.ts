import { expect, it } from 'vitest';
import { delaysOf, delaysText } from './delays.js';

it.each([
  ['', []],
  ['30', [30]],
  ['0.5 s, 30s, 5 min,2 hours, 1 d', [0.5, 30, 300, 7_200, 86_400]],
  ['1 M, ', [60]],
])('reads %j', (text, delays) => {
  expect(delaysOf(text)).toEqual({ delays });
});

it.each(['soon', '5 weeks', '-3', '5 min 3 s'])('says that %j is not a time', (text) => {
  expect(delaysOf(text)).toEqual({
    problem: `"${text}" is not a time. Write it like 30 s, 5 min, 2 h or 1 d`,
  });
});

it('writes delays so that they read back the same', () => {
  const delays = [0, 0.5, 5, 90, 300, 7_200, 86_400];
  expect(delaysText(delays)).toBe('0 s, 0.5 s, 5 s, 90 s, 5 min, 2 h, 1 d');
  expect(delaysOf(delaysText(delays))).toEqual({ delays });
});

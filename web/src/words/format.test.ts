import { describe, expect, it } from 'vitest';
import {
  count,
  formatBytes,
  formatDuration,
  formatEstimate,
  formatList,
  formatLongDay,
  formatNumber,
  formatPercent,
  formatRelative,
  formatShortDay,
  formatUtc,
} from './format.js';

it.each([
  [0, '0 forms'],
  [1, '1 form'],
  [2, '2 forms'],
  [12_345, '12,345 forms'],
])('counts %i', (n, words) => {
  expect(count(n, { one: '# form', other: '# forms' })).toBe(words);
});

it('writes numbers, shares and lists', () => {
  expect(formatNumber(1_234_567)).toBe('1,234,567');
  expect(formatPercent(0.95)).toBe('95%');
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map((items) => formatList(items))).toEqual([
    '',
    'a',
    'a, b',
    'a, b, c',
  ]);
});

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1_023, '1,023 bytes'],
  [1_024, '1 kB'],
  [100_000, '97.7 kB'],
  [200_000, '195 kB'],
  [1_048_575, '1,024 kB'],
  [10_485_760, '10 MB'],
  [10_000_000, '10 MB'],
  [26_214_400, '25 MB'],
  [80_000_000_000, '80 GB'],
  [5 * 1_024 ** 4, '5 TB'],
  [5_000 * 1_024 ** 4, '5,000 TB'],
])('%i bytes are %s', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});

it.each([
  [12.3, '12 ms'],
  [999.6, '1.0 s'],
  [1_250, '1.3 s'],
  [59_960, '1 min 0 s'],
  [61_000, '1 min 1 s'],
  [119_600, '2 min 0 s'],
  [3_599_700, '1 h 0 min'],
  [3_660_000, '1 h 1 min'],
  [86_400_000 * 3, '3 days'],
])('%i ms are %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

it.each([
  [20, '1 second'],
  [1_200, '1 second'],
  [42_000, '42 seconds'],
  [59_900, '1 minute'],
  [180_000, '3 minutes'],
  [3_600_000, '1 h 0 min'],
])('estimates %i ms', (ms, words) => {
  expect(formatEstimate(ms)).toBe(words);
});

describe('a time', () => {
  it.each([
    [0, 'just now'],
    [59, '59 s ago'],
    [3 * 60, '3 min ago'],
    [-2 * 3_600, 'in 2 h'],
    [-30 * 86_400 + 600, 'in 30 d'],
    [-90 * 86_400 + 600, 'in 3 mo'],
    [-365 * 86_400 + 600, 'in 12 mo'],
    [-365 * 86_400, 'in 1 y'],
    [-400 * 86_400, 'in 1 y'],
    [40 * 86_400, '1 mo ago'],
  ])('%i seconds ago is %s', (seconds, words) => {
    expect(formatRelative(0, seconds * 1_000)).toBe(words);
  });

  it('is exact in UTC', () => {
    expect(formatUtc('2026-11-17T19:00:11.123Z')).toBe('2026-11-17 19:00:11 UTC');
  });

  it('is a day, short and in full', () => {
    expect(formatShortDay('2026-11-15')).toBe('15 Nov');
    expect(formatShortDay('2027-01-01')).toBe('1 Jan');
    expect(formatLongDay('2026-11-15')).toBe('Sun 15 Nov 2026');
  });
});

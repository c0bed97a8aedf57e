import { expect, it } from 'vitest';
import { chipsIn, isNumeric, momentIn } from './value-kind.js';

it.each([
  ['2026-02-03T10:00:00Z', '2026-02-03T10:00:00.000Z'],
  ['2026-02-03T10:00+02:00', '2026-02-03T08:00:00.000Z'],
  ['2026-02-03T10:00', null],
  ['2026-02-03', null],
  ['2026-13-03T10:00Z', null],
  [12, null],
])('reads %s as the moment %s', (value, moment) => {
  expect(momentIn(value)).toBe(moment);
});

it.each([
  [7, true],
  ['-2.5', true],
  ['01234', false],
  ['1e999', false],
  [true, false],
  ['', false],
])('%s is a number: %s', (value, is) => {
  expect(isNumeric(value)).toBe(is);
});

it('shows short texts of a list as chips, and nothing else', () => {
  expect(chipsIn(['a', 'b'])).toEqual(['a', 'b']);
  for (const other of [[], ['a', 1], ['a\nb'], ['x'.repeat(61)], Array(21).fill('a'), 'a', null])
    expect(chipsIn(other)).toBeNull();
});

import { describe, expect, it } from 'vitest';
import { type DateOrder, impliedOrder, readDate } from './dates.js';

const now = Date.UTC(2026, 0, 1);
const read = (text: string, order: DateOrder | null = null): string => {
  const date = readDate(text, order, now);
  return 'at' in date ? new Date(date.at).toISOString() : date.reason;
};

describe('readDate', () => {
  it.each([
    ['2024-01-05T15:04:05.678Z', '2024-01-05T15:04:05.678Z'],
    ['2018-11-03T07:28:29.707632', '2018-11-03T07:28:29.707Z'],
    ['2024-01-05T15:04:05+02:00', '2024-01-05T13:04:05.000Z'],
    ['2024-01-05 15:04:05 UTC', '2024-01-05T15:04:05.000Z'],
    ['2024-01-05 15:04:05 -0530', '2024-01-05T20:34:05.000Z'],
    ['2024-01-05', '2024-01-05T00:00:00.000Z'],
    ['01/25/2024 03:04 PM', '2024-01-25T15:04:00.000Z'],
    ['25/01/2024 15:04', '2024-01-25T15:04:00.000Z'],
    ['1/25/2024, 12:04:05 AM', '2024-01-25T00:04:05.000Z'],
    ['05/05/2024', '2024-05-05T00:00:00.000Z'],
    ['Jan 5, 2024 3:04 PM', '2024-01-05T15:04:00.000Z'],
    ['January 5th, 2024 at 3:04 pm', '2024-01-05T15:04:00.000Z'],
    ['5 Jan 2024 15:04', '2024-01-05T15:04:00.000Z'],
    ['Fri, 05 Jan 2024 15:04:05 +0000', '2024-01-05T15:04:05.000Z'],
    ['Fri Jan 05 2024 15:04:05 GMT+0100 (Central European Standard Time)', '2024-01-05T14:04:05.000Z'],
    ['05.01.2024 15:04', '2024-01-05T15:04:00.000Z'],
    ['1704467045', '2024-01-05T15:04:05.000Z'],
    ['1704467045678', '2024-01-05T15:04:05.678Z'],
  ])('reads %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it('reads a date that could be either only if its order is known', () => {
    expect(read('03/04/2024')).toContain('could be day/month or month/day');
    expect(read('03/04/2024', 'dmy')).toBe('2024-04-03T00:00:00.000Z');
    expect(read('03/04/2024', 'mdy')).toBe('2024-03-04T00:00:00.000Z');
    expect(['03/04/2024', '13/04/2024', '03/14/2024', '2024-03-14'].map(impliedOrder)).toEqual([
      null,
      'dmy',
      'mdy',
      null,
    ]);
  });

  it.each([
    ['', 'has no date'],
    ['next Tuesday', 'is not a date'],
    ['2024-02-30', 'is not a date'],
    ['31.04.2024', 'is not a date'],
    ['2024-01-05 25:00:00', 'is not a date'],
    ['1/25/2024 13:00 PM', 'is not a date'],
    ['1999-12-31', 'before the year 2000'],
    ['0', 'is not a date'],
    ['2026-01-02', 'in the future'],
  ])('says why %j is not read', (text, reason) => {
    expect(read(text)).toContain(reason);
  });

  it('is too long to be one, and is not looked at', () => {
    const date = (blanks: number): string => read(`2024-01-05${' '.repeat(blanks)}UTC`);
    expect(date(80)).toBe('2024-01-05T00:00:00.000Z');
    expect(date(90)).toContain('is not a date');
  });

  it.each([
    ['blanks', '2024-01-01', ' '],
    ['blanks and a zone', '1/25/2024 UTC', ' '],
    ['blanks between words', 'Jan', ' '],
    ['brackets', '2024-01-01 ', '('],
    ['digits', '', '1'],
  ])('takes no longer than its length for a text of nothing but %s', (_, start, unit) => {
    // Quadratic work would be 10^12 steps: the test would time out.
    const text = `${start}${unit.repeat(1_000_000)}x`;
    expect(read(text)).toContain('is not a date');
    expect(impliedOrder(text)).toBeNull();
  });
});

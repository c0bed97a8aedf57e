import { describe, expect, it } from 'vitest';
import { barHeights, fromFirstNumber, namedDays, totalOf } from './days.js';

describe('days', () => {
  it('add up, also where a number is missing', () => {
    expect(totalOf([{ day: '2026-11-14', received: 3 }, { day: '2026-11-15' }], 'received')).toBe(3);
    expect(totalOf([], 'received')).toBe(0);
  });
});

describe('fromFirstNumber', () => {
  const rows = (counts: readonly number[]) =>
    counts.map((received, index) => ({ day: `day ${index}`, received }));

  it('leaves out empty days before the first number', () => {
    const counts = [0, 0, 0, 1, 0, 2, 0, 0, 3, 4, 5, 6];
    expect(fromFirstNumber(rows(counts)).map(({ received }) => received)).toEqual(counts.slice(3));
  });

  it('keeps a week, and all that there is', () => {
    expect(fromFirstNumber(rows([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]))).toHaveLength(7);
    expect(fromFirstNumber(rows(new Array(30).fill(0)))).toHaveLength(7);
    expect(fromFirstNumber(rows([0, 1]))).toHaveLength(2);
    expect(fromFirstNumber(rows([1, 0, 0, 0, 0, 0, 0, 0, 0]))).toHaveLength(9);
    expect(fromFirstNumber([])).toEqual([]);
  });
});

describe('namedDays', () => {
  it('are few, evenly spaced, and end today', () => {
    const days = Array.from({ length: 30 }, (_, index) => `day ${index + 1}`);
    expect(namedDays(days)).toEqual(['day 6', 'day 12', 'day 18', 'day 24', 'day 30']);
    expect(namedDays(days.slice(0, 7))).toEqual(['day 1', 'day 3', 'day 5', 'day 7']);
    expect(namedDays([])).toEqual([]);
  });
});

describe('barHeights', () => {
  it('gives the largest the whole height', () => {
    expect(barHeights([10, 5, 0], 20)).toEqual([20, 10, 0]);
  });

  it('shows one among thousands', () => {
    expect(barHeights([10_000, 1], 20)).toEqual([20, 1.5]);
  });

  it('is flat when nothing came', () => {
    expect(barHeights([0, 0], 20)).toEqual([0, 0]);
    expect(barHeights([], 20)).toEqual([]);
  });
});

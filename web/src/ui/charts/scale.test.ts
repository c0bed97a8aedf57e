import { expect, it } from 'vitest';
import { piecesOf, ticksUpTo } from './scale.js';

it.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [41, [0, 10, 20, 30, 40, 50]],
  [100, [0, 20, 40, 60, 80, 100]],
  [1_234, [0, 500, 1_000, 1_500]],
])('writes round numbers up to %i', (most, ticks) => {
  expect(ticksUpTo(most)).toEqual(ticks);
});

it('writes few whole numbers, none of them below the highest bar', () => {
  for (let most = 0; most < 5_000; most += 7) {
    const ticks = ticksUpTo(most);
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect(ticks.every(Number.isInteger)).toBe(true);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
  }
});

it('stacks the numbers of a day in the order of the series, without those that are zero', () => {
  const series = ['received', 'refused', 'quarantined'].map((name) => ({ name, label: name, color: name }));
  const row = { day: '2026-11-15', received: 5, refused: 0, quarantined: 2 };
  expect(piecesOf(row, series, 10)).toEqual([
    { name: 'received', color: 'received', from: 0, to: 0.5 },
    { name: 'quarantined', color: 'quarantined', from: 0.5, to: 0.7 },
  ]);
});

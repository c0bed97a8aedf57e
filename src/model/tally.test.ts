import { describe, expect, it } from 'vitest';
import { type LatencyBound, latencyAt, latencyBoundOf } from './tally.js';

const counts = (...entries: [LatencyBound, number][]) => new Map(entries);

describe('latencies', () => {
  it('fall below the first bound that is not passed; the last takes all above', () => {
    expect([0, 10, 11, 20, 999, 30_000, 90_000].map(latencyBoundOf)).toEqual([
      10, 10, 20, 20, 1_000, 30_000, 30_000,
    ]);
  });

  it('are estimated by spreading those within their bounds evenly', () => {
    expect(latencyAt(0.5, counts([100, 10]))).toBe(75);
    expect(latencyAt(0.95, counts([100, 10]))).toBe(98);
    expect(latencyAt(0.5, counts([10, 90], [1_000, 10]))).toBe(6);
    expect(latencyAt(0.95, counts([10, 90], [1_000, 10]))).toBe(750);
    expect(latencyAt(1, counts([30_000, 1]))).toBe(30_000);
  });

  it('of nothing are none', () => {
    expect(latencyAt(0.5, counts())).toBeNull();
    expect(latencyAt(0.5, counts([10, 0]))).toBeNull();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime, systemClock } from './clock.js';

describe('isoTime', () => {
  it('always writes UTC with three digits of milliseconds, and no millisecond is lost', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (ms) => {
        expect(isoTime(ms)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(Date.parse(isoTime(ms))).toBe(ms);
      }),
    );
    expect(isoTime(Date.UTC(2026, 0, 31, 12))).toBe('2026-01-31T12:00:00.000Z');
  });
});

describe('systemClock', () => {
  it('tells whole milliseconds since 1970', () => {
    const before = Date.now();
    const now = systemClock.now();
    expect(Number.isInteger(now)).toBe(true);
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });
});

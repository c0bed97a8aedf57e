import { describe, expect, it } from 'vitest';
import type { DigestSchedule } from '../contract/destination.js';
import { nextDigestAt } from './digest.js';

const berlin: DigestSchedule = { every: 'day', hour: 8, time_zone: 'Europe/Berlin' };
const next = (schedule: DigestSchedule, after: string): string =>
  new Date(nextDigestAt(schedule, Date.parse(after))).toISOString();

describe('the next digest', () => {
  it('is at the full hour of the zone', () => {
    const hourly: DigestSchedule = { every: 'hour', time_zone: 'UTC' };
    expect(next(hourly, '2026-11-18T07:59:59.999Z')).toBe('2026-11-18T08:00:00.000Z');
    expect(next(hourly, '2026-11-18T08:00:00.000Z')).toBe('2026-11-18T09:00:00.000Z');
    expect(next({ ...hourly, time_zone: 'Asia/Kathmandu' }, '2026-11-18T08:00:00.500Z')).toBe(
      '2026-11-18T08:15:00.000Z',
    );
  });

  it('is at its hour of the day, today or tomorrow, and never now', () => {
    expect(next(berlin, '2026-11-18T06:59:59.999Z')).toBe('2026-11-18T07:00:00.000Z');
    expect(next(berlin, '2026-11-18T07:00:00.000Z')).toBe('2026-11-19T07:00:00.000Z');
    expect(next({ every: 'day', time_zone: 'UTC' }, '2026-12-31T23:00:00Z')).toBe('2027-01-01T08:00:00.000Z');
  });

  it('is on its day of the week; Monday unless said otherwise', () => {
    const weekly: DigestSchedule = { every: 'week', hour: 9, time_zone: 'America/New_York' };
    // A Wednesday.
    expect(next(weekly, '2026-11-18T12:00:00Z')).toBe('2026-11-23T14:00:00.000Z');
    expect(next({ ...weekly, weekday: 3 }, '2026-11-18T12:00:00Z')).toBe('2026-11-18T14:00:00.000Z');
    expect(next({ ...weekly, weekday: 7 }, '2026-11-18T12:00:00Z')).toBe('2026-11-22T14:00:00.000Z');
    expect(next({ ...weekly, weekday: 3 }, '2026-11-18T14:00:00Z')).toBe('2026-11-25T14:00:00.000Z');
  });

  it('keeps its hour when the clocks change', () => {
    expect(next(berlin, '2026-03-28T12:00:00Z')).toBe('2026-03-29T06:00:00.000Z');
    expect(next(berlin, '2026-10-24T12:00:00Z')).toBe('2026-10-25T07:00:00.000Z');
  });

  it('comes at once after an hour that does not exist', () => {
    const two: DigestSchedule = { ...berlin, hour: 2 };
    expect(next(two, '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
    expect(next(two, '2026-03-29T01:00:00Z')).toBe('2026-03-30T00:00:00.000Z');
  });

  it('comes once in an hour that exists twice, the first time', () => {
    const two: DigestSchedule = { ...berlin, hour: 2 };
    expect(next(two, '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:00:00.000Z');
    expect(next(two, '2026-10-25T00:00:00Z')).toBe('2026-10-26T01:00:00.000Z');
  });

  it('rises by about a day, or a week, in every zone through a year', () => {
    for (const time_zone of [
      'Pacific/Apia',
      'Australia/Lord_Howe',
      'America/St_Johns',
      'Africa/Casablanca',
    ]) {
      for (const hour of [0, 2, 23]) {
        let at = Date.parse('2026-01-01T00:00:00Z');
        for (let days = 0; days < 370; days += 1) {
          const following = nextDigestAt({ every: 'day', hour, time_zone }, at);
          const hours = (following - at) / 3_600_000;
          if (days > 0) expect(Math.abs(hours - 24)).toBeLessThanOrEqual(1);
          at = following;
        }
      }
    }
  });
});

import { describe, expect, it } from 'vitest';
import { isTimeZone, localDays } from './local-days.js';

const hour = 3_600_000;
const dayText = (day: number): string => new Date(day * 24 * hour).toISOString().slice(0, 10);
const startsOf = (zone: string, now: string, days: number) => {
  const { firstDay, starts } = localDays(zone, Date.parse(now), days);
  return {
    first: dayText(firstDay),
    starts: starts.map((at) => new Date(at).toISOString().slice(0, 16)),
    hours: starts.slice(1).map((at, place) => (at - (starts[place] ?? 0)) / hour),
  };
};

describe('localDays', () => {
  it('are those of UTC in UTC', () => {
    expect(startsOf('UTC', '2026-03-01T23:59:59.999Z', 2)).toEqual({
      first: '2026-02-28',
      starts: ['2026-02-28T00:00', '2026-03-01T00:00', '2026-03-02T00:00'],
      hours: [24, 24],
    });
  });

  it('have 23 and 25 hours where the clocks of Berlin change', () => {
    expect(startsOf('Europe/Berlin', '2026-03-30T12:00:00Z', 3)).toEqual({
      first: '2026-03-28',
      starts: ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00', '2026-03-30T22:00'],
      hours: [24, 23, 24],
    });
    expect(startsOf('Europe/Berlin', '2026-10-26T12:00:00Z', 3).hours).toEqual([24, 25, 24]);
  });

  it('begin at half past in St. John’s, also across a change', () => {
    expect(startsOf('America/St_Johns', '2026-11-02T12:00:00Z', 3)).toEqual({
      first: '2026-10-31',
      starts: ['2026-10-31T02:30', '2026-11-01T02:30', '2026-11-02T03:30', '2026-11-03T03:30'],
      hours: [24, 25, 24],
    });
  });

  it.each([
    ['Asia/Kathmandu', '2026-05-04T18:14:00Z', '2026-05-04', '2026-05-03T18:15'],
    ['Asia/Kathmandu', '2026-05-04T18:15:00Z', '2026-05-05', '2026-05-04T18:15'],
    ['Asia/Kolkata', '2026-05-04T18:30:00Z', '2026-05-05', '2026-05-04T18:30'],
    ['Pacific/Kiritimati', '2026-05-04T10:00:00Z', '2026-05-05', '2026-05-04T10:00'],
    ['Etc/GMT+12', '2026-05-04T11:59:00Z', '2026-05-03', '2026-05-03T12:00'],
    // Midnight does not exist in Cairo on the day that summer time begins.
    ['Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-24', '2026-04-23T22:00'],
  ])('know today in %s at %s', (zone, now, today, start) => {
    const { first, starts } = startsOf(zone, now, 1);
    expect([first, starts[0]]).toEqual([today, start]);
  });

  it('follow each other without gap for a year', () => {
    for (const zone of ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'America/Santiago']) {
      const { hours } = startsOf(zone, '2026-12-31T12:00:00Z', 366);
      expect(hours).toHaveLength(366);
      expect(hours.filter((length) => length !== 24)).toHaveLength(2);
    }
  });
});

describe('isTimeZone', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+12'])('takes %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each(['', '+05:30', 'Mars/Olympus', 'Europe/Berlin ', '../etc', 'toString'])('rejects "%s"', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});

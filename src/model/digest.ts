/** Digests: one mail about all submissions of an hour, a day or a week, sent at a local time of a zone. */
import type { DigestSchedule } from '../contract/destination.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const daysPerWeek = 7;
const usualHour = 8;
const monday = 1;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn-hc-h23', {
    ...{ timeZone, year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  // There are about 600 zones, each with a few spellings.
  if (formats.size >= 1_000) formats.clear();
  formats.set(timeZone, made);
  return made;
}

/** The local time in the zone, as if it were UTC. */
export function wallTime(timeZone: string, at: number): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

/**
 * When local clocks show this time. If they do so twice, the first time counts. If they skip it, the offset from before
 * the change applies.
 */
function instantOf(timeZone: string, wall: number): number {
  const offsetAt = (at: number): number => wallTime(timeZone, at) - at;
  const before = wall - offsetAt(wall - dayMs);
  const after = wall - offsetAt(wall + dayMs);
  const shown = [before, after].filter((at) => wallTime(timeZone, at) === wall);
  return shown.length === 0 ? before : Math.min(...shown);
}

/** When the next digest is due. */
export function nextDigestAt(schedule: DigestSchedule, after: number): number {
  const { every, hour = usualHour, weekday = monday, time_zone } = schedule;
  const wall = wallTime(time_zone, after);
  if (every === 'hour') return after - (wall % hourMs) - (after % 1_000) + hourMs;
  const today = Math.floor(wall / dayMs);
  // Starts with the day before: if a day is missing, or clocks go back across midnight, its digest can still be to come.
  for (let day = today - 1; ; day += 1) {
    if (every === 'week' && weekdayOf(day) !== weekday) continue;
    const at = instantOf(time_zone, day * dayMs + hour * hourMs);
    if (at > after) return at;
  }
}

/** Monday is 1. The first of January 1970 was a Thursday. */
const weekdayOf = (day: number): number => ((day + 3) % daysPerWeek) + 1;

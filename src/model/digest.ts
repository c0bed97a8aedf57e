/** Digests: one mail about all submissions of an hour, a day or a week, at a time on the clock of a zone. */
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
  // There are some 600 zones, each of them in a few spellings.
  if (formats.size >= 1_000) formats.clear();
  formats.set(timeZone, made);
  return made;
}

/** What a clock on the wall of the zone shows, as if it were UTC. */
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
 * When the clock on the wall shows this time: the first time if it does so twice, and as long after the clocks were put
 * forward as it would have been if it never does.
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
  // The day before too: where a day is missing, or the clocks were put back over midnight, it may still be to come.
  for (let day = today - 1; ; day += 1) {
    if (every === 'week' && weekdayOf(day) !== weekday) continue;
    const at = instantOf(time_zone, day * dayMs + hour * hourMs);
    if (at > after) return at;
  }
}

/** Monday is 1. The first of January 1970 was a Thursday. */
const weekdayOf = (day: number): number => ((day + 3) % daysPerWeek) + 1;

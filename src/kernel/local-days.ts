/** The days of a time zone. They have 23 or 25 hours when clocks change, and start on a quarter hour of UTC in every zone. */

const quarterMs = 15 * 60_000;
const dayMs = 86_400_000;
const quartersPerDay = dayMs / quarterMs;
/** Zones are at most 12 hours behind UTC and 14 ahead of it; the bounds add an hour to each. */
const [mostBefore, mostBehind] = [15 * 4, 13 * 4];

/** Whether this is the name of a zone in the IANA database. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export interface LocalDays {
  /** Days since 1970, by the local calendar. */
  readonly firstDay: number;
  /** The start of each day, followed by the start of the day after the last. */
  readonly starts: readonly number[];
}

/** The last `days` days in the zone, including today. */
export function localDays(timeZone: string, now: number, days: number): LocalDays {
  const format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', { timeZone });
  const dayAt = (quarter: number): number => {
    const [month = 0, day = 0, year = 0] = format
      .format(quarter * quarterMs)
      .split('/')
      .map(Number);
    return Date.UTC(year, month - 1, day) / dayMs;
  };
  /** The first quarter hour that belongs to the day or to a later one. */
  const startOf = (day: number): number => {
    let low = day * quartersPerDay - mostBefore;
    let high = day * quartersPerDay + mostBehind;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (dayAt(middle) >= day) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const after = (start: number, day: number): number => {
    const usual = start + quartersPerDay;
    return dayAt(usual) === day && dayAt(usual - 1) === day - 1 ? usual : startOf(day);
  };
  const firstDay = dayAt(Math.floor(now / quarterMs)) - days + 1;
  let start = startOf(firstDay);
  const starts = [start];
  for (let day = firstDay + 1; day <= firstDay + days; day += 1) {
    start = after(start, day);
    starts.push(start);
  }
  return { firstDay, starts: starts.map((quarter) => quarter * quarterMs) };
}

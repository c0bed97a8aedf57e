/** Reads when a row was submitted, in the formats that services export. A date without a time zone is taken as UTC. */

export type DateOrder = 'dmy' | 'mdy';

/** Before any of the services existed: an earlier date is a wrong column, or a spreadsheet's zero. */
const earliest = Date.UTC(2000, 0, 1);

/** Dates with the name of a time zone have 60 characters. The patterns take quadratic time: a text of 40,000 took 5 s. */
const maxDateLength = 100;

export type ReadDate = { readonly at: number } | { readonly reason: string };

const time = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?\s*(?<half>[AaPp]\.?[Mm]\.?)?`;
const zone = String.raw`(?<zone>Z|(?:UTC|GMT)?[+-]\d{2}:?\d{2}|UTC|GMT)`;
const clock = String.raw`(?:(?:T|,?\s+(?:at\s+)?)${time})?\s*${zone}?(?:\s*\([^)]*\))?$`;

const isoLike = new RegExp(String.raw`^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})${clock}`, 'i');
const dotted = new RegExp(String.raw`^(?<day>\d{1,2})\.\s?(?<month>\d{1,2})\.\s?(?<year>\d{4})${clock}`, 'i');
const slashed = new RegExp(
  String.raw`^(?<first>\d{1,2})[/-](?<second2>\d{1,2})[/-](?<year>\d{4})${clock}`,
  'i',
);
const weekday = String.raw`(?:[A-Za-z]{3,9},?\s+)?`;
const monthFirst = new RegExp(
  String.raw`^${weekday}(?<name>[A-Za-z]{3,9})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})${clock}`,
  'i',
);
const dayFirst = new RegExp(
  String.raw`^${weekday}(?<day>\d{1,2})(?:st|nd|rd|th)?[\s-](?<name>[A-Za-z]{3,9})\.?,?[\s-](?<year>\d{4})${clock}`,
  'i',
);
const unix = /^\d{10}(?:\.\d+)?$|^\d{13}$/;

const groupsOf = (pattern: RegExp, text: string): Groups | undefined =>
  text.length > maxDateLength ? undefined : pattern.exec(text)?.groups;

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const monthOf = (name: string): number => months.indexOf(name.slice(0, 3).toLowerCase()) + 1;

/** The order that 03/04/2024 must have for this date to make sense. Returns null when either is possible. */
export function impliedOrder(text: string): DateOrder | null {
  const { first, second2 } = groupsOf(slashed, text.trim()) ?? {};
  if (first === undefined || second2 === undefined) return null;
  if (Number(first) > 12) return 'dmy';
  return Number(second2) > 12 ? 'mdy' : null;
}

/** `order` null: it is not known whether 03/04 is day/month or month/day. */
export function readDate(source: string, order: DateOrder | null, now: number): ReadDate {
  const text = source.trim();
  if (text === '') return { reason: 'has no date' };
  const at = instantOf(text, order);
  if (at === 'ambiguous') {
    return { reason: `the date "${shown(text)}" could be day/month or month/day: say which` };
  }
  if (at === null || Number.isNaN(at)) return { reason: `"${shown(text)}" is not a date that can be read` };
  if (at < earliest) return { reason: `the date "${shown(text)}" is before the year 2000` };
  if (at > now) return { reason: `the date "${shown(text)}" is in the future` };
  return { at };
}

const shown = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

function instantOf(text: string, order: DateOrder | null): number | 'ambiguous' | null {
  if (unix.test(text)) return Math.floor(Number(text) * (text.length === 13 ? 1 : 1000));
  for (const pattern of [isoLike, dotted]) {
    const groups = groupsOf(pattern, text);
    if (groups) return combined(Number(groups.year), Number(groups.month), Number(groups.day), groups);
  }
  for (const pattern of [monthFirst, dayFirst]) {
    const groups = groupsOf(pattern, text);
    if (groups) return combined(Number(groups.year), monthOf(groups.name ?? ''), Number(groups.day), groups);
  }
  const groups = groupsOf(slashed, text);
  if (!groups) return null;
  const [first, second, year] = [Number(groups.first), Number(groups.second2), Number(groups.year)];
  if (first === second) return combined(year, first, second, groups);
  const meant = order ?? impliedOrder(text);
  if (meant === null) return 'ambiguous';
  return meant === 'dmy' ? combined(year, second, first, groups) : combined(year, first, second, groups);
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Returns null when there is no such day or time. */
function combined(year: number, month: number, day: number, groups: Groups): number | null {
  const [hour, minute, second] = [hourOf(groups), Number(groups.minute ?? 0), Number(groups.second ?? 0)];
  if (hour === null || hour > 23 || minute > 59 || second > 60) return null;
  const millisecond = Math.floor(Number(`0.${groups.fraction ?? 0}`) * 1000);
  const at = Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
  const date = new Date(Date.UTC(year, month - 1, day));
  if (month < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return at - offsetMs(groups.zone);
}

function hourOf({ hour = '0', half }: Groups): number | null {
  const number = Number(hour);
  if (half === undefined) return number;
  if (number < 1 || number > 12) return null;
  return (number % 12) + (/^p/i.test(half) ? 12 : 0);
}

function offsetMs(text: string | undefined): number {
  const parts = /([+-])(\d{2}):?(\d{2})$/.exec(text ?? '');
  if (!parts) return 0;
  const minutes = Number(parts[2]) * 60 + Number(parts[3]);
  return (parts[1] === '-' ? -minutes : minutes) * 60_000;
}

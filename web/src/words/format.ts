/**
 * Everything in the dashboard that depends on the language but is not text: numbers, plurals, lists, sizes, times. No other file names
 * a locale or calls Intl. Texts are in the modules beside this one, one per part of the dashboard. A translation is another module of
 * the same type, such as `typeof import('./form.js')`, and another `locale` here.
 */
const locale = 'en-GB';

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const share = new Intl.NumberFormat(locale, { style: 'percent' });
const plurals = new Intl.PluralRules(locale);
const lists = new Intl.ListFormat(locale, { type: 'unit', style: 'short' });

/** `1,234`. */
export const formatNumber = (n: number): string => whole.format(n);

/** `95%` for 0.95. */
export const formatPercent = (part: number): string => share.format(part);

/** `a, b, c`. */
export const formatList = (items: Iterable<string>): string => lists.format(items);

/** The forms for one and for many; `#` is the number. Languages with more plural forms have more keys. */
type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** `1 form`, `2 forms`. */
export const count = (n: number, plural: Plural): string =>
  (plural[plurals.select(n)] ?? plural.other).replace('#', () => formatNumber(n));

const amount = (unit: string, unitDisplay: 'short' | 'long', maximumFractionDigits = 0) =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits });
const byteUnits = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** `10 MB` for 10,485,760, as on visitors' pages and in the server's settings, so that sizes compare with limits. */
export function formatBytes(bytes: number): string {
  // An owner who sets 10000000 means 10 MB, and so does one who sets 10485760.
  const thousand = bytes % 1_000_000 === 0 ? 1_000 : 1_024;
  const power = byteUnits.findLastIndex((_, index) => bytes >= thousand ** (index + 1)) + 1;
  const unit = byteUnits[power - 1];
  if (unit === undefined) return amount('byte', 'long').format(bytes);
  const value = bytes / thousand ** power;
  return amount(unit, 'short', value < 100 ? 1 : 0).format(value);
}

export function formatDuration(ms: number): string {
  // Rounded before the unit is chosen: 59,960 ms are "1 min 0 s", not "60.0 s".
  const [whole, tenths, seconds] = [Math.round(ms), Math.round(ms / 100), Math.round(ms / 1_000)];
  if (whole < 1_000) return `${whole} ms`;
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const hours = Math.floor(seconds / 3_600);
  return hours < 48
    ? `${hours} h ${Math.floor((seconds % 3_600) / 60)} min`
    : count(Math.floor(hours / 24), { one: '# day', other: '# days' });
}

/** An approximate duration: `1 second`, `3 minutes`. */
export function formatEstimate(ms: number): string {
  if (ms < 59_500) return amount('second', 'long').format(Math.max(1, Math.round(ms / 1_000)));
  if (ms < 3_570_000) return amount('minute', 'long').format(Math.round(ms / 60_000));
  return formatDuration(ms);
}

/** In seconds. */
const day = 86_400;
const steps: readonly (readonly [seconds: number, unit: string])[] = [
  [31_536_000, 'y'],
  [2_592_000, 'mo'],
  [day, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** `3 min ago`, `in 2 h`. Future days are rounded up, so that thirty days do not become 29 a moment later. */
export function formatRelative(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 10) return 'just now';
  const [size, unit] = steps.find(([length]) => distance >= length) ?? [1, 's'];
  if (seconds >= 0) return `${Math.floor(distance / size)} ${unit} ago`;
  const ahead = size < day ? distance : Math.ceil(distance / day) * day;
  return `in ${Math.floor(ahead / size)} ${unit}`;
}

const localTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });

/** `17 Nov 2026, 19:00:11`, in local time. */
export const formatTime = (iso: string): string => localTime.format(new Date(iso));

/** `2026-11-17 19:00:11 UTC`. */
export const formatUtc = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

const dayAndMonth = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
const dayInFull = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

const startOf = (day: string): Date => new Date(`${day}T00:00:00Z`);

/** `15 Nov`. */
export const formatShortDay = (day: string): string => dayAndMonth.format(startOf(day));

/** `Sun 15 Nov 2026`. Combined from two formats, because a comma between them depends on the ICU version. */
export const formatLongDay = (day: string): string =>
  `${weekday.format(startOf(day))} ${dayInFull.format(startOf(day))}`;

const weekdayInFull = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' });

/** Monday first: 1 January 2024 was a Monday. */
export const weekdayNames = (): readonly string[] =>
  Array.from({ length: 7 }, (_, index) => weekdayInFull.format(Date.UTC(2024, 0, 1 + index)));

/** The user's time zone, or UTC if the browser does not know it. */
export const readerZone = (): string => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone === undefined || timeZone === 'Etc/Unknown' ? 'UTC' : timeZone;
};

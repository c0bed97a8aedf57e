/** Counts, sizes and times as formatted for visitors, with the plurals of each language. */
import { type Language, languageTags } from '../../kernel/language.js';

export interface PageNumbers {
  /** "1,000" */
  count(count: number): string;
  /** "10 MB"; rounded down, because it is a limit. */
  size(bytes: number): string;
  /** "in 42 seconds", "in 2 minutes"; rounded up. */
  when(seconds: number): string;
}

const units = [
  ['gigabyte', 3],
  ['megabyte', 2],
  ['kilobyte', 1],
] as const;

function createPageNumbers(language: Language): PageNumbers {
  const tag = languageTags[language];
  const counts = new Intl.NumberFormat(tag, { maximumFractionDigits: 0 });
  const times = new Intl.RelativeTimeFormat(tag, { numeric: 'always' });
  const amount = (unit: string, unitDisplay: 'short' | 'long') =>
    new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 });
  const amounts = units.map(([unit, power]) => ({ power, format: amount(unit, 'short') }));
  const bytesOnly = amount('byte', 'long');
  return {
    count: (count) => counts.format(count),
    size(bytes) {
      // An owner who wrote 10000000 meant 10 MB as much as one who wrote 10485760.
      const thousand = bytes % 1_000_000 === 0 ? 1_000 : 1_024;
      const fitting = amounts.find(({ power }) => bytes >= thousand ** power);
      if (!fitting) return bytesOnly.format(bytes);
      return fitting.format.format(Math.floor((bytes / thousand ** fitting.power) * 10) / 10);
    },
    when(seconds) {
      const whole = Math.max(1, Math.ceil(seconds));
      return whole < 60 ? times.format(whole, 'second') : times.format(Math.ceil(whole / 60), 'minute');
    },
  };
}

// Created when first needed: a language's tables take some milliseconds to load, and most servers need few.
const made = new Map<Language, PageNumbers>();

export function pageNumbers(language: Language): PageNumbers {
  const known = made.get(language) ?? createPageNumbers(language);
  made.set(language, known);
  return known;
}

/**
 * Visitors' text as it can appear in a message: no control characters, hidden ones written out, on one line where required,
 * and of limited length. It is not escaped here, but by the code that writes HTML.
 */
import { shownCharacters } from './hidden-characters.js';

const lineBreaks = /\r\n|[\r\n\v\f\u0085\u2028\u2029]/g;

/** Never leaves half a character at the end. */
export const cut = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '');

/** One line, for names and headers. */
export function oneLine(text: string, maxChars: number): string {
  // Cut first: a name can be as long as a request body.
  const line = shownCharacters(cut(text, maxChars * 2).toWellFormed())
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return line.length <= maxChars && text.length <= maxChars * 2 ? line : `${cut(line, maxChars - 1)}…`;
}

/** Whether the text has only white space and invisible characters. */
export const isBlank = (text: string): boolean => /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(text);

/** Keeps a right-to-left name from reordering the rest of its line, such as a date. */
export const isolated = (text: string): string =>
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text) ? `\u2068${text}\u2069` : text;

export const manyLines = (text: string): string =>
  shownCharacters(text.toWellFormed())
    .replace(lineBreaks, '\n')
    .replace(/\t/g, '    ')
    .replace(/[^\P{Cc}\n]/gu, '\ufffd');

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

export function humanSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // From 999.95 kB on, rounding would give 1000.0 kB.
  while (value >= (unit === 0 ? 1000 : 999.95) && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  if (bytes === 1) return '1 byte';
  return `${unit === 0 ? value : value.toFixed(1).replace(/\.0$/, '')} ${units[unit]}`;
}

const months = [
  'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November',
  'December',
]; // biome-ignore format: a list to be read at once

/** 15 November 2026, 04:02 UTC */
export function humanTime(ms: number): string {
  const at = new Date(ms);
  const day = `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  return `${day}, ${at.toISOString().slice(11, 16)} UTC`;
}

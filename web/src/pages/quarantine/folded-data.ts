/**
 * Submitted fields as one short line. Everything here was written by visitors, and each row of a page has such a line:
 * no more is looked at than is shown. Pure.
 */
import { beginning, previewOf } from '../../ui/bounded-text.js';

/** These tell most about who wrote; the others follow in the order they came. */
const telling = [/^(?:full_?)?name$/i, /^e-?mail/i, /^(?:message|comment|text|body)/i];
const maxSummaryFields = 3;
const maxSummaryChars = 160;
/** A form that people fill in has fewer; a robot may send a thousand. */
const maxFieldsLookedAt = 60;

const rankOf = (name: string): number => {
  const place = telling.findIndex((shape) => shape.test(name));
  return place === -1 ? telling.length : place;
};

function firstNames(data: Readonly<Record<string, unknown>>): string[] {
  const names: string[] = [];
  for (const name in data) {
    if (names.length === maxFieldsLookedAt) break;
    names.push(name);
  }
  return names;
}

function lineOf(value: unknown): string {
  // Two more, for a pair of surrogates that is left out whole: what was cut is longer than what is shown.
  const line = previewOf(value, maxSummaryChars + 2);
  return line.length <= maxSummaryChars ? line : `${beginning(line, maxSummaryChars)}…`;
}

/**
 * The line of a folded row, in parts: `Ada Lovelace`, `ada@example.com`, `I would like…`. Each stands alone, so that none
 * can turn around the others.
 */
export function summaryOf(data: Readonly<Record<string, unknown>>): readonly string[] {
  const names = firstNames(data).sort((one, other) => rankOf(one) - rankOf(other));
  const lines: string[] = [];
  for (const name of names) {
    if (lines.length === maxSummaryFields) break;
    const line = lineOf(data[name]);
    if (line !== '') lines.push(line);
  }
  return lines;
}

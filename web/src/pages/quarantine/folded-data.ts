/**
 * Submitted fields as one short line. The data is untrusted, and every row of a page has such a line, so this reads no more than is
 * shown. Pure.
 */
import { beginning, previewOf } from '../../ui/bounded-text.js';

/** The fields that best identify the sender. The others follow in their original order. */
const telling = [/^(?:full_?)?name$/i, /^e-?mail/i, /^(?:message|comment|text|body)/i];
const maxSummaryFields = 3;
const maxSummaryChars = 160;
/** A form for people has fewer; a bot may send a thousand. */
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
  // Two extra characters, for a surrogate pair that is dropped whole: a cut line must be longer than what is shown.
  const line = previewOf(value, maxSummaryChars + 2);
  return line.length <= maxSummaryChars ? line : `${beginning(line, maxSummaryChars)}…`;
}

/**
 * The summary of a collapsed row, in parts: name, e-mail address, start of the message. The parts are rendered separately, so that
 * right-to-left text in one cannot reorder the others.
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

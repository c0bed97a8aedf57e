/**
 * A field's value in readable form: text as it is, lists with dashes, nested data as an outline. It reads the JSON
 * text itself, because a parsed number would lose digits. It stops as soon as it has enough text.
 */
import { cut, manyLines, oneLine } from './shown-text.js';

export interface ValueText {
  /** Lines separated by \n; empty for no value. */
  readonly text: string;
  /** Length of the whole value in characters, if it was cut. null if it was not cut, or the length is unknown. */
  readonly cutFrom: number | null;
  readonly isCut: boolean;
}

export const nothing = '(empty)';
const maxNameChars = 100;
/** Intake allows 32. Deeper data can only come from elsewhere. */
const maxDepth = 40;

/** `source` is the text of one JSON value. */
export function valueText(source: string, maxChars: number): ValueText {
  if (source.startsWith('{') || source.startsWith('[')) return outline(source, maxChars);
  const whole = source === 'null' ? '' : scalar(source);
  const isCut = whole.length > maxChars;
  return { text: manyLines(cut(whole, maxChars)), isCut, cutFrom: isCut ? whole.length : null };
}

/** A value as the cell of a table shows it: a list of texts joined, nested data as JSON, nothing for null. */
export function shownText(source: string | undefined): string {
  if (source === undefined || source === 'null') return '';
  if (!source.startsWith('[')) return scalar(source);
  const items: unknown = JSON.parse(source);
  return Array.isArray(items) && items.every((item) => typeof item === 'string') ? items.join(', ') : source;
}

const scalar = (token: string): string => (token.startsWith('"') ? (JSON.parse(token) as string) : token);

function outline(source: string, maxChars: number): ValueText {
  const shown: string[] = [];
  let at = 0;
  let left = maxChars;
  let isCut = false;

  const emit = (line: string): void => {
    if (isCut) return;
    isCut = line.length > left;
    if (left > 0) shown.push(cut(line, left));
    left -= line.length + 1;
  };
  const skip = (characters: RegExp): void => {
    while (at < source.length && characters.test(source.charAt(at))) at += 1;
  };
  const token = (): string => {
    const start = at;
    if (source.charAt(at) === '"') at = afterString(source, at);
    else skip(/[^\s,:[\]{}]/);
    return source.slice(start, at);
  };
  /** `first` is the prefix of the value's first line, `rest` of the others. */
  const value = (first: string, rest: string, depth: number): void => {
    const opening = source.charAt(at);
    if (opening !== '{' && opening !== '[') {
      text(first, rest);
      return;
    }
    at += 1;
    skip(/[\s,]/);
    if (depth > maxDepth) isCut = true;
    if (/[}\]]/.test(source.charAt(at))) emit(first + nothing);
    for (let before = first; at < source.length && !/[}\]]/.test(source.charAt(at)); before = rest) {
      if (isCut) return;
      if (opening === '{') member(before, rest, depth);
      else value(`${before}- `, `${rest}  `, depth + 1);
      skip(/[\s,]/);
    }
    at += 1;
  };
  const member = (before: string, rest: string, depth: number): void => {
    const name = oneLine(scalar(token()), maxNameChars);
    skip(/[\s:]/);
    const inner = `${rest}  `;
    if (hasParts(source, at)) {
      emit(`${before}${name}:`);
      value(inner, inner, depth + 1);
    } else {
      value(`${before}${name}: `, inner, depth + 1);
    }
  };
  const text = (first: string, rest: string): void => {
    const written = token();
    const content = written === 'null' || written === '""' ? nothing : scalar(written);
    // Twice what still fits, because two characters can become one line break. `emit` cuts what is too much.
    const lines = manyLines(content.slice(0, 2 * (Math.max(left, 0) + 1))).split('\n');
    for (const [index, line] of lines.entries()) emit((index === 0 ? first : rest) + line);
  };

  skip(/\s/);
  value('', '', 0);
  return { text: shown.join('\n'), isCut, cutFrom: null };
}

/** Whether a non-empty list or object starts here. */
function hasParts(source: string, start: number): boolean {
  if (!/[{[]/.test(source.charAt(start))) return false;
  let at = start + 1;
  while (/\s/.test(source.charAt(at))) at += 1;
  return !/[}\]]/.test(source.charAt(at));
}

/** The position after the closing quote. */
function afterString(source: string, openingQuote: number): number {
  let at = openingQuote + 1;
  while (at < source.length && source.charAt(at) !== '"') at += source.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

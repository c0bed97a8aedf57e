/**
 * One linear pass over JSON text that finds its top-level members and enforces the limits, without building
 * anything. For text that is not JSON, the result is meaningless, but the pass never throws, never takes more than
 * linear time, and sees every bracket that JSON.parse would reach before its first error.
 */
import { exceedsUtf8Bytes } from './utf8.js';

/** Three offsets for each top-level member: the opening quote of its name, the closing one, and its end. */
export type MemberSpans = readonly number[];

export interface JsonMember {
  readonly name: string;
  /** As written: `"name": value`. */
  readonly source: string;
  /** The value as written. */
  readonly value: string;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Limits for the text. */
export interface JsonBounds {
  readonly maxDepth: number;
  /** Members of all objects, at every level. */
  readonly maxMembers: number;
  /** Lists and objects, at every level: each is allocated in memory, however short its text is. */
  readonly maxContainers: number;
  readonly maxNameBytes: number;
}

/** The limit that the text exceeds. */
export type JsonExcess = 'depth' | 'members' | 'containers' | 'name';

const unbounded: JsonBounds = {
  maxDepth: Infinity,
  maxMembers: Infinity,
  maxContainers: Infinity,
  maxNameBytes: Infinity,
};

export function outlineJson(text: string, bounds: JsonBounds): MemberSpans | JsonExcess {
  const spans: number[] = [];
  let depth = 0;
  let members = 0;
  let containers = 0;
  let nameStart = 0;
  let nameEnd = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        nameStart = at;
        at = closingQuote(text, at);
        if (at === -1) return spans;
        nameEnd = at;
        break;
      case colon:
        members += 1;
        if (members > bounds.maxMembers) return 'members';
        if (isNameTooLong(text, nameStart, nameEnd, bounds.maxNameBytes)) return 'name';
        if (depth === 1) spans.push(nameStart, nameEnd);
        break;
      case comma:
        if (depth === 1) spans.push(at);
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        containers += 1;
        if (depth > bounds.maxDepth) return 'depth';
        if (containers > bounds.maxContainers) return 'containers';
        break;
      case closeBrace:
      case closeBracket:
        if (depth === 1) spans.push(at);
        depth -= 1;
        break;
    }
  }
  return spans;
}

export const memberCount = (spans: MemberSpans): number => Math.floor(spans.length / 3);

/** Only for text that JSON.parse accepts as an object. */
export function* membersOf(text: string, known?: MemberSpans): Generator<JsonMember> {
  const spans = known ?? (outlineJson(text, unbounded) as MemberSpans);
  for (let i = 0; i + 2 < spans.length; i += 3) {
    const [nameStart, nameEnd, end] = spans.slice(i, i + 3) as [number, number, number];
    yield {
      name: decoded(text, nameStart, nameEnd) ?? '',
      source: text.slice(nameStart, end).trimEnd(),
      value: text.slice(text.indexOf(':', nameEnd) + 1, end).trim(),
    };
  }
}

/** The items of a list as written. Only for text that JSON.parse accepts as a list. */
export function itemsOf(text: string): readonly string[] {
  const items: string[] = [];
  let start = text.indexOf('[') + 1;
  // Names are nested deeper, so these are the commas and the end.
  for (const end of outlineJson(text, unbounded) as MemberSpans) {
    items.push(text.slice(start, end).trim());
    start = end + 1;
  }
  return items.length === 1 && items[0] === '' ? [] : items;
}

/** The next quote after an even number of backslashes. Returns -1 when there is none. */
function closingQuote(text: string, openingQuote: number): number {
  let at = openingQuote;
  do {
    at = text.indexOf('"', at + 1);
  } while (at !== -1 && isEscaped(text, at));
  return at;
}

/** Whether the quote belongs to the string and does not end it: it follows an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

function isNameTooLong(text: string, start: number, end: number, maxBytes: number): boolean {
  const units = end - start - 1;
  // One written unit is at most three bytes of the name, and a byte takes at most six units (\u0041). The name is
  // decoded only between these bounds, so that a huge one in broken text is not decoded again and again.
  if (units * 3 <= maxBytes) return false;
  if (units > maxBytes * 6) return true;
  const name = decoded(text, start, end);
  return name !== undefined && exceedsUtf8Bytes(name, maxBytes);
}

/** The string between two quotes. Returns undefined when it is invalid. */
function decoded(text: string, start: number, end: number): string | undefined {
  const raw = text.slice(start + 1, end);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(text.slice(start, end + 1)) as string;
  } catch {
    return undefined;
  }
}

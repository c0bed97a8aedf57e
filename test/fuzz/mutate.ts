/**
 * Makes broken input from valid input. Bytes of a real request with small changes reach far deeper into a parser than made-up bytes, and
 * than the well-formed values of a generator (fast-check). So this is a small engine over a corpus, like the byte fuzzers. Everything
 * derives from one seed. shrink.ts shrinks a find: it works on the case that was sent, however it was made.
 */
import type { Chance } from '../support/seeded.js';
import { marker } from './rules.js';

export const pick = <T>(chance: Chance, list: readonly T[]): T => {
  const found = list[chance.between(0, list.length - 1)];
  if (found === undefined) throw new Error('There is nothing to pick from');
  return found;
};
export const sometimes = (chance: Chance, share: number): boolean => chance.next() < share;

/** Texts that have broken programs before: markup, paths, formats, numbers at their limits, odd characters. */
export const oddTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  '\r\n',
  '\n',
  '\t',
  '"',
  "'",
  '\\',
  '%',
  '%00',
  '%zz',
  '%c0%af',
  '%u0041',
  '&',
  '=',
  ';',
  '#',
  '?',
  '..',
  '../../../etc/passwd',
  '{{',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a template would fill in
  '${7*7}',
  marker,
  `">${marker}`,
  "'; DROP TABLE submissions; --",
  '=cmd()',
  '__proto__',
  'constructor',
  'toString',
  '0',
  '-0',
  '-1',
  '1',
  '1e309',
  '0x10',
  '2147483648',
  '9007199254740993',
  '18446744073709551616',
  'NaN',
  'null',
  'undefined',
  'true',
  'é',
  'e\u0301',
  '\ud83d\ude00',
  '\u202egpj.exe',
  '\ufeff',
  '\u2028',
  'İ',
  'ß',
  'x'.repeat(300),
  'x'.repeat(5000),
];

const oddNumbers = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];
const oddBytes = [0, 9, 10, 13, 32, 34, 37, 38, 45, 58, 59, 61, 91, 92, 123, 127, 128, 192, 239, 254, 255];

/** A random position and length. Short lengths are likelier. */
function span(chance: Chance, length: number): { at: number; end: number } {
  const at = chance.between(0, Math.max(0, length - 1));
  const size = Math.min(length - at, 2 ** chance.between(0, Math.max(1, Math.ceil(Math.log2(length + 1)))));
  return { at, end: at + Math.max(0, size) };
}

type Edit = (chance: Chance, bytes: Buffer, words: readonly Buffer[]) => Buffer;

const insertAt = (bytes: Buffer, at: number, more: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
const place = (chance: Chance, bytes: Buffer): number => chance.between(0, bytes.length);

const edits: readonly Edit[] = [
  (chance, bytes) => {
    const copy = Buffer.from(bytes);
    const at = chance.between(0, copy.length - 1);
    copy[at] = (copy[at] ?? 0) ^ (1 << chance.between(0, 7));
    return copy;
  },
  (chance, bytes) => {
    const copy = Buffer.from(bytes);
    copy[chance.between(0, copy.length - 1)] = pick(chance, oddBytes);
    return copy;
  },
  (chance, bytes) => {
    const { at, end } = span(chance, bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
  },
  (chance, bytes) => {
    const { at, end } = span(chance, bytes.length);
    const times = pick(chance, [1, 1, 2, 3, 50]);
    const piece = bytes.subarray(at, end);
    if (piece.length * times > 100_000) return bytes;
    return insertAt(bytes, at, Buffer.concat(Array.from({ length: times }, () => piece)));
  },
  (chance, bytes, words) => insertAt(bytes, place(chance, bytes), pick(chance, words)),
  (chance, bytes, words) => {
    const { at, end } = span(chance, bytes.length);
    return Buffer.concat([bytes.subarray(0, at), pick(chance, words), bytes.subarray(end)]);
  },
  (chance, bytes) => insertAt(bytes, place(chance, bytes), chance.bytes(chance.between(1, 16))),
  (chance, bytes) => bytes.subarray(0, place(chance, bytes)),
  (chance, bytes) => {
    if (bytes.length < 4) return bytes;
    const copy = Buffer.from(bytes);
    const at = chance.between(0, copy.length - 4);
    const value = pick(chance, oddNumbers);
    const write = pick(chance, [
      () => copy.writeUInt32BE(value, at),
      () => copy.writeUInt32LE(value, at),
      () => copy.writeUInt16BE(value & 0xffff, at),
      () => copy.writeUInt16LE(value & 0xffff, at),
    ]);
    write();
    return copy;
  },
  (chance, bytes) => {
    const one = span(chance, bytes.length);
    const other = place(chance, bytes);
    return insertAt(bytes, other, bytes.subarray(one.at, one.end));
  },
];

const oddWords = oddTexts.map((text) => Buffer.from(text));

export function mutateBytes(chance: Chance, bytes: Buffer, words: readonly Buffer[] = oddWords): Buffer {
  const all = words === oddWords ? words : [...words, ...words, ...oddWords];
  let changed = bytes;
  for (let left = pick(chance, [1, 1, 1, 2, 3, 6]); left > 0; left -= 1) {
    changed = changed.length === 0 ? pick(chance, all) : pick(chance, edits)(chance, changed, all);
  }
  return changed;
}

/** Text that stays text, for places where invalid bytes would be rejected before anything parses them. */
export const mutateText = (chance: Chance, text: string, words?: readonly Buffer[]): string =>
  mutateBytes(chance, Buffer.from(text), words).toString('utf8');

/** For a request line or a header, where each character is a byte and some end the line. */
export const headerSafe = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[\r\n\0]/g, '');

export const pathSafe = (text: string): string => headerSafe(text).replace(/[^\x21-\x7e\x80-\xff]/g, '');

export const oddText = (chance: Chance): string =>
  sometimes(chance, 0.7) ? pick(chance, oddTexts) : mutateText(chance, pick(chance, oddTexts));

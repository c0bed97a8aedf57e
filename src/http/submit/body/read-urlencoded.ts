/** application/x-www-form-urlencoded: what an HTML form sends when it has no files. Pure. */
import { decodeFormText, decodeUtf8, exceedsUtf8Bytes } from '../../../kernel/utf8.js';
import { type Refusal, refuse } from '../../../model/errors.js';
import type { SubmittedFields } from '../../../model/fields.js';
import { FieldCollector } from './field-collector.js';
import type { BodyLimits } from './limits.js';

export function readUrlencoded(bytes: Buffer, limits: BodyLimits): SubmittedFields | Refusal {
  const text = decodeUtf8(bytes);
  if (text === undefined) return refuse.invalidSubmission('The body is not valid UTF-8');
  if (hasMorePairs(text, limits.maxFields)) return refuse.tooMany('fields', limits.maxFields);

  const collector = new FieldCollector();
  for (const [name, value] of pairsOf(text)) {
    if (name === '') continue;
    if (exceedsUtf8Bytes(name, limits.maxNameBytes)) {
      return refuse.tooManyBytes('A field name', limits.maxNameBytes);
    }
    collector.add(name, value);
  }
  return collector.collected();
}

/**
 * The platform's parser, except where it would put U+FFFD in place of what a page without a declared charset sent: there
 * each name and value is decoded for itself.
 */
function pairsOf(text: string): Iterable<readonly [string, string]> {
  // The parser takes one leading `?` for the start of a query; in a body it belongs to the name.
  const parsed = new URLSearchParams(text.startsWith('?') ? `?${text}` : text);
  if (!text.includes('%') || !parsed.toString().includes('%EF%BF%BD')) return parsed;
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1
        ? ([decodePart(pair), ''] as const)
        : ([decodePart(pair.slice(0, equals)), decodePart(pair.slice(equals + 1))] as const);
    });
}

/** In bytes, one character each: what is unescaped are bytes, not characters. */
function decodePart(part: string): string {
  const bytes = Buffer.from(part.replaceAll('+', ' ')).toString('latin1');
  const unescaped = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decodeFormText(Buffer.from(unescaped, 'latin1'));
}

/** Counted before anything is decoded: 1 MiB of `a&a&a` would become half a million pairs. */
function hasMorePairs(text: string, max: number): boolean {
  let pairs = 0;
  let start = 0;
  while (start < text.length) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start && ++pairs > max) return true;
    start = end + 1;
  }
  return false;
}

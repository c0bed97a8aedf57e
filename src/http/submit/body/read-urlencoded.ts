/** application/x-www-form-urlencoded: what an HTML form sends when it has no files. Pure. */
import { decodeFormText, decodeUtf8, exceedsUtf8Bytes } from '../../../kernel/utf8.js';
import { type Refusal, refuse } from '../../../model/errors.js';
import type { SubmittedFields } from '../../../model/fields.js';
import { FieldCollector } from './field-collector.js';
import type { BodyLimits } from './limits.js';

export function readUrlencoded(bytes: Buffer, limits: BodyLimits): SubmittedFields | Refusal {
  const text = decodeUtf8(bytes);
  if (text === undefined) return refuse.invalidSubmission('The body is not valid UTF-8');

  const collector = new FieldCollector();
  let pairs = 0;
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end === start) continue;
    pairs += 1;
    // Before it is decoded: 1 MiB of `a&a&a` would become half a million pairs.
    if (pairs > limits.maxFields) return refuse.tooMany('fields', limits.maxFields);
    const pair = text.slice(start, end);
    const equals = pair.indexOf('=');
    const name = decodePart(equals === -1 ? pair : pair.slice(0, equals));
    if (name === '') continue;
    if (exceedsUtf8Bytes(name, limits.maxNameBytes)) {
      return refuse.tooManyBytes('A field name', limits.maxNameBytes);
    }
    collector.add(name, equals === -1 ? '' : decodePart(pair.slice(equals + 1)));
  }
  return collector.collected();
}

/**
 * Not by URLSearchParams: it puts U+FFFD in place of what a page without a declared charset sends, and other letters in
 * place of those outside Latin-1 that were sent as they are, beside a percent sign that stands for itself.
 */
function decodePart(part: string): string {
  const spaced = part.includes('+') ? part.replaceAll('+', ' ') : part;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return decodeBytes(spaced);
  }
}

/** In bytes, one character each: what is unescaped are bytes, not characters. A percent sign may stand for itself. */
function decodeBytes(part: string): string {
  const bytes = Buffer.from(part).toString('latin1');
  const unescaped = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decodeFormText(Buffer.from(unescaped, 'latin1'));
}

/** application/x-www-form-urlencoded: what an HTML form sends when it has no files. Pure. */

import { decodeUtf8, exceedsUtf8Bytes } from '../../../kernel/utf8.js';
import { type Refusal, refuse } from '../../../model/errors.js';
import type { SubmittedFields } from '../../../model/fields.js';
import { FieldCollector } from './field-collector.js';
import type { BodyLimits } from './limits.js';

export function readUrlencoded(bytes: Buffer, limits: BodyLimits): SubmittedFields | Refusal {
  const text = decodeUtf8(bytes);
  if (text === undefined) return refuse.invalidSubmission('The body is not valid UTF-8');
  if (hasMorePairs(text, limits.maxFields)) return refuse.tooMany('fields', limits.maxFields);

  const collector = new FieldCollector();
  // The platform's parser takes one leading `?` for the start of a query; in a body it belongs to the name.
  for (const [name, value] of new URLSearchParams(text.startsWith('?') ? `?${text}` : text)) {
    if (name === '') continue;
    if (exceedsUtf8Bytes(name, limits.maxNameBytes)) {
      return refuse.tooManyBytes('A field name', limits.maxNameBytes);
    }
    collector.add(name, value);
  }
  return collector.collected();
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

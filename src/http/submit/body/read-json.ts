/**
 * application/json: one object of fields. Pure.
 *
 * The text itself is what gets stored, so that 1.0, 12345678901234567890, the order of "10" and "2", and `__proto__`
 * all survive; JSON.parse only says whether it is valid. Depth and member count are bounded before JSON.parse runs.
 */

import {
  type JsonExcess,
  type MemberSpans,
  memberCount,
  membersOf,
  outlineJson,
} from '../../../kernel/json-outline.js';
import { decodeUtf8 } from '../../../kernel/utf8.js';
import { type Refusal, refuse } from '../../../model/errors.js';
import { reservedFields, type SubmittedFields } from '../../../model/fields.js';
import type { BodyLimits } from './limits.js';

const reservedNames = [...reservedFields];
const nothingReserved: ReadonlyMap<string, string> = new Map();
const byteOrderMark = 0xfeff;

const excessRefusals: Readonly<Record<JsonExcess, (limits: BodyLimits) => Refusal>> = {
  depth: ({ json }) => refuse.tooMany('levels of nesting', json.maxDepth),
  members: ({ json }) => refuse.tooMany('fields', json.maxMembers),
  containers: ({ json }) => refuse.tooMany('lists and objects', json.maxContainers),
  name: ({ json }) => refuse.tooManyBytes('A field name', json.maxNameBytes),
};

export function readJson(bytes: Buffer, limits: BodyLimits): SubmittedFields | Refusal {
  const decoded = decodeUtf8(bytes);
  if (decoded === undefined) return refuse.invalidSubmission('The body is not valid UTF-8');
  const text = decoded.charCodeAt(0) === byteOrderMark ? decoded.slice(1) : decoded;
  const spans = outlineJson(text, limits.json);
  if (typeof spans === 'string') return excessRefusals[spans](limits);

  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return refuse.invalidSubmission(`The body is not valid JSON: ${shortReason(error)}`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refuse.invalidSubmission('The body must be a JSON object');
  }
  return isPlain(body, spans) ? { json: text.trim(), reserved: nothingReserved } : rebuilt(text, spans);
}

/** No name twice and none of ours: the usual body, which is kept as it came. */
function isPlain(body: object, spans: MemberSpans): boolean {
  if (Object.keys(body).length !== memberCount(spans)) return false;
  for (const name of reservedNames) if (Object.hasOwn(body, name)) return false;
  return true;
}

/** Of a name that comes twice the last value counts, as in JSON.parse, in the place of the first. */
function rebuilt(text: string, spans: MemberSpans): SubmittedFields {
  const kept = new Map<string, string>();
  const reserved = new Map<string, string>();
  for (const { name, source, value } of membersOf(text, spans)) {
    if (!reservedFields.has(name)) kept.set(name, source);
    else if (!reserved.has(name) && holdsValue(value)) reserved.set(name, asText(value));
  }
  return { json: `{${[...kept.values()].join(',')}}`, reserved };
}

/** A script that sends an untouched honeypot may well send it as null, false or an empty list. */
function holdsValue(source: string): boolean {
  return !/^(?:""|null|false|\[\s*\])$/.test(source);
}

function asText(source: string): string {
  return source.startsWith('"') ? (JSON.parse(source) as string) : source;
}

/** The parser's own words without the excerpt of the body that it puts at their end. */
function shortReason(error: unknown): string {
  const [reason = ''] = String(error instanceof Error ? error.message : error).split(/,? ?(?:\.\.\.)?"/, 1);
  return reason.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '?').slice(0, 100) || 'Unexpected text';
}

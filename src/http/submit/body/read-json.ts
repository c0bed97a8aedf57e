/**
 * application/json: one object of fields. Pure.
 *
 * The text itself is stored, so that 1.0, 12345678901234567890, the order of "10" and "2", and `__proto__` all survive; JSON.parse only
 * validates it. Depth and member count are bounded before JSON.parse runs.
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
import {
  isReserved,
  isReservedGroup,
  type SubmittedFields,
  type SubmittedValues,
} from '../../../model/fields.js';
import type { BodyLimits } from './limits.js';

const nothingReserved: ReadonlyMap<string, string> = new Map();
/** Parsed values wait for the commit with their text. For a large body they may take many times its memory: it is parsed again. */
const maxKeptLength = 16 * 1024;
const byteOrderMark = 0xfeff;

const excessRefusals: Readonly<Record<JsonExcess, (limits: BodyLimits) => Refusal>> = {
  depth: ({ json }) => refuse.tooMany('levels', json.maxDepth),
  members: ({ json }) => refuse.tooMany('fields', json.maxMembers),
  containers: ({ json }) => refuse.tooMany('containers', json.maxContainers),
  name: ({ json }) => refuse.tooManyBytes('field_name', json.maxNameBytes),
};

export function readJson(bytes: Buffer, limits: BodyLimits): SubmittedFields | Refusal {
  const decoded = decodeUtf8(bytes);
  if (decoded === undefined)
    return refuse.invalidSubmission('The body is not valid UTF-8', 'invalid_encoding');
  const text = decoded.charCodeAt(0) === byteOrderMark ? decoded.slice(1) : decoded;
  const spans = outlineJson(text, limits.json);
  if (typeof spans === 'string') return excessRefusals[spans](limits);

  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return refuse.invalidSubmission(`The body is not valid JSON: ${shortReason(error)}`, 'invalid_json');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refuse.invalidSubmission('The body must be a JSON object', 'invalid_json');
  }
  if (!isPlain(body, spans)) return rebuilt(text, spans);
  const values = text.length <= maxKeptLength ? (body as SubmittedValues) : null;
  return { json: text.trim(), values, reserved: nothingReserved };
}

/** No repeated and no reserved names: the usual body, which is stored as is. */
function isPlain(body: object, spans: MemberSpans): boolean {
  const names = Object.keys(body);
  return names.length === memberCount(spans) && !names.some(isReserved);
}

/** The last value of a repeated name counts, as in JSON.parse, in the place of the first. */
function rebuilt(text: string, spans: MemberSpans): SubmittedFields {
  const kept = new Map<string, string>();
  const reserved = new Map<string, string>();
  for (const { name, source, value } of membersOf(text, spans)) {
    if (!isReserved(name)) kept.set(name, source);
    else if (isReservedGroup(name) && value.startsWith('{')) addGroup(reserved, name, value);
    else addReserved(reserved, name, value);
  }
  return { json: `{${[...kept.values()].join(',')}}`, values: null, reserved };
}

/** Returns a value as text, for a list its first item, or null when there is none. */
export function textOf(source: string): string | null {
  if (!source.startsWith('[')) return holdsValue(source) ? asText(source) : null;
  const [first] = JSON.parse(source) as unknown[];
  return typeof first === 'string' && first !== '' ? first : null;
}

function addReserved(reserved: Map<string, string>, name: string, value: string): void {
  if (!reserved.has(name) && holdsValue(value)) reserved.set(name, asText(value));
}

/** As a form would send them: `_email.subject`. */
function addGroup(reserved: Map<string, string>, group: string, source: string): void {
  for (const { name, value } of membersOf(source)) addReserved(reserved, `${group}.${name}`, value);
}

/** A script may well send an untouched honeypot as null, false or an empty list. */
function holdsValue(source: string): boolean {
  return !/^(?:""|null|false|\[\s*\])$/.test(source);
}

/** Joins a list of texts into one, as forms write it. */
function asText(source: string): string {
  if (source.startsWith('"')) return JSON.parse(source) as string;
  const list: unknown = source.startsWith('[') ? JSON.parse(source) : null;
  return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list.join(', ') : source;
}

/** The parser's own message without the excerpt of the body at its end. */
function shortReason(error: unknown): string {
  const [reason = ''] = String(error instanceof Error ? error.message : error).split(/,? ?(?:\.\.\.)?"/, 1);
  return reason.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '?').slice(0, 100) || 'Unexpected text';
}

/**
 * The initial values of the fields of a hosted page. Anyone can create such a link, so only fields that the owner declared are filled in,
 * never a file, and everything is bounded.
 */
import type { FieldRule } from '../../contract/field-rule.js';
import { membersOf } from '../../kernel/json-outline.js';

/** By field name; several for a field that accepts several. */
export type FieldValues = ReadonlyMap<string, readonly string[]>;

export interface Prefill {
  /** `_language`, a name that no field can have. */
  readonly language: string | null;
  readonly values: FieldValues;
}

/** Node rejects heads of more than 16 kB with 431. A longer query than this is ignored. */
const maxQueryLength = 8_192;
const maxValueLength = 2_000;

/** All except tab and line breaks: visitors do not type them, and they would be submitted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const controlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

const cleaned = (value: string): string =>
  value.replace(controlCharacters, '').slice(0, maxValueLength).toWellFormed();

export function prefillOf(url: string | undefined, rules: readonly FieldRule[]): Prefill {
  const [, query = ''] = /\?(.*)/s.exec(url ?? '') ?? [];
  if (query.length > maxQueryLength) return { language: null, values: new Map() };
  const asked = new URLSearchParams(query);
  const values = new Map<string, readonly string[]>();
  for (const { name, type } of rules) {
    if (type !== 'file' && asked.has(name)) values.set(name, asked.getAll(name).map(cleaned));
  }
  return { language: asked.get('_language'), values };
}

const textsOf = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? [String(value)]
    : [];
};

/** For all fields together. No visitor types that much, and escaping a mebibyte of angle brackets took 130 ms. */
const maxTypedLength = 100_000;

/** What a visitor typed, from the data of a rejected submission. Long values are left out: half of one could be submitted unnoticed. */
export function typedValues(data: string, rules: readonly FieldRule[]): FieldValues {
  const names = new Set(rules.map(({ name }) => name));
  const values = new Map<string, readonly string[]>();
  let room = maxTypedLength;
  for (const { name, value } of membersOf(data)) {
    if (!names.has(name) || value.length > room) continue;
    room -= value.length;
    values.set(name, textsOf(JSON.parse(value)));
  }
  return values;
}

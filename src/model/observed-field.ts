/** The fields that the submissions of a form have had, and the kinds of their values. */
import { isMailbox } from '../kernel/email-address.js';
import { membersOf } from '../kernel/json-outline.js';
import type { SubmittedValues } from './fields.js';

/** Each is a bit of `SeenField.kinds`: add new ones at the end. */
const storedKinds = ['text', 'email', 'url', 'number', 'date', 'boolean', 'list', 'file'] as const;
type StoredKind = (typeof storedKinds)[number];

/** `choice` is not stored: it depends on how often values repeat. */
export type FieldKind = StoredKind | 'choice';

/** How many field names a form can have. Visitors choose them, so there must be a limit. */
export const maxObservedNames = 1_000;

/** A field of one submission. */
export interface SeenField {
  readonly formId: string;
  readonly name: string;
  /** A set of bits. 0: the field was empty. */
  readonly kinds: number;
  /** The position among the submission's fields. */
  readonly place: number;
  readonly seenAt: number;
}

export interface ObservedField {
  readonly name: string;
  readonly kinds: number;
  readonly firstSeenAt: number;
  /** Accurate to the day: nothing is written for a field that was already seen on the same day. */
  readonly lastSeenAt: number;
}

const bitOf = (kind: StoredKind): number => 1 << storedKinds.indexOf(kind);
const text = bitOf('text');
const file = bitOf('file');

export const kindsIn = (kinds: number): readonly StoredKind[] =>
  storedKinds.filter((kind) => (kinds & bitOf(kind)) !== 0);

/** Whether only files were sent under this name: it is not in the data of any submission. */
export const isFileOnly = ({ kinds }: Pick<ObservedField, 'kinds'>): boolean => kinds === file;

/** Longer texts are not examined. */
const maxLookedAt = 300;
const url = /^https?:\/\/\S+$/i;
/** A leading zero belongs to a postcode or a phone number. */
const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
const date = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?)?$/;
const boolean = /^(?:on|true|false)$/;

function kindOfText(value: string): StoredKind {
  if (value.length > maxLookedAt) return 'text';
  if (url.test(value)) return 'url';
  // Of the other kinds, only addresses contain an @. Checking it first saves most values the longer pattern.
  if (value.includes('@')) return isMailbox(value) ? 'email' : 'text';
  if (boolean.test(value)) return 'boolean';
  if (number.test(value)) return 'number';
  return date.test(value) ? 'date' : 'text';
}

function kindOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return value === '' ? 0 : bitOf(kindOfText(value));
    case 'boolean':
      return bitOf('boolean');
    case 'number':
      return bitOf('number');
    default:
      return value === null ? 0 : bitOf('list');
  }
}

/** A file. Only the name of its field matters here. */
export interface NamedField {
  readonly fieldName: string;
}

/** Whether a submission shows nothing new. `known` returns the known kinds of a name. Runs for every submission. */
export function isAllKnown(
  values: SubmittedValues,
  files: readonly NamedField[],
  known: (name: string) => number | undefined,
): boolean {
  for (const name of Object.keys(values)) {
    const kinds = known(name);
    if (kinds === undefined) return false;
    const value = values[name];
    // Once a field has contained text, another string shows nothing new.
    if ((kinds & text) !== 0 && typeof value === 'string') continue;
    if ((kindOf(value) & ~kinds) !== 0) return false;
  }
  return files.every(({ fieldName }) => ((known(fieldName) ?? 0) & file) !== 0);
}

/** The fields of a submission with the kinds of their values, in their order. */
function fieldsIn(data: string, files: readonly NamedField[]): ReadonlyMap<string, number> {
  const fields = new Map<string, number>();
  const note = (name: string, kinds: number): void => {
    fields.set(name, (fields.get(name) ?? 0) | kinds);
  };
  for (const { name, value } of membersOf(data)) note(name, kindOf(JSON.parse(value)));
  for (const { fieldName } of files) note(fieldName, file);
  return fields;
}

/** A slice of a string keeps the whole string in memory. */
const ownCopy = (name: string): string => JSON.parse(JSON.stringify(name)) as string;

/** All fields of a submission, for callers that do not know what the store knows. */
export const allSeen = (
  { formId, data, createdAt }: { readonly formId: string; readonly data: string; readonly createdAt: number },
  files: readonly NamedField[],
): readonly SeenField[] =>
  Array.from(fieldsIn(data, files))
    .slice(0, maxObservedNames)
    .map(([name, kinds], place) => ({ formId, name: ownCopy(name), kinds, place, seenAt: createdAt }));

/** Suggests rules from submissions: the strictest rule that the values of a field meet. Pure. */
import type { FieldRule, FieldType } from '../../contract/field-rule.js';
import { isReserved } from '../../model/fields.js';
import type { FieldKind } from '../../model/observed-field.js';
import { valueJudge } from './judge-value.js';

/** Fewer submissions do not show that a field is always filled in. */
const leastForRequired = 10;
/** A few typos among e-mail addresses are what a rule is meant to catch. */
const leastTyped = 0.9;
const maxNameLength = 200;
/** A single value that always repeats says nothing about other choices. */
const leastChoices = 2;
/** Longer text was hardly typed into a single-line input. */
const lineLength = 150;

const typed = ['email', 'url', 'integer', 'date', 'time'] as const;
const judges = typed.map((type) => ({ type, judge: valueJudge({ name: type, type }) }));
const phone = /^(?:.*[ _.-])?(?:tel|telefon|telephone|phone|mobile|fax)(?:[ _.-]?(?:number|nummer|no))?$/i;
const prose = /message|comment|question|note/i;

const isLong = (value: unknown): boolean =>
  typeof value === 'string' && (value.length > lineLength || value.includes('\n'));

/** The types whose rule a value meets, among those that do not follow from the kinds. */
export const typesMetBy = (value: unknown): readonly FieldType[] => [
  ...judges.filter(({ judge }) => judge(value) === null).map(({ type }) => type),
  ...(isLong(value) ? (['textarea'] as const) : []),
];

export interface FieldSample {
  readonly name: string;
  readonly kinds: readonly FieldKind[];
  /** How many submissions of the sample have a value. */
  readonly count: number;
  readonly sampleSize: number;
  /** How many of the values meet each type. */
  readonly met: ReadonlyMap<FieldType, number>;
  /** All values, including those inside lists, if they repeat like choices. */
  readonly choices: readonly string[];
  readonly hasSeveralFiles: boolean;
}

type Kinded = Pick<FieldRule, 'type'> & Partial<FieldRule>;

function typeOfTexts({ name, kinds, count, met }: FieldSample): FieldType {
  const share = (type: FieldType): number => (count === 0 ? 0 : (met.get(type) ?? 0) / count);
  const isOnly = (kind: FieldKind): boolean => kinds.every((other) => other === kind);
  if (count > 0 && phone.test(name)) return 'tel';
  if (share('email') >= leastTyped) return 'email';
  if (share('url') >= leastTyped) return 'url';
  if (isOnly('boolean') && kinds.length > 0) return 'boolean';
  // Text among numbers means postcodes or customer numbers, which a number input would corrupt.
  if (isOnly('number') && count > 0) return share('integer') === 1 ? 'integer' : 'number';
  if (share('date') === 1) return 'date';
  if (share('time') === 1) return 'time';
  return share('textarea') > 0 || prose.test(name) ? 'textarea' : 'text';
}

function settingsOf(field: FieldSample): Kinded | null {
  const { name, kinds, choices } = field;
  if (kinds.includes('file')) {
    if (kinds.length > 1) return null;
    return { type: 'file', ...(field.hasSeveralFiles && { multiple: true }) };
  }
  const isList = kinds.includes('list');
  if (choices.length >= leastChoices && !phone.test(name))
    return { type: 'choice', choices: [...choices], ...(isList && { multiple: true }) };
  return isList ? null : { type: typeOfTexts(field) };
}

/** `first_name` and `firstName` become `First name`. */
export function readableName(name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) return name;
  const spaced = name.replaceAll(
    /([a-z0-9])([A-Z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  );
  const text = spaced.replaceAll(/[_-]+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns null when no rule fits: the field had both texts and files, or arbitrary lists, or its name is not allowed. */
export function suggestRule(field: FieldSample): FieldRule | null {
  const { name, count, sampleSize } = field;
  const settings = settingsOf(field);
  if (settings === null || !/\S/.test(name) || name.length > maxNameLength || isReserved(name)) return null;
  const label = readableName(name);
  return {
    name,
    ...settings,
    ...(label !== '' && label !== name && { label }),
    // A box that must be ticked is not the same as a value that is always sent.
    ...(settings.type !== 'boolean' &&
      sampleSize >= leastForRequired &&
      count === sampleSize && { required: true }),
  };
}

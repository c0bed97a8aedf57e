/** Rules from what arrived: the strictest one that the values of a field meet. Pure. */
import type { FieldRule, FieldType } from '../../contract/field-rule.js';
import { isReserved } from '../../model/fields.js';
import type { FieldKind } from '../../model/observed-field.js';
import { valueJudge } from './judge-value.js';

/** Fewer submissions do not show that a field is always filled in. */
const leastForRequired = 10;
/** A few typing errors among e-mail addresses are what a rule is there for. */
const leastTyped = 0.9;
const maxNameLength = 200;
/** One value that always comes says nothing about the others. */
const leastChoices = 2;
/** A longer text was hardly written in a single line. */
const lineLength = 150;

const typed = ['email', 'url', 'integer', 'date', 'time'] as const;
const judges = typed.map((type) => ({ type, judge: valueJudge({ name: type, type }) }));
const phone = /^(?:.*[ _.-])?(?:tel|telefon|telephone|phone|mobile|fax)(?:[ _.-]?(?:number|nummer|no))?$/i;
const prose = /message|comment|question|note/i;

const isLong = (value: unknown): boolean =>
  typeof value === 'string' && (value.length > lineLength || value.includes('\n'));

/** The types whose rule a value meets, of those that kinds alone do not tell. */
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
  /** How many of the values meet a type. */
  readonly met: ReadonlyMap<FieldType, number>;
  /** All values, also those inside lists, if they repeat like choices. */
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
  // Text among numbers is a postcode or a customer number, which an input for numbers would spoil.
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

/** `first_name` and `firstName` are `First name`. */
export function readableName(name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) return name;
  const spaced = name.replaceAll(
    /([a-z0-9])([A-Z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  );
  const text = spaced.replaceAll(/[_-]+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** null: no rule fits, because there were texts and files, or lists of anything, or because of its name. */
export function suggestRule(field: FieldSample): FieldRule | null {
  const { name, count, sampleSize } = field;
  const settings = settingsOf(field);
  if (settings === null || !/\S/.test(name) || name.length > maxNameLength || isReserved(name)) return null;
  const label = readableName(name);
  return {
    name,
    ...settings,
    ...(label !== '' && label !== name && { label }),
    // A box that must be ticked is another thing than a value that is always sent.
    ...(settings.type !== 'boolean' &&
      sampleSize >= leastForRequired &&
      count === sampleSize && { required: true }),
  };
}

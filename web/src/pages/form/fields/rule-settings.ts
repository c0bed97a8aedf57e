/** The settings of each rule type, and operations on rules. Pure. */
import type { FieldRule, FieldType } from '../../../wire.js';

export const maxRules = 200;

type Setting = Exclude<keyof FieldRule, 'name' | 'type' | 'label' | 'required' | 'help'>;

const text: readonly Setting[] = ['min_length', 'max_length', 'placeholder'];
const number: readonly Setting[] = ['min', 'max', 'placeholder'];

export const settingsOf: Readonly<Record<FieldType, readonly Setting[]>> = {
  text,
  textarea: text,
  email: ['multiple', ...text],
  url: text,
  tel: text,
  number,
  integer: number,
  date: [],
  time: [],
  boolean: [],
  choice: ['choices', 'multiple'],
  file: ['accept', 'multiple', 'max_files', 'max_bytes'],
  hidden: ['min_length', 'max_length'],
};

const always: readonly (keyof FieldRule)[] = ['name', 'type', 'label', 'required', 'help'];

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0);

export type RuleChange = { readonly [Name in keyof FieldRule]?: FieldRule[Name] | undefined };

/** Drops empty settings: the API does not accept them. */
export function changedRule(rule: FieldRule, change: RuleChange): FieldRule {
  const next = { ...rule, ...change } as FieldRule;
  const kept: readonly string[] = [...always, ...settingsOf[next.type]];
  const hasSeveralFiles = next.multiple === true;
  const entries = Object.entries(next).filter(
    ([name, value]) =>
      name === 'name' || (kept.includes(name) && isSet(value) && (name !== 'max_files' || hasSeveralFiles)),
  );
  return Object.fromEntries(entries) as FieldRule;
}

/** Moves an entry to another index. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, place) => place !== from);
  const item = items[from];
  return item === undefined ? rest : [...rest.slice(0, to), item, ...rest.slice(to)];
}

/** The label, else the name. */
export const titleOf = ({ name, label }: Pick<FieldRule, 'name' | 'label'>): string => label ?? name;

/** The suggested rules for fields without one, up to the limit. */
export function missingRules(
  fields: readonly { readonly suggested?: FieldRule }[],
  rules: readonly FieldRule[],
): readonly FieldRule[] {
  const names = new Set(rules.map(({ name }) => name));
  const missing = fields.flatMap(({ suggested }) => suggested ?? []).filter(({ name }) => !names.has(name));
  return missing.slice(0, Math.max(0, maxRules - rules.length));
}

/** The first error at or below a path, such as `fields.2.choices` for `fields.2.choices.0`. */
export const faultAt = (errors: Readonly<Record<string, unknown>>, path: string): string | undefined => {
  const found = Object.keys(errors).find((key) => key === path || key.startsWith(`${path}.`));
  return found === undefined ? undefined : String(errors[found]);
};

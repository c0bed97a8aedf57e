/** The fields that a snippet has: those of the rules, else what arrived, else a contact form. Each as a rule. */
import type { FieldRule, FieldType } from '../../../contract/field-rule.js';
import type { FieldKind } from '../../../model/observed-field.js';

/** What submissions had. */
export interface SeenField {
  readonly name: string;
  readonly kinds: readonly FieldKind[];
  /** Of the submissions that have a value for it; 0 to 1. */
  readonly share: number;
  readonly values: readonly { readonly value: string }[];
}

/** Bots send names of their own: what is rarer than this is no input of the form. */
const leastShare = 0.05;
const mostSeen = 50;

/** `first_name` becomes `First name`. */
function readable(name: string): string {
  const words = name.replaceAll(/[_\-\s]+/g, ' ').trim() || name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const labelOf = ({ label, name }: FieldRule): string => (label ?? readable(name)).trim();

const ownType: Readonly<Partial<Record<FieldKind, FieldType>>> = {
  email: 'email',
  url: 'url',
  number: 'number',
  date: 'date',
  boolean: 'boolean',
  file: 'file',
};

function typeOf({ name, kinds, values }: SeenField): FieldType {
  const [kind, ...others] = kinds;
  if (values.length > 0 && !kinds.includes('list')) return 'choice';
  const own = others.length === 0 && kind !== undefined ? ownType[kind] : undefined;
  return own ?? (/message|comment|question|note|text/i.test(name) ? 'textarea' : 'text');
}

function ruleFor(seen: SeenField): FieldRule {
  const type = typeOf(seen);
  return {
    ...{ name: seen.name, type },
    // Whoever does not tick a box sends nothing.
    ...(seen.share === 1 && type !== 'boolean' && { required: true }),
    ...(type === 'choice' && { choices: seen.values.map(({ value }) => value) }),
  };
}

const contact: readonly FieldRule[] = [
  { name: 'name', type: 'text', required: true },
  { name: 'email', type: 'email', label: 'E-mail', required: true },
  { name: 'message', type: 'textarea', required: true },
  { name: 'file', type: 'file' },
];

export function fieldsFor(
  rules: readonly FieldRule[],
  seen: readonly SeenField[],
  takesFiles: boolean,
): readonly FieldRule[] {
  const common = seen.filter(({ name, share }) => share >= leastShare && name.trim() !== '');
  const likely = rules.length > 0 ? rules : common.slice(0, mostSeen).map(ruleFor);
  const all = likely.length > 0 ? likely : contact;
  return takesFiles ? all : all.filter(({ type }) => type !== 'file');
}

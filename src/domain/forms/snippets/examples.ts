/** Example values that the rules of the fields accept, so that a program works as pasted. */
import type { FieldRule } from '../../../contract/field-rule.js';

export type Example = string | number | boolean | readonly string[];

/** Longer text is inconvenient to paste. */
const maxLength = 1_000;

const fitted = (text: string, { min_length: least = 0, max_length: most = maxLength }: FieldRule): string =>
  text.padEnd(Math.min(least, maxLength), '0').slice(0, Math.max(most, 1));

function exampleNumber({ type, min = -Infinity, max = Infinity }: FieldRule): number {
  const number = Math.min(Math.max(42, min), max);
  if (type === 'number') return number;
  return number > 42 ? Math.ceil(number) : Math.floor(number);
}

function exampleOf(rule: FieldRule): Example {
  switch (rule.type) {
    case 'text':
    case 'textarea':
    case 'hidden':
      return fitted(rule.name === 'name' ? 'Ada Lovelace' : 'Hello', rule);
    case 'email':
      return 'ada@example.com';
    case 'url':
      return 'https://example.com';
    case 'tel':
      return fitted('+43 1 234567', rule);
    case 'number':
    case 'integer':
      return exampleNumber(rule);
    case 'date':
      return '2026-01-31';
    case 'time':
      return '12:00';
    case 'boolean':
      return true;
    case 'choice':
      return rule.multiple ? (rule.choices ?? []).slice(0, 2) : (rule.choices?.[0] ?? '');
    case 'file':
      return '';
  }
}

/** In the order of the form, without files: JSON has no place for them. */
export const examples = (fields: readonly FieldRule[]): readonly (readonly [string, Example])[] =>
  fields.filter(({ type }) => type !== 'file').map((rule) => [rule.name, exampleOf(rule)]);

/** A JavaScript object would reorder names such as "10" and "2", and lose `__proto__`. */
export const exampleJson = (fields: readonly FieldRule[]): string =>
  `{${examples(fields)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(', ')}}`;

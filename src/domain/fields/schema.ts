/** The rules of a form as a JSON Schema of its data. Pure. Both accept the same, except for bounds of numbers sent as text. */
import type { FieldRule } from '../../contract/field-rule.js';
import type { Form } from '../../model/form.js';
import { booleanTexts, maxEmailLength, maxUrlLength, patterns } from './patterns.js';

type Schema = Readonly<Record<string, unknown>>;

/** What counts as not filled in. JSON Schema applies each keyword to its own type only. */
const blank: Schema = { type: ['string', 'null', 'array'], pattern: '^\\s*$', maxItems: 0 };

const withLengths = ({ min_length: least, max_length: most }: FieldRule, limit = Infinity): Schema => {
  const longest = Math.min(most ?? Infinity, limit);
  return {
    ...(least !== undefined && { minLength: least }),
    ...(longest !== Infinity && { maxLength: longest }),
  };
};

const withBounds = ({ min, max }: FieldRule): Schema => ({
  ...(min !== undefined && { minimum: min }),
  ...(max !== undefined && { maximum: max }),
});

function singleOf(rule: FieldRule): Schema {
  switch (rule.type) {
    case 'text':
    case 'textarea':
    case 'tel':
    case 'hidden':
      return { type: ['string', 'number', 'boolean'], pattern: '\\S', ...withLengths(rule) };
    case 'email':
      return {
        ...{ type: 'string', format: 'email', pattern: patterns.email },
        ...withLengths(rule, maxEmailLength),
      };
    case 'url':
      return {
        ...{ type: 'string', format: 'uri', pattern: patterns.url },
        ...withLengths(rule, maxUrlLength),
      };
    case 'number':
      return { type: ['number', 'string'], pattern: patterns.number, ...withBounds(rule) };
    case 'integer':
      return { type: ['integer', 'string'], pattern: patterns.integer, ...withBounds(rule) };
    case 'date':
      return { type: 'string', format: 'date', pattern: patterns.date };
    case 'time':
      return { type: 'string', pattern: patterns.time };
    case 'boolean':
      return { enum: [true, false, ...booleanTexts] };
    case 'choice':
      return { enum: rule.choices };
    case 'file':
      return blank;
  }
}

function propertyOf(rule: FieldRule): Schema {
  const single = singleOf(rule);
  const { label, help } = rule;
  const words = {
    ...(label !== undefined && { title: label }),
    ...(help !== undefined && { description: help }),
  };
  if (rule.type === 'file')
    return {
      ...words,
      $comment: 'Files are not part of the data; a webhook lists them in `files`.',
      ...single,
    };
  const several = rule.multiple ? [{ type: 'array', items: single, minItems: 1 }] : [];
  const accepted = [single, ...several, ...(rule.required ? [] : [blank])];
  return accepted.length === 1 ? { ...words, ...single } : { ...words, anyOf: accepted };
}

export function schemaOf({
  name,
  fields,
  unknownFields,
}: Pick<Form, 'name' | 'fields' | 'unknownFields'>): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: name,
    type: 'object',
    // Not by assignment: a field may be called `__proto__`.
    properties: Object.fromEntries(fields.map((rule) => [rule.name, propertyOf(rule)])),
    required: fields.filter(({ required, type }) => required && type !== 'file').map((rule) => rule.name),
    ...(fields.length > 0 && unknownFields === 'reject' && { additionalProperties: false }),
  };
}

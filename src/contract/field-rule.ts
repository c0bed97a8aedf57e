import { type Static, Type } from 'typebox';
import { shape } from './shapes.js';

export const fieldTypes = [
  'text',
  'textarea',
  'email',
  'url',
  'tel',
  'number',
  'integer',
  'date',
  'time',
  'boolean',
  'choice',
  'file',
  'hidden',
] as const;
export type FieldType = (typeof fieldTypes)[number];

const { Optional } = Type;
const flag = (description: string) => Optional(Type.Boolean({ description }));
const bound = (description: string) => Optional(Type.Number({ description }));
const length = (description: string) =>
  Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description }));
const shown = (maxLength: number, description: string) =>
  Optional(Type.String({ maxLength, pattern: '\\S', description }));

export const FieldRule = shape('FieldRule', {
  name: Type.String({ minLength: 1, maxLength: 200, description: 'The name of the input.' }),
  type: Type.Unsafe<FieldType>({ type: 'string', enum: [...fieldTypes] }),
  label: shown(200, 'What visitors call it; without one, its name.'),
  required: flag('It must have a value. Blanks are none.'),
  min: bound('number, integer: the lowest value.'),
  max: bound('number, integer: the highest value.'),
  min_length: length('Texts: characters at least.'),
  max_length: length('Texts: characters at most. A line break counts as one.'),
  choices: Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }), {
      minItems: 1,
      maxItems: 500,
      uniqueItems: true,
      description: 'choice: the values that are accepted.',
    }),
  ),
  multiple: flag('choice, email, file: several values are accepted.'),
  accept: Optional(
    Type.Array(
      Type.String({
        maxLength: 100,
        pattern: '^(?:\\.[A-Za-z0-9]+|[a-z]+/(?:\\*|[a-z0-9.+-]+))$',
      }),
      { minItems: 1, maxItems: 50, description: 'file: endings such as `.pdf` and types such as `image/*`.' },
    ),
  ),
  max_files: Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, description: 'file with `multiple`: files at most.' }),
  ),
  max_bytes: Optional(
    Type.Integer({ minimum: 1, maximum: 1e12, description: 'file: the size of each at most.' }),
  ),
  placeholder: shown(200, 'Shown in an empty input.'),
  help: shown(500, 'Shown beside the input.'),
});
export type FieldRule = Static<typeof FieldRule>;

export const unknownFieldsModes = ['keep', 'drop', 'reject'] as const;
/** What happens to fields without a rule. */
export type UnknownFields = (typeof unknownFieldsModes)[number];

import { type Static, Type } from 'typebox';
import { exactly, named, nullableText } from './shapes.js';

/** A single line: the value becomes a header. */
const line = '^[^\\u0000-\\u001f\\u007f]*\\S[^\\u0000-\\u001f\\u007f]*$';

const Body = exactly({
  enabled: Type.Optional(Type.Boolean({ default: true })),
  field: Type.String({
    minLength: 1,
    maxLength: 256,
    description: "Holds the visitor's address: one address and nothing else, or there is no reply.",
  }),
  subject: Type.String({ maxLength: 500, pattern: line, description: 'A template of one line.' }),
  text: Type.String({ maxLength: 16_384, pattern: '\\S', description: 'A template of the plain text.' }),
  html: Type.Optional(
    nullableText({
      maxLength: 16_384,
      pattern: '\\S',
      description: 'A template of the HTML; null: made from the text.',
    }),
  ),
  from_name: Type.Optional(
    nullableText({ maxLength: 100, pattern: line, description: 'null: the name in MAIL_FROM.' }),
  ),
  reply_to: Type.Optional(
    nullableText({ format: 'email', maxLength: 254, description: 'An address of yours; null: none.' }),
  ),
  language: Type.Optional(
    Type.Unsafe<'en' | 'de' | 'fr' | 'es' | 'zh'>({
      type: 'string',
      enum: ['en', 'de', 'fr', 'es', 'zh'],
      default: 'en',
      description: 'Of the footer.',
    }),
  ),
  per_address_per_day: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      default: 3,
      description: 'Replies of all forms to one address in a UTC day.',
    }),
  ),
  per_day: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 1_000,
      description: 'Replies of this form in a UTC day.',
    }),
  ),
});
export type AutoresponderBody = Static<typeof Body>;

/** The automatic reply of a form to its visitors. Reads return all fields. */
export const autoresponder = named(
  'Autoresponder',
  Type.Unsafe<AutoresponderBody | null>({
    ...Body,
    type: ['object', 'null'],
    description: 'What visitors are replied automatically; null: nothing.',
  }),
);
export type Autoresponder = Readonly<Required<AutoresponderBody>>;

import { type Static, Type } from 'typebox';
import { named, nullableText } from './shapes.js';

const template = (maxLength: number, description: string) =>
  Type.Optional(nullableText({ maxLength, pattern: '\\S', description }));

const DoubleOptInBody = Type.Object(
  {
    field: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The field with the e-mail address that gets the mail. Submissions need a valid one.',
    }),
    subject: template(200, "Template; null: one in the visitor's language."),
    text: template(10_000, "Template with `{{confirm_url}}`; null: one in the visitor's language."),
    html: template(16_000, 'The same as HTML; null: made from `text`.'),
    from_name: template(100, 'Name of the sender; null: the name of the project.'),
    reply_to: Type.Optional(nullableText({ format: 'email', maxLength: 254 })),
    expires_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        default: 7,
        description: 'How long the link works. After that the submission is deleted.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** As stored, and as returned by the API. */
export type DoubleOptIn = Required<Static<typeof DoubleOptInBody>>;

/** Defaults of the settings that a form may omit. */
export const usualDoubleOptIn: Omit<DoubleOptIn, 'field'> = {
  subject: null,
  text: null,
  html: null,
  from_name: null,
  reply_to: null,
  expires_days: 7,
};

export const doubleOptIn = named(
  'DoubleOptIn',
  Type.Unsafe<Static<typeof DoubleOptInBody> | null>({
    ...DoubleOptInBody,
    type: ['object', 'null'],
    description:
      'Submissions wait in the folder `unconfirmed` until their visitor confirms the address by a link in a mail; null: they need no confirmation.',
  }),
);

/** The confirmation of one submission. */
export const Confirmation = Type.Object(
  {
    state: Type.Unsafe<'unconfirmed' | 'confirmed'>({ type: 'string', enum: ['unconfirmed', 'confirmed'] }),
    address: Type.String(),
    sent_at: nullableText({ format: 'date-time', description: 'When the mail server accepted the mail.' }),
    confirmed_at: nullableText({ format: 'date-time' }),
    ip: nullableText({ description: 'Of who confirmed it.' }),
    user_agent: nullableText({}),
    expires_at: Type.String({ format: 'date-time' }),
  },
  {
    additionalProperties: false,
    description: 'Its double opt-in. Only where you get a single submission; missing if it needed none.',
  },
);
export type Confirmation = Static<typeof Confirmation>;

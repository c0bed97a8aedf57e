import { type Static, type TSchema, Type } from 'typebox';
import { autoresponder } from './autoresponder.js';
import { EmailConfig } from './destination.js';
import { doubleOptIn } from './double-opt-in.js';
import { id, nullableText, shape } from './shapes.js';

export const mailKinds = ['notification', 'digest', 'reply', 'confirmation'] as const;
export type MailKind = (typeof mailKinds)[number];

/** The settings of each kind, wherever they are saved. */
export const mailConfigs: Readonly<Record<MailKind, TSchema>> = {
  notification: EmailConfig,
  digest: EmailConfig,
  reply: autoresponder,
  confirmation: doubleOptIn,
};

const configFields = Object.values(mailConfigs).flatMap((schema) =>
  'properties' in schema ? Object.keys(Object(schema.properties)) : [],
);

export const MailDraft = shape('MailDraft', {
  kind: Type.Unsafe<MailKind>({ type: 'string', enum: [...mailKinds] }),
  config: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    properties: Object.fromEntries(configFields.map((field) => [field, {}])),
    additionalProperties: false,
    description:
      'notification, digest: as `config` of an e-mail destination. reply: as `autoresponder` of the form. ' +
      'confirmation: as its `double_opt_in`.',
  }),
  submission_id: Type.Optional(
    nullableText({
      format: 'uuid',
      maxLength: 36,
      description: 'What it is about; null: the newest, or a sample.',
    }),
  ),
});
export type MailDraft = Static<typeof MailDraft>;

const addresses = Type.Array(Type.String());

export const MailPreview = shape('MailPreview', {
  subject: Type.String(),
  from: nullableText({ description: 'null: the operator has set no mail server.' }),
  to: addresses,
  cc: addresses,
  reply_to: nullableText({}),
  text: Type.String(),
  html: Type.String(),
  submission_id: Type.Unsafe<string | null>({
    ...id('What it is about; null: a sample.'),
    type: ['string', 'null'],
  }),
});
export type MailPreview = Static<typeof MailPreview>;

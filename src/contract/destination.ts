import { type Static, type TSchema, Type } from 'typebox';
import {
  emailList,
  exactly,
  id,
  instant,
  listOf,
  name,
  named,
  nullableInstant,
  nullableInteger,
  nullableText,
  shape,
} from './shapes.js';

export const kindNames = [
  'webhook',
  'email',
  'slack',
  'discord',
  'teams',
  'telegram',
  'google_sheets',
] as const;
export type KindName = (typeof kindNames)[number];

const kind = Type.Unsafe<KindName>({ type: 'string', enum: [...kindNames] });
const url = (description: string) => Type.String({ format: 'http-url', maxLength: 2048, description });

/** The config of each kind of destination. Secrets are write-only. */
export const WebhookConfig = shape('WebhookConfig', {
  url: url('Where submissions are sent.'),
  method: Type.Unsafe<'POST' | 'PUT'>({ type: 'string', enum: ['POST', 'PUT'], default: 'POST' }),
  headers: Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
    maxProperties: 20,
    description: 'Sent with every request. Values of names that suggest a credential are read back as null.',
  }),
  secret: nullableText({
    pattern: '^whsec_[A-Za-z0-9+/]{32,128}={0,2}$',
    description: 'Signs the requests; null: the secret of the project does. Write only.',
  }),
  content_type: Type.Unsafe<'application/json' | 'application/x-www-form-urlencoded'>({
    type: 'string',
    enum: ['application/json', 'application/x-www-form-urlencoded'],
    default: 'application/json',
  }),
  person_erased: Type.Optional(
    Type.Boolean({ description: 'It also gets the event `person.erased`, with the ids of what was erased.' }),
  ),
});
export type WebhookConfig = Static<typeof WebhookConfig>;

export const ChatConfig = shape('ChatConfig', {
  url: url('The webhook URL that the service gave you. It holds a secret, and is read back shortened.'),
});
export type ChatConfig = Static<typeof ChatConfig>;

export const TelegramConfig = shape('TelegramConfig', {
  token: Type.String({
    pattern: '^[0-9]{3,20}:[A-Za-z0-9_-]{20,100}$',
    description: 'The token that BotFather gave you. Write only.',
  }),
  chat_id: Type.String({
    pattern: '^(-?[0-9]{1,20}|@[A-Za-z0-9_]{5,32})$',
    description: 'The chat, group or channel.',
  }),
});
export type TelegramConfig = Static<typeof TelegramConfig>;

export const GoogleSheetsConfig = shape('GoogleSheetsConfig', {
  credentials: Type.String({
    minLength: 2,
    maxLength: 8192,
    description: 'The key file of a service account: its JSON text. Write only.',
  }),
  spreadsheet_id: Type.String({ pattern: '^[A-Za-z0-9_-]{10,100}$' }),
  sheet: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description: 'The name of the sheet.',
  }),
});
export type GoogleSheetsConfig = Static<typeof GoogleSheetsConfig>;

const template = (description: string, more: object = {}) =>
  Type.Optional(nullableText({ maxLength: 16_384, description, ...more }));

/** The languages of texts for visitors and in mails. */
const language = Type.Unsafe<'en' | 'de' | 'fr' | 'es' | 'zh'>({
  type: 'string',
  enum: ['en', 'de', 'fr', 'es', 'zh'],
});

const MailRoute = exactly({
  field: Type.String({ minLength: 1, maxLength: 256 }),
  map: Type.Record(Type.String(), emailList, { maxProperties: 50 }),
  otherwise: emailList,
});
export type MailRoute = Static<typeof MailRoute>;

const DigestSchedule = exactly({
  every: Type.Unsafe<'hour' | 'day' | 'week'>({ type: 'string', enum: ['hour', 'day', 'week'] }),
  hour: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 23,
      default: 8,
      description: 'Of the day, unless it is every hour.',
    }),
  ),
  weekday: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 7, default: 1, description: 'For every week. 1 is Monday.' }),
  ),
  time_zone: Type.String({
    format: 'time-zone',
    maxLength: 64,
    description: 'A name of the IANA time zone database, such as `Europe/Berlin`.',
  }),
});
export type DigestSchedule = Static<typeof DigestSchedule>;

export const EmailConfig = shape('EmailConfig', {
  to: emailList,
  cc: emailList,
  bcc: emailList,
  route: Type.Optional(
    Type.Unsafe<MailRoute | null>({
      ...MailRoute,
      type: ['object', 'null'],
      description: 'More recipients, by the value of a field: exact, without case.',
    }),
  ),
  subject: template('A template of one line; null: ours.', { pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
  text: template('A template of the plain text; null: ours.'),
  html: template('A template of the HTML, in which values are escaped; null: made from the text, or ours.'),
  reply_to: Type.Optional(
    Type.String({ maxLength: 254, description: '`visitor`, `none` or an e-mail address.' }),
  ),
  from_name: Type.Optional(nullableText({ maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })),
  language: Type.Optional(language),
  files: Type.Optional(
    Type.Unsafe<'links' | 'attached'>({ type: 'string', enum: ['links', 'attached'], default: 'links' }),
  ),
  max_attached_bytes: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 20_971_520, description: 'What does not fit is linked.' }),
  ),
  digest: Type.Optional(
    Type.Unsafe<DigestSchedule | null>({
      ...DigestSchedule,
      type: ['object', 'null'],
      description: 'One mail about all submissions of an hour, a day or a week; null: one for each.',
    }),
  ),
});
export type EmailConfig = Static<typeof EmailConfig>;

export const configOf: Readonly<Record<KindName, TSchema>> = {
  webhook: WebhookConfig,
  email: EmailConfig,
  slack: ChatConfig,
  discord: ChatConfig,
  teams: ChatConfig,
  telegram: TelegramConfig,
  google_sheets: GoogleSheetsConfig,
};

const configFields = [
  ...'url method headers secret content_type person_erased token chat_id credentials spreadsheet_id sheet'.split(
    ' ',
  ),
  ...Object.keys(EmailConfig.properties),
];

/** The fields of all kinds. Values are checked per kind, see `http/api/destinations.ts`. */
const config = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  properties: Object.fromEntries(configFields.map((field) => [field, {}])),
  additionalProperties: false,
  description:
    'webhook: url, method, headers, secret, content_type, person_erased. slack, discord, teams: url. telegram: token, chat_id. ' +
    'google_sheets: credentials, spreadsheet_id, sheet. email: see docs/guides/email.md.',
});

const RetryRule = exactly({
  delays: Type.Array(Type.Number({ minimum: 0, maximum: 604_800 }), {
    maxItems: 19,
    description: 'Seconds before the second attempt, the third and so on; together at most 7 days.',
  }),
});

const anyJson = (description: string) => Type.Unsafe<unknown>({ description });

const settings = {
  name,
  is_active: Type.Boolean(),
  config,
  filter: anyJson(
    'Only submissions whose webhook payload matches are sent; null: all. See docs/guides/destinations/index.md.',
  ),
  template: anyJson(
    'What is sent instead of the usual message; null: the usual one. See docs/guides/destinations/index.md.',
  ),
  retry: Type.Unsafe<Static<typeof RetryRule> | null>({
    ...RetryRule,
    type: ['object', 'null'],
    description: 'When failed attempts are repeated; null: as usual.',
  }),
};
const optional = Type.Partial(Type.Object(settings)).properties;

export const CreateDestination = shape('CreateDestination', { ...optional, kind, config });
export type CreateDestination = Static<typeof CreateDestination>;
export const PatchDestination = shape('PatchDestination', optional);
export type PatchDestination = Static<typeof PatchDestination>;

export const DestinationFull = shape('Destination', {
  id: id('The destination.'),
  project_id: id('Its project.'),
  form_id: nullableText({
    format: 'uuid',
    description: 'Its form; null: it gets the submissions of all forms of the project.',
  }),
  kind,
  name: Type.String(),
  is_active: Type.Boolean(),
  built_in: Type.Boolean({
    description: 'It stands for webhook_url or notify_emails, and is changed there.',
  }),
  config: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', description: 'Without secrets.' }),
  filter: anyJson('Which submissions are sent; null: all.'),
  template: anyJson('What is sent instead of the usual message; null: the usual one.'),
  retry: settings.retry,
  status: exactly({
    state: Type.Unsafe<'ok' | 'failing' | 'disabled'>({
      type: 'string',
      enum: ['ok', 'failing', 'disabled'],
    }),
    failing_since: nullableInstant('When it began to fail; null when the last attempt succeeded.'),
    last_success_at: nullableInstant('When something last arrived there.'),
    last_error: nullableText({ description: 'What went wrong last; null after a success.' }),
    waiting: Type.Integer({
      description: 'Deliveries that wait to be sent, without paused ones; at most 10,000 are counted.',
    }),
  }),
  created_at: instant('When it was created.'),
  updated_at: instant('When its settings last changed.'),
});
export type DestinationFull = Static<typeof DestinationFull>;
export const DestinationList = named('DestinationList', listOf(DestinationFull));

/** The request of a test and its response. Secrets are masked. */
export const DestinationTest = shape('DestinationTest', {
  delivered: Type.Boolean(),
  status: nullableInteger({ description: 'HTTP status of the response; null when there was none.' }),
  duration_ms: Type.Integer(),
  error: nullableText({ description: 'What went wrong; null for a success.' }),
  request: exactly({
    method: Type.String(),
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String(),
  }),
  response: nullableText({ description: 'The beginning of the response.' }),
});
export type DestinationTest = Static<typeof DestinationTest>;

export const PreviewRequest = shape('PreviewRequest', {
  kind,
  config: Type.Optional(config),
  filter: Type.Optional(settings.filter),
  template: Type.Optional(settings.template),
});
export type PreviewRequest = Static<typeof PreviewRequest>;

export const DestinationPreview = shape('DestinationPreview', {
  matched: Type.Integer({ description: 'How many of the last submissions it would get.' }),
  of: Type.Integer({ description: 'How many there were, at most 50.' }),
  body: nullableText({
    description: 'What the newest of these would become; null: there is none, or it is made when it is sent.',
  }),
});
export type DestinationPreview = Static<typeof DestinationPreview>;

export const BackfillRequest = shape('BackfillRequest', {
  since: Type.Optional(Type.String({ format: 'instant', description: 'Submissions from this time on.' })),
  until: Type.Optional(Type.String({ format: 'instant', description: 'Submissions before this time.' })),
  filter: Type.Optional(anyJson('In addition to the filter of the destination.')),
  per_minute: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 60_000, description: 'How many a minute; 600 unless given.' }),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only count.' })),
});
export type BackfillRequest = Static<typeof BackfillRequest>;

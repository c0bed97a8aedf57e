import { type Static, Type } from 'typebox';
import { autoresponder } from './autoresponder.js';
import { doubleOptIn } from './double-opt-in.js';
import { FieldRule, type UnknownFields, unknownFieldsModes } from './field-rule.js';
import { PageQuery } from './paging.js';
import {
  emailList,
  exactly,
  id,
  instant,
  Media,
  maybePageOf,
  name,
  named,
  nullableInteger,
  nullableMoment,
  nullableText,
  originList,
  shape,
  webhookUrl,
} from './shapes.js';

const mode = Type.Unsafe<'live' | 'sandbox'>({
  type: 'string',
  enum: ['live', 'sandbox'],
  description: 'sandbox: only the registered addresses may submit, also from localhost.',
});
const provider = Type.Unsafe<'altcha' | 'turnstile' | 'hcaptcha' | 'recaptcha'>({
  type: 'string',
  enum: ['altcha', 'turnstile', 'hcaptcha', 'recaptcha'],
});
const networks = (description: string) =>
  Type.Array(Type.String({ format: 'ip-or-cidr', maxLength: 60 }), { maxItems: 1000, description });

const settings = {
  name,
  webhook_url: webhookUrl,
  success_redirect: nullableText({
    format: 'http-url',
    maxLength: 2048,
    description: 'Page the browser is sent to after an HTML form submission.',
  }),
  is_active: Type.Boolean(),
  is_archived: Type.Boolean({
    description: 'Closed for visitors, and left out of lists unless `include_archived` is set.',
  }),
  validation_mode: mode,
  allowed_origins: originList,
  wait_for_webhook: Type.Boolean({
    description:
      'Redirect visitors only after the first delivery attempts, 10 s at most. JSON responses do not wait.',
  }),
  captcha_enabled: Type.Boolean(),
  captcha_provider: provider,
  captcha_site_key: nullableText({ minLength: 1, maxLength: 500 }),
  captcha_secret_key: nullableText({ minLength: 1, maxLength: 500, description: 'Write only.' }),
  sandbox_ips: networks('Addresses or CIDRs that may submit in sandbox mode.'),
  sandbox_api_key: nullableText({
    minLength: 16,
    maxLength: 200,
    pattern: '^[\\x21-\\x7e]+$',
    description: 'What a client sends as X-Service-Key.',
  }),
  blocked_ips: networks('Addresses or CIDRs that may not submit.'),
  notify_emails: emailList,
  allowed_cc_emails: Type.Array(Type.String({ format: 'email', maxLength: 254 }), {
    maxItems: 20,
    description: 'Addresses that a page can name in `_cc` to get a copy of the notification.',
  }),
  retention_days: nullableInteger({
    minimum: 1,
    maximum: 36_500,
    description: 'Submissions older than this are deleted; null keeps them.',
  }),
  file_retention_days: nullableInteger({
    minimum: 1,
    maximum: 36_500,
    description:
      'Files of submissions older than this are deleted; null keeps them as long as the submission.',
  }),
  redact_fields: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    maxItems: 50,
    description:
      'Once everything is delivered, the values of these fields become "[redacted]", and their files are deleted.',
  }),
  store_ip: Type.Boolean({
    description: 'Whether submissions are stored with the IP address of the visitor.',
  }),
  store_user_agent: Type.Boolean({
    description: 'Whether submissions are stored with the browser of the visitor.',
  }),
  page_title: nullableText({
    maxLength: 100,
    pattern: '\\S',
    description: "Heading of the thank-you page; null: one in the visitor's language.",
  }),
  page_text: nullableText({
    maxLength: 500,
    pattern: '\\S',
    description: "Text of the thank-you page, plain; null: a sentence in the visitor's language.",
  }),
  page_logo_url: nullableText({
    format: 'image-url',
    maxLength: 500,
    description: "Image at the top of the pages that the form's visitors see; https only.",
  }),
  page_color: nullableText({
    maxLength: 7,
    pattern: '^#[0-9a-fA-F]{6}$',
    description:
      'Colour of these pages, such as `#0c6464`. Text on it is black or white, whichever can be read better.',
  }),
};

const fieldRules = Type.Array(FieldRule, {
  maxItems: 200,
  description:
    'What the fields must hold, in this order; empty: everything is accepted. 64 KiB as JSON at most.',
});
const unknownFields = Type.Unsafe<UnknownFields>({
  type: 'string',
  enum: [...unknownFieldsModes],
  description: 'What happens to fields that `fields` does not name. Without rules it has no effect.',
});

const closing = {
  opens_at: nullableMoment('Until then the form is closed; null: it is open from the start.'),
  closes_at: nullableMoment('From then on the form is closed; null: it stays open.'),
  max_submissions: nullableInteger({
    minimum: 1,
    maximum: 1_000_000_000,
    description:
      'While the form has so many submissions, it is closed; null: any number. Spam and trash count until they are deleted.',
  }),
};

const hosted = {
  hosted_page: Type.Boolean({
    description: 'Whether `GET /f/{form_id}` is a page with the form, made from `fields`.',
  }),
  hosted_page_title: nullableText({
    maxLength: 100,
    pattern: '\\S',
    description: 'Its heading; null: the name of the form.',
  }),
  hosted_page_text: nullableText({
    maxLength: 1_000,
    pattern: '\\S',
    description: 'What stands above its fields, plain.',
  }),
  hosted_page_indexed: Type.Boolean({ description: 'Whether search engines may list it.' }),
};

const optional = {
  ...Type.Partial(
    Type.Object({
      ...settings,
      ...closing,
      ...hosted,
      fields: fieldRules,
      unknown_fields: unknownFields,
    }),
  ).properties,
  // `Type.Optional` returns a copy, which has no name of its own.
  autoresponder: named('Autoresponder', Type.Optional(autoresponder)),
  double_opt_in: named('DoubleOptIn', Type.Optional(doubleOptIn)),
};
export const CreateForm = shape('CreateForm', { ...optional, name });
export type CreateForm = Static<typeof CreateForm>;
export const PatchForm = shape('PatchForm', optional);
export type FormBody = Static<typeof PatchForm>;

export const FormCreated = shape('FormCreated', {
  id: id('The form.'),
  public_id: Type.String({ description: 'Used in the submission path /f/{form_id}.' }),
  name: Type.String(),
  slug: Type.String(),
  endpoint: Type.String({ description: 'Where a website posts its form.' }),
  is_active: Type.Boolean(),
  created_at: instant('When it was created.'),
});
export type FormCreated = Static<typeof FormCreated>;

const itemFields = {
  id: id('The form.'),
  public_id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  endpoint: Type.String(),
  webhook_url: nullableText({ description: 'Null when the form has none.' }),
  success_redirect: nullableText({ description: 'Null when the form has none.' }),
  is_active: Type.Boolean(),
  validation_mode: mode,
  submissions_count: Type.Integer(),
  created_at: instant('When it was created.'),
};

export const FormListQuery = exactly({
  ...PageQuery.properties,
  include_archived: Type.Optional(Type.Boolean({ default: false, description: 'Also archived forms.' })),
});

export const DuplicateForm = shape('DuplicateForm', { name: Type.Optional(name) });

export const MoveForm = shape('MoveForm', {
  project_id: Type.String({ maxLength: 64, description: 'Another project of the account.' }),
});

export const FormDuplicated = shape('FormDuplicated', {
  ...FormCreated.properties,
  captcha_turned_off: Type.Boolean({
    description: 'The CAPTCHA of the copy is off, because its secret key was not copied.',
  }),
  secrets_left_out: Type.Array(
    exactly({
      kind: Type.String({ description: 'The kind of the destination.' }),
      name: Type.String({ description: 'The name of the destination.' }),
      is_copied: Type.Boolean({
        description:
          'true: copied without its secrets and inactive. false: not copied, as it would not work without them.',
      }),
    }),
    { description: 'Destinations whose write-only secrets you have to enter again.' },
  ),
});
export type FormDuplicated = Static<typeof FormDuplicated>;

export const FormSources = shape('FormSources', {
  days: Type.Integer({ description: 'The submissions of so many days are looked at.' }),
  submissions: Type.Integer({ description: 'How many were looked at.' }),
  is_complete: Type.Boolean({
    description: 'false: there are more in these days. Only the newest 10,000 are looked at.',
  }),
  pages: Type.Array(exactly({ page: Type.String(), count: Type.Integer() }), {
    description: 'The pages that most were sent from, without query and fragment; ten at most.',
  }),
  referrers: Type.Array(exactly({ host: Type.String(), count: Type.Integer() }), {
    description: 'The sites that most were sent from; ten at most.',
  }),
});
export type FormSources = Static<typeof FormSources>;

export const FormFields = shape('FormFields', {
  data: Type.Array(
    exactly({
      name: Type.String(),
      kinds: Type.Array(Type.String(), {
        description:
          'What was seen: text, email, url, number, date, boolean, list, file; and choice if few values repeat. Empty: it never had a value.',
      }),
      count: Type.Integer({ description: 'How many of the submissions in `sample` have a value for it.' }),
      share: Type.Number({ description: 'The same as a share of `sample`, from 0 to 1.' }),
      values: Type.Array(exactly({ value: Type.String(), count: Type.Integer() }), {
        description: 'The most frequent values in `sample`, of a choice only; ten at most.',
      }),
      first_seen_at: instant('When it was first sent.'),
      last_seen_at: instant('When it was last sent; exact to the day.'),
      /** A rule that fits the received values. Missing if none does. */
      suggested: Type.Optional(FieldRule),
    }),
    { description: 'In the order in which they were first seen.' },
  ),
  sample: Type.Integer({ description: 'So many of the newest submissions were looked at; 1,000 at most.' }),
  is_truncated: Type.Boolean({
    description: 'true: the form has 1,000 names. Further names are not listed.',
  }),
  is_complete: Type.Boolean({
    description: 'false: the fields of submissions from before an upgrade are still being learned.',
  }),
});
export type FormFields = Static<typeof FormFields>;

export const CheckFields = shape('CheckFields', {
  fields: fieldRules,
  unknown_fields: Type.Optional(unknownFields),
});

export const FieldsChecked = shape('FieldsChecked', {
  checked: Type.Integer({
    description: 'How many submissions were checked: the newest without spam and trash, up to 1,000.',
  }),
  valid: Type.Integer({ description: 'How many of them break no rule.' }),
  violations: Type.Array(
    exactly({
      field: Type.String(),
      code: Type.String({ description: 'As in `invalid_fields`.' }),
      count: Type.Integer({ description: 'How many submissions have it.' }),
      submission_id: id('The newest of them.'),
    }),
    { description: 'The most frequent first; 200 at most.' },
  ),
});
export type FieldsChecked = Static<typeof FieldsChecked>;

export const FormSchema = named('FormSchema', Type.Object({}, { additionalProperties: true }));
export const FormTypes = new Media(['text/plain'], { type: 'string' }, 'export interface ContactData {}');

export const FormItem = shape('FormItem', {
  ...itemFields,
  is_archived: Type.Optional(Type.Boolean({ description: 'Only with `include_archived=true`.' })),
});
export type FormItem = Static<typeof FormItem>;
export const FormPage = named('FormPage', maybePageOf(FormItem));
export type FormPage = Static<typeof FormPage>;

const { captcha_secret_key: _writeOnly, ...readable } = settings;

export const FormFull = shape('FormFull', {
  ...itemFields,
  project_id: id('The project it belongs to.'),
  ...readable,
  sandbox_api_key: nullableText({ description: 'Null when there is none, and for a read-only API key.' }),
  fields: fieldRules,
  unknown_fields: unknownFields,
  ...closing,
  ...hosted,
  autoresponder,
  double_opt_in: doubleOptIn,
  updated_at: instant('When its settings last changed.'),
});
export type FormFull = Static<typeof FormFull>;

export const AliasBody = shape('AliasBody', {
  alias: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'An id, access key, form name or e-mail address from another form service. Blanks around it are dropped; an e-mail address is stored in lower case.',
  }),
});
export const AliasItem = shape('AliasItem', {
  alias: Type.String(),
  created_at: instant('When it was added.'),
});
export type AliasItem = Static<typeof AliasItem>;
export const AliasPage = named('AliasPage', maybePageOf(AliasItem));
export type AliasPage = Static<typeof AliasPage>;

export const FormSnippets = shape('FormSnippets', {
  endpoint: Type.String({ description: 'Where the form is sent to.' }),
  script_url: Type.String({
    description: 'The browser script that sends forms without leaving their page.',
  }),
  data: Type.Array(
    exactly({
      name: Type.String({
        description: 'html, fetch, react, next, vue, svelte, astro, php, python or curl.',
      }),
      title: Type.String(),
      language: Type.String(),
      code: Type.String(),
    }),
  ),
});
export type FormSnippets = Static<typeof FormSnippets>;

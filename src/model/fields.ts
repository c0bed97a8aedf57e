/**
 * The fields of one submission as the visitor sent them, in their order.
 *
 * `json` is the text of one JSON object and is stored, delivered and returned byte for byte: a JavaScript
 * object would reorder keys such as "10" and "2" and would round large numbers.
 * It never contains reserved fields; those with a value are in `reserved`.
 */
export interface SubmittedFields {
  readonly json: string;
  /** The parsed `json`, if it was available. null: see `valuesOf`. */
  readonly values: SubmittedValues | null;
  /** The reserved fields with a non-empty value (the first one of each, as text). */
  readonly reserved: ReadonlyMap<string, string>;
}

export type SubmittedValues = Readonly<Record<string, unknown>>;

/** For callers that need neither the order of the fields nor numbers as they were written. */
export const valuesOf = ({ json, values }: Pick<SubmittedFields, 'json' | 'values'>): SubmittedValues =>
  values ?? (JSON.parse(json) as SubmittedValues);

/** Fields that visitors do not see and bots fill in, by the names that form services use. */
export const honeypotFields = ['_gotcha', '_honeypot', '_honey', '_trap', 'botcheck', 'bot-field'] as const;

export const captchaTokenFields = [
  'challenge-response',
  '_challengeToken',
  'altcha',
  'cf-turnstile-response',
  'h-captcha-response',
  'g-recaptcha-response',
] as const;

/** What a control field is for. */
export type Control =
  | 'subject'
  | 'replyTo'
  | 'cc'
  | 'redirect'
  | 'errorRedirect'
  | 'appendsParameters'
  | 'language'
  | 'page';

/**
 * The names that form services use for each; the first one with a value counts. A name without an underscore may be meant as
 * data, so it counts only in requests that are recognised as those of such a service (http/submit/dialects).
 */
const controlNames: Readonly<Record<Control, readonly string[]>> = {
  subject: ['_subject', '_email.subject', 'subject'],
  replyTo: ['_replyto', '_reply_to', '_email.replyto', 'replyto', 'replyTo'],
  cc: ['_cc', 'ccemail'],
  redirect: ['_next', '_redirect', 'redirect', 'redirectTo'],
  errorRedirect: ['_error'],
  appendsParameters: ['_append'],
  language: ['_language', '_feedback.language'],
  page: ['_page'],
};

/** Names from other form services that have no effect here. */
const idleNames = [
  '_format',
  '_template',
  '_autoresponse',
  '_captcha',
  '_webhook',
  '_blacklist',
  '_bcc',
  '_url',
];

/**
 * Signs of another service: they name the form in pages for Web3Forms and Netlify (http/submit/dialects). They never contain data.
 */
export const formNameFields = { web3forms: 'access_key', netlify: 'form-name' } as const;

/** Tokens that Inlet does not check. */
const idleTokenFields = ['_csrf', '_botpoison'];

const secretFields: ReadonlySet<string> = new Set([
  ...honeypotFields,
  ...captchaTokenFields,
  ...idleTokenFields,
]);

/** Names that control the service and never become part of the data (interface 4.4, decisions 5). */
export const reservedFields: ReadonlySet<string> = new Set([
  ...secretFields,
  ...Object.values(controlNames)
    .flat()
    .filter((name) => name.startsWith('_')),
  ...idleNames,
  ...Object.values(formNameFields),
  '_email',
  '_feedback',
]);

const underscore = 0x5f;
/** Names of Formspark: `_email.from`, `_feedback.success.title`. In JSON they are members of `_email` and `_feedback`. */
const inGroup = /^_(?:email|feedback)\./;
export const isReservedGroup = (name: string): boolean => name === '_email' || name === '_feedback';

export const isReserved = (name: string): boolean =>
  reservedFields.has(name) || (name.charCodeAt(0) === underscore && inGroup.test(name));

/** Returns the value of a control field from the reserved fields of a request, or null. */
export function controlOf(reserved: ReadonlyMap<string, string>, control: Control): string | null {
  if (reserved.size === 0) return null;
  for (const name of controlNames[control]) {
    const value = reserved.get(name);
    if (value !== undefined) return value;
  }
  return null;
}

const maxShownLength = 1_000;
const maxShownFields = 50;

/** The page is already shown as the source of the submission, and every form of the browser script sends it. */
const unshownFields: ReadonlySet<string> = new Set([...secretFields, ...controlNames.page]);

/** Returns the control fields for the owner, as the text of a JSON object without honeypots and tokens. Null when there are none. */
export function controlText(reserved: ReadonlyMap<string, string>): string | null {
  if (reserved.size === 0) return null;
  const shown = [...reserved].filter(([name]) => !unshownFields.has(name)).slice(0, maxShownFields);
  const members = shown.map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${JSON.stringify(value.slice(0, maxShownLength).toWellFormed())}`,
  );
  return members.length === 0 ? null : `{${members.join(',')}}`;
}

/** Parses the result of `controlText`. */
export const controlsIn = (text: string | null): ReadonlyMap<string, string> =>
  new Map(text === null ? [] : Object.entries(JSON.parse(text) as Record<string, string>));

/**
 * The fields of one submission as the visitor sent them, in their order.
 *
 * `json` is the text of one JSON object and is what gets stored, delivered and answered, byte for byte:
 * a JavaScript object would reorder keys such as "10" and "2" and would round large numbers.
 * Reserved fields are never in it; those that carried a value are in `reserved`.
 */
export interface SubmittedFields {
  readonly json: string;
  /** `json` parsed, where it was at hand; null: see `valuesOf`. */
  readonly values: SubmittedValues | null;
  /** Values of the reserved fields that were sent with a non-empty value (the first one, as text). */
  readonly reserved: ReadonlyMap<string, string>;
}

export type SubmittedValues = Readonly<Record<string, unknown>>;

/** For those who need neither the order of the fields nor numbers as they were written. */
export const valuesOf = ({ json, values }: Pick<SubmittedFields, 'json' | 'values'>): SubmittedValues =>
  values ?? (JSON.parse(json) as SubmittedValues);

/** What people do not see and bots fill in, by the names that form services use for it. */
export const honeypotFields = ['_gotcha', '_honeypot', '_honey', '_trap', 'botcheck', 'bot-field'] as const;

export const captchaTokenFields = [
  'challenge-response',
  '_challengeToken',
  'altcha',
  'cf-turnstile-response',
  'h-captcha-response',
  'g-recaptcha-response',
] as const;

/** What a control field asks for. */
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
 * By the names that form services use for it; the first that has a value counts. A name without an underscore may well be meant
 * as data: it counts only in requests that are recognised as those of such a service (http/submit/dialects).
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

/** Of form services, and without an effect here. */
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
 * Signs of another service: the name of the form in Web3Forms' and Netlify's pages (http/submit/dialects). Nobody means data by them.
 */
export const formNameFields = { web3forms: 'access_key', netlify: 'form-name' } as const;

/** Tokens that Inlet does not check. */
const idleTokenFields = ['_csrf', '_botpoison'];

const secretFields: ReadonlySet<string> = new Set([
  ...honeypotFields,
  ...captchaTokenFields,
  ...idleTokenFields,
]);

/** Names that steer the service and never reach the data (interface 4.4, decisions 5). */
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
/** Formspark's: `_email.from`, `_feedback.success.title`. In JSON they are members of `_email` and `_feedback`. */
const inGroup = /^_(?:email|feedback)\./;
export const isReservedGroup = (name: string): boolean => name === '_email' || name === '_feedback';

export const isReserved = (name: string): boolean =>
  reservedFields.has(name) || (name.charCodeAt(0) === underscore && inGroup.test(name));

/** What a page asks for, of the reserved fields that it sent. */
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

/** The page is shown as where the submission came from; every form of the browser script names it. */
const unshownFields: ReadonlySet<string> = new Set([...secretFields, ...controlNames.page]);

/** All that a page asked for, for the owner: the text of a JSON object, without honeypots and tokens; null: nothing. */
export function controlText(reserved: ReadonlyMap<string, string>): string | null {
  if (reserved.size === 0) return null;
  const shown = [...reserved].filter(([name]) => !unshownFields.has(name)).slice(0, maxShownFields);
  const members = shown.map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${JSON.stringify(value.slice(0, maxShownLength).toWellFormed())}`,
  );
  return members.length === 0 ? null : `{${members.join(',')}}`;
}

/** What `controlText` wrote. */
export const controlsIn = (text: string | null): ReadonlyMap<string, string> =>
  new Map(text === null ? [] : Object.entries(JSON.parse(text) as Record<string, string>));

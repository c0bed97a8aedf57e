/**
 * The error catalogue: every error that a caller may see, with its stable code and the exact text of the interface.
 * An error has a *kind*; only `http/problem.ts` turns the kind into a status, and the error into a body.
 * Nothing in here may carry a cause, a path or SQL: all of it is public.
 */
import type { RejectionReason } from './rejections.js';

export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'payment_required'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'precondition_failed'
  | 'range_not_satisfiable'
  | 'unprocessable'
  | 'expectation_failed'
  | 'headers_too_large'
  | 'rate_limited'
  | 'internal'
  | 'unavailable'
  | 'storage_full';

interface CatalogueEntry {
  readonly kind: RefusalKind;
  /** `{limit}` stands for the field of that name in the body. */
  readonly text: string;
  /** What the reader of the documentation can do about it. */
  readonly remedy: string;
}

const entry = (kind: RefusalKind, text: string, remedy: string): CatalogueEntry => ({ kind, text, remedy });

/** A code is never renamed and never means something else: programs go by it. */
export const errorCatalogue = {
  // Management API
  invalid_body: entry(
    'invalid',
    'Invalid request body',
    'Correct the fields or parameters listed in `details`.',
  ),
  invalid_api_key: entry(
    'unauthenticated',
    'Invalid API key',
    'Send `Authorization: Bearer <API_KEY>` with a valid key.',
  ),
  invalid_ops_token: entry('unauthenticated', 'Invalid or missing token', 'Send OPS_TOKEN as bearer token.'),
  read_only_api_key: entry('forbidden', 'This API key is read-only', 'Use a key with the scope `full`.'),
  not_signed_in: entry('unauthenticated', 'Not signed in', 'Sign in to the dashboard.'),
  invalid_credentials: entry(
    'unauthenticated',
    'Invalid e-mail address or password',
    'Check both. `inlet users reset-password` sets a new password.',
  ),
  wrong_password: entry('forbidden', 'The current password is wrong', 'Enter your current password.'),
  too_many_attempts: entry(
    'rate_limited',
    'Too many attempts. Please try again later.',
    'Wait for `retry_after` seconds.',
  ),
  invalid_setup_link: entry(
    'forbidden',
    'This set-up link is not valid',
    'Use the link that the service printed at its last start.',
  ),
  cross_site_request: entry(
    'forbidden',
    'Cross-site request refused',
    'Use an API key, or send the request from a page of this service.',
  ),
  user_not_found: entry('not_found', 'User not found', 'Check the id.'),
  user_exists: entry(
    'conflict',
    'A user with this e-mail address already exists',
    'Choose another e-mail address.',
  ),
  own_user: entry('conflict', 'You cannot delete yourself', 'Ask another user to do it.'),
  last_user: entry('conflict', 'The last user of an account cannot be deleted', 'Add another user first.'),
  project_limit_reached: entry(
    'forbidden',
    'Project limit reached. Upgrade your plan.',
    'Delete a project or upgrade the plan.',
  ),
  project_not_found: entry('not_found', 'Project not found', 'Check the id and the account of your key.'),
  form_not_found: entry('not_found', 'Form not found', 'Check the id and the account of your key.'),
  alias_not_found: entry('not_found', 'The form has no such alias', 'List the aliases of the form.'),
  alias_taken: entry(
    'conflict',
    'This alias is already in use. Choose another one, or remove it from the form that has it.',
    'Choose another alias, or remove it from the form that has it.',
  ),
  too_many_aliases: entry(
    'conflict',
    'A form can have at most {limit} aliases',
    'Remove aliases that are no longer used.',
  ),
  submission_not_found: entry(
    'not_found',
    'Submission not found',
    'Check the id. Submissions can be deleted by people and by `retention_days`.',
  ),
  submission_set_aside: entry(
    'conflict',
    'The submission is in spam or trash',
    'Move it to the inbox or the archive first.',
  ),
  label_not_found: entry('not_found', 'Label not found', 'List the labels of the account.'),
  label_exists: entry('conflict', 'A label with this name already exists', 'Choose another name.'),
  too_many_labels: entry(
    'conflict',
    'An account can have at most {limit} labels',
    'Delete labels that are no longer used.',
  ),
  too_many_labels_on_submission: entry(
    'conflict',
    'A submission can have at most {limit} labels',
    'Remove a label first.',
  ),
  note_not_found: entry('not_found', 'Note not found', 'Check the id.'),
  not_the_author: entry(
    'forbidden',
    'Only the author can change this note',
    'Ask the author, or use an API key.',
  ),
  too_many_notes: entry(
    'conflict',
    'A submission can have at most {limit} notes',
    'Delete a note, or add to one.',
  ),
  view_not_found: entry('not_found', 'View not found', 'List the views of the account.'),
  too_many_views: entry(
    'conflict',
    'An account can have at most {limit} views',
    'Delete views that are no longer used.',
  ),
  quarantined_not_found: entry(
    'not_found',
    'There is nothing with this id in quarantine',
    'Check the id. Quarantined submissions are deleted after 30 days.',
  ),
  destination_not_found: entry('not_found', 'Destination not found', 'Check the id.'),
  too_many_destinations: entry(
    'conflict',
    'A form or project can have at most {limit} destinations',
    'Delete destinations that are no longer used.',
  ),
  built_in_destination: entry(
    'conflict',
    'This destination stands for webhook_url or notify_emails. Change it there.',
    'Change `webhook_url` or `notify_emails` of the form or project.',
  ),
  delivery_not_found: entry('not_found', 'Delivery not found', 'Check the id.'),
  replay_not_found: entry('not_found', 'Replay not found', 'Check the id.'),
  too_many_replays: entry(
    'conflict',
    '{limit} replays are running already',
    'Wait until one has finished, or cancel one.',
  ),
  replay_ended: entry('conflict', 'The replay has ended already', 'Nothing is left to cancel.'),
  delivery_in_flight: entry(
    'conflict',
    'The webhook is being sent at this moment',
    'Wait for the result, then retry.',
  ),
  no_webhook_url: entry(
    'conflict',
    'No webhook URL is configured',
    'Set `webhook_url` on the form or its project.',
  ),
  too_many_event_streams: entry(
    'rate_limited',
    'Too many event streams are open',
    'Close a stream, then connect again.',
  ),
  import_rejected: entry(
    'invalid',
    'The file cannot be imported',
    'Correct what `detail` names, then import the file again. What was imported before stays.',
  ),
  import_running: entry(
    'conflict',
    'Another import of this account is running',
    'Wait until it has finished, then import the file.',
  ),
  api_key_not_found: entry('not_found', 'API key not found', 'Check the id.'),
  path_not_found: entry('not_found', 'Not found', 'Check the path and the method.'),
  method_not_allowed: entry('method_not_allowed', 'Method not allowed', 'Use a method listed in `Allow`.'),
  rate_limited: entry(
    'rate_limited',
    'Rate limit exceeded',
    'Wait for `retry_after` seconds. API_RATE_LIMIT_PER_MINUTE sets the limit.',
  ),

  // Files and images
  file_access_denied: entry(
    'forbidden',
    'Access denied to this file',
    'Use a key of the account that owns the file, or a link that has not expired.',
  ),
  file_not_found: entry('not_found', 'File not found', 'Check the id.'),
  file_deleted: entry('gone', 'File has been deleted', 'The file cannot be restored.'),
  precondition_failed: entry(
    'precondition_failed',
    'The file is not the one you have',
    'Download the file again without `If-Match` and `If-Unmodified-Since`.',
  ),
  range_not_satisfiable: entry(
    'range_not_satisfiable',
    'The file has no such range',
    'Request a range within `file_size_bytes`.',
  ),
  not_an_image: entry(
    'invalid',
    'Invalid request body',
    'Only PNG, JPEG, WebP, GIF and AVIF images can be transformed. Download the original.',
  ),
  image_transformation_not_in_plan: entry(
    'payment_required',
    'Image transformation requires a Business or Enterprise plan',
    'Upgrade the plan at `upgrade_url`, or download the original.',
  ),
  image_too_large: entry(
    'unprocessable',
    'The image has too many pixels',
    'Download the original. `limit_pixels` is the limit.',
  ),
  image_broken: entry('unprocessable', 'The image is broken', 'Download the original.'),
  image_too_slow: entry('unprocessable', 'The image takes too long to transform', 'Download the original.'),
  imaging_failed: entry(
    'unavailable',
    'The image could not be transformed. Please try again later.',
    'Retry after the seconds in `Retry-After`.',
  ),

  // Submission endpoint. The interface has one text for everything that is invalid; the code and `detail` say what.
  invalid_content_type: entry(
    'invalid',
    'Invalid content type',
    'Send JSON, URL-encoded or multipart data with a matching Content-Type.',
  ),
  content_encoding_not_supported: entry(
    'invalid',
    'Invalid content type',
    'Send the body without Content-Encoding.',
  ),
  invalid_encoding: entry('invalid', 'Invalid content type', 'Send the data as UTF-8.'),
  invalid_json: entry('invalid', 'Invalid content type', 'Send one valid JSON object.'),
  invalid_multipart: entry(
    'invalid',
    'Invalid content type',
    'Let the browser or your HTTP library build the multipart body.',
  ),
  invalid_idempotency_key: entry(
    'invalid',
    'Invalid content type',
    'Send 1 to 255 printable ASCII characters without spaces.',
  ),
  file_uploads_not_in_plan: entry(
    'payment_required',
    'File uploads require a paid plan',
    'Upgrade the plan at `upgrade_url`, or send the form without files.',
  ),
  origin_not_allowed: entry(
    'forbidden',
    'Origin not allowed',
    'Add the host name of the page to `allowed_origins`.',
  ),
  origin_hidden: entry(
    'forbidden',
    'Origin not allowed',
    'Let the page name itself: remove `Referrer-Policy: no-referrer` (docs/allowed-origins.md).',
  ),
  localhost_not_allowed: entry(
    'forbidden',
    'Localhost not allowed in live mode. Use sandbox mode for local development.',
    'Set `validation_mode` to `sandbox` and add your address to `sandbox_ips`.',
  ),
  ip_not_registered: entry(
    'forbidden',
    'IP not registered for sandbox mode. Register your IP in form settings.',
    'Add `your_ip` to `sandbox_ips`, or set `validation_mode` to `live`.',
  ),
  form_inactive: entry(
    'forbidden',
    'Form is not active',
    'Set `is_active` to true on the form and its project.',
  ),
  ip_blocked: entry('forbidden', 'IP address is blocked', 'Remove the address from `blocked_ips`.'),
  invalid_service_key: entry(
    'forbidden',
    'Invalid service key',
    "Send the form's `sandbox_api_key` as X-Service-Key, or leave the header out.",
  ),
  captcha_failed: entry(
    'forbidden',
    'CAPTCHA verification failed',
    'Solve the challenge again and send its new token.',
  ),
  captcha_unavailable: entry(
    'unavailable',
    'CAPTCHA verification is not available. Please try again later.',
    'Retry after the seconds in `Retry-After`.',
  ),
  webhook_loop: entry(
    'forbidden',
    'This request is a webhook delivery from this service',
    'Change the webhook URL: it leads back to a form of this service.',
  ),
  no_challenge: entry(
    'not_found',
    'This form does not use ALTCHA challenges',
    'Set `captcha_enabled` and the provider `altcha` on the form.',
  ),
  too_many_submissions: entry(
    'rate_limited',
    'Rate limit exceeded. Please try again later.',
    'Wait for `retry_after` seconds, or raise `rate_limit_per_minute` of the project.',
  ),
  body_too_large: entry('too_large', 'The body is larger than {limit_bytes} bytes', 'Send less at once.'),
  text_too_large: entry(
    'too_large',
    'All text of the body is larger than {limit_bytes} bytes',
    'Shorten the text, or send it as a file.',
  ),
  file_too_large: entry(
    'too_large',
    'A file is larger than {limit_bytes} bytes',
    'Send a smaller file, or raise MAX_FILE_BYTES.',
  ),
  field_name_too_large: entry(
    'too_large',
    'A field name is larger than {limit_bytes} bytes',
    'Use shorter field names.',
  ),
  field_value_too_large: entry(
    'too_large',
    'A field value is larger than {limit_bytes} bytes',
    'Shorten the value, or send it as a file.',
  ),
  part_header_too_large: entry(
    'too_large',
    'The header of a part is larger than {limit_bytes} bytes',
    'Use shorter field and file names.',
  ),
  too_many_files: entry('too_large', 'More than {limit} files', 'Send fewer files, or raise MAX_FILES.'),
  too_many_fields: entry('too_large', 'More than {limit} fields', 'Send fewer fields.'),
  too_many_parts: entry('too_large', 'More than {limit} parts', 'Send fewer fields and files.'),
  too_many_part_headers: entry(
    'too_large',
    'More than {limit} headers in one part',
    'Let the browser or your HTTP library build the multipart body.',
  ),
  too_many_containers: entry('too_large', 'More than {limit} lists and objects', 'Send simpler JSON.'),
  too_many_levels: entry('too_large', 'More than {limit} levels of nesting', 'Send flatter JSON.'),
  idempotency_key_reused: entry(
    'conflict',
    'Idempotency-Key was already used with a different body',
    'Use a new key for each submission.',
  ),
  body_too_slow: entry(
    'request_timeout',
    'The request body came too slowly',
    'Send the request again over a faster connection.',
  ),
  upload_too_slow: entry(
    'request_timeout',
    'The upload is too slow while others are waiting. Please try again later.',
    'Send the request again over a faster connection.',
  ),
  form_not_named: entry(
    'invalid',
    'The request does not name a form',
    'Send the access key or the name of the form, and add it to the aliases of the form.',
  ),
  submission_empty: entry(
    'unprocessable',
    'The form is empty',
    'Fill in at least one field. Only pages that use a client of Formspree get this error.',
  ),
  invalid_email: entry(
    'unprocessable',
    'A field is not a valid e-mail address',
    'Correct the fields listed in `details`. Only pages that use a client of Formspree get this error.',
  ),
  too_many_chunks: entry('invalid', 'Invalid content type', 'Send the body in larger chunks.'),

  // The request itself
  malformed_request: entry(
    'invalid',
    'The request is not valid HTTP',
    'Use an HTTP library, and check the proxies on the way.',
  ),
  too_many_headers: entry(
    'headers_too_large',
    'The request has too many headers',
    'Send at most `limit` headers.',
  ),
  headers_too_large: entry(
    'headers_too_large',
    'The request headers are too large',
    'Send smaller headers; cookies are the usual cause.',
  ),
  request_timeout: entry(
    'request_timeout',
    'The request came too slowly',
    'Send the request again over a faster connection.',
  ),
  unknown_expectation: entry(
    'expectation_failed',
    'Unknown expectation',
    'Send no `Expect` header but `100-continue`.',
  ),

  // Capacity
  service_busy: entry(
    'unavailable',
    'The service is busy. Please try again later.',
    'Retry after the seconds in `Retry-After`. If it lasts, see `/readyz`.',
  ),
  storage_full: entry(
    'storage_full',
    'The service cannot store more data at the moment',
    'Free disk space, then retry.',
  ),
  internal_error: entry(
    'internal',
    'Internal server error',
    'Look for the `X-Request-Id` of the response in the log of the service.',
  ),
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** One fault in a request body or parameter: where it is and what is wrong with it. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

type Extra = Readonly<Record<string, unknown>>;

interface RefusalOptions {
  /** Further fields of the JSON body, beside `error` and `code`. */
  readonly extra?: Extra;
  readonly retryAfter?: number;
  /** For the form's owner, never for the visitor: why the submission endpoint rejected the request. */
  readonly reason?: RejectionReason;
  /** What was seen, where only the place that refused knows it. */
  readonly seen?: string | undefined;
}

const withValues = (text: string, extra: Extra): string =>
  text.includes('{') ? text.replace(/\{(\w+)\}/g, (_, name: string) => String(extra[name])) : text;

/**
 * An expected "no". It is an Error so that deep management code may throw it, and a plain value so that
 * the intake can return it without unwinding; it takes no stack, because refusing must stay cheap under attack.
 */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly kind: RefusalKind;
  readonly extra: Extra;
  readonly retryAfterSeconds: number | undefined;
  readonly reason: RejectionReason | undefined;
  readonly seen: string | undefined;

  constructor(code: ErrorCode, { extra = {}, retryAfter, reason, seen }: RefusalOptions = {}) {
    const { kind, text }: CatalogueEntry = errorCatalogue[code];
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(withValues(text, extra));
    Error.stackTraceLimit = limit;
    this.name = 'Refusal';
    this.code = code;
    this.kind = kind;
    this.extra = extra;
    this.retryAfterSeconds = retryAfter;
    this.reason = reason;
    this.seen = seen;
  }
}

const plain = (code: ErrorCode, options?: RefusalOptions) => (): Refusal => new Refusal(code, options);

/** Wait this long, says the body and the header. */
const wait = (code: ErrorCode, retryAfter: number, reason?: RejectionReason): Refusal =>
  new Refusal(code, { extra: { retry_after: retryAfter }, retryAfter, ...(reason && { reason }) });

type LimitedBytes = 'body' | 'text' | 'file' | 'field_name' | 'field_value' | 'part_header';
type LimitedCount = 'files' | 'fields' | 'parts' | 'part_headers' | 'containers' | 'levels';

type InvalidSubmission =
  | 'invalid_content_type'
  | 'content_encoding_not_supported'
  | 'invalid_encoding'
  | 'invalid_json'
  | 'invalid_multipart'
  | 'invalid_idempotency_key';

/** Factories, for what the sources refuse. */
export const refuse = {
  // management
  invalidBody: (details: readonly Fault[]) => new Refusal('invalid_body', { extra: { details } }),
  badRequest: (message: string) =>
    new Refusal('invalid_body', { extra: { details: [{ path: '', message }] } }),
  invalidApiKey: plain('invalid_api_key'),
  invalidOpsToken: plain('invalid_ops_token'),
  readOnlyKey: plain('read_only_api_key'),
  notSignedIn: plain('not_signed_in'),
  wrongCredentials: plain('invalid_credentials'),
  wrongPassword: plain('wrong_password'),
  tooManySignIns: (retryAfter: number) => wait('too_many_attempts', retryAfter),
  wrongSetupLink: plain('invalid_setup_link'),
  crossSite: plain('cross_site_request'),
  userNotFound: plain('user_not_found'),
  userExists: plain('user_exists'),
  ownUser: plain('own_user'),
  lastUser: plain('last_user'),
  projectLimit: plain('project_limit_reached'),
  projectNotFound: plain('project_not_found'),
  formNotFound: plain('form_not_found'),
  aliasNotFound: plain('alias_not_found'),
  aliasTaken: plain('alias_taken'),
  tooManyAliases: (limit: number) => new Refusal('too_many_aliases', { extra: { limit } }),
  submissionNotFound: plain('submission_not_found'),
  submissionSetAside: plain('submission_set_aside'),
  labelNotFound: plain('label_not_found'),
  labelExists: plain('label_exists'),
  tooManyLabels: (limit: number) => new Refusal('too_many_labels', { extra: { limit } }),
  tooManyLabelsOnSubmission: (limit: number) =>
    new Refusal('too_many_labels_on_submission', { extra: { limit } }),
  noteNotFound: plain('note_not_found'),
  notTheAuthor: plain('not_the_author'),
  tooManyNotes: (limit: number) => new Refusal('too_many_notes', { extra: { limit } }),
  viewNotFound: plain('view_not_found'),
  tooManyViews: (limit: number) => new Refusal('too_many_views', { extra: { limit } }),
  quarantinedNotFound: plain('quarantined_not_found'),
  destinationNotFound: plain('destination_not_found'),
  tooManyDestinations: (limit: number) => new Refusal('too_many_destinations', { extra: { limit } }),
  builtInDestination: plain('built_in_destination'),
  deliveryNotFound: plain('delivery_not_found'),
  replayNotFound: plain('replay_not_found'),
  tooManyReplays: (limit: number) => new Refusal('too_many_replays', { extra: { limit } }),
  replayEnded: plain('replay_ended'),
  deliveryInFlight: plain('delivery_in_flight'),
  noWebhookUrl: plain('no_webhook_url'),
  tooManyStreams: (limit: number) =>
    new Refusal('too_many_event_streams', { extra: { limit }, retryAfter: 10 }),
  importRejected: (detail: string) => new Refusal('import_rejected', { extra: { detail } }),
  importRunning: plain('import_running', { retryAfter: 10 }),
  apiKeyNotFound: plain('api_key_not_found'),
  pathNotFound: plain('path_not_found'),
  methodNotAllowed: plain('method_not_allowed'),
  apiRateLimited: (retryAfter: number) => wait('rate_limited', retryAfter),

  // files
  fileForbidden: plain('file_access_denied'),
  fileNotFound: plain('file_not_found'),
  fileDeleted: plain('file_deleted'),
  preconditionFailed: plain('precondition_failed'),
  rangeNotSatisfiable: (sizeBytes: number) =>
    new Refusal('range_not_satisfiable', { extra: { file_size_bytes: sizeBytes } }),
  notAnImage: () =>
    new Refusal('not_an_image', {
      extra: {
        details: [{ path: '', message: 'Only PNG, JPEG, WebP, GIF and AVIF images can be transformed' }],
      },
    }),
  transformationNeedsPlan: (upgradeUrl: string) =>
    new Refusal('image_transformation_not_in_plan', { extra: { upgrade_url: upgradeUrl } }),
  imageTooLarge: (limitPixels: number) =>
    new Refusal('image_too_large', { extra: { limit_pixels: limitPixels } }),
  imageBroken: plain('image_broken'),
  imageTooSlow: plain('image_too_slow'),
  imagingFailed: plain('imaging_failed', { retryAfter: 5 }),

  // submission endpoint
  invalidSubmission: (detail: string, code: InvalidSubmission = 'invalid_content_type') =>
    new Refusal(code, { extra: { detail }, reason: 'content_type' }),
  uploadsNeedPlan: (upgradeUrl: string) =>
    new Refusal('file_uploads_not_in_plan', { extra: { upgrade_url: upgradeUrl }, reason: 'plan' }),
  originNotAllowed: plain('origin_not_allowed', { reason: 'origin' }),
  originHidden: () =>
    new Refusal('origin_hidden', {
      extra: { detail: 'The page hides its address (Origin: null, no Referer). Change its Referrer-Policy.' },
      reason: 'origin',
      seen: 'Origin: null and no Referer: the page hides its address (Referrer-Policy)',
    }),
  localhostInLiveMode: plain('localhost_not_allowed', { reason: 'localhost' }),
  ipNotRegistered: (ip: string) =>
    new Refusal('ip_not_registered', { extra: { your_ip: ip }, reason: 'sandbox' }),
  formInactive: plain('form_inactive', { reason: 'inactive' }),
  ipBlocked: plain('ip_blocked', { reason: 'blocked' }),
  invalidServiceKey: plain('invalid_service_key', { reason: 'service_key' }),
  captchaFailed: (seen?: string) => new Refusal('captcha_failed', { reason: 'captcha', seen }),
  captchaUnavailable: plain('captcha_unavailable', { retryAfter: 30 }),
  webhookLoop: plain('webhook_loop', { reason: 'webhook_loop' }),
  noChallenge: plain('no_challenge'),
  submissionRateLimited: (retryAfter: number) => wait('too_many_submissions', retryAfter, 'rate'),
  tooManyBytes: (what: LimitedBytes, limitBytes: number) =>
    new Refusal(`${what}_too_large`, { extra: { limit_bytes: limitBytes }, reason: 'size' }),
  tooMany: (what: LimitedCount, limit: number) =>
    new Refusal(`too_many_${what}`, { extra: { limit }, reason: 'size' }),
  idempotencyConflict: plain('idempotency_key_reused'),
  bodyTooSlow: plain('body_too_slow'),
  uploadTooSlow: plain('upload_too_slow', { retryAfter: 5 }),
  formNotNamed: plain('form_not_named'),
  submissionEmpty: plain('submission_empty'),
  invalidEmail: (details: readonly Fault[]) => new Refusal('invalid_email', { extra: { details } }),
  bodyInCrumbs: plain('too_many_chunks', {
    extra: { detail: 'The request body came in too many small pieces' },
  }),

  // the request itself
  malformedRequest: plain('malformed_request', {
    extra: { detail: 'There must be one Host header, and no Transfer-Encoding but chunked' },
  }),
  notHttp: plain('malformed_request'),
  tooManyHeaders: (limit: number) => new Refusal('too_many_headers', { extra: { limit } }),
  headersTooLarge: plain('headers_too_large'),
  requestTooSlow: plain('request_timeout'),
  unknownExpectation: plain('unknown_expectation'),

  // capacity
  busy: plain('service_busy', { retryAfter: 5 }),
  storageFull: plain('storage_full', { retryAfter: 60 }),
  internal: plain('internal_error'),
} as const;

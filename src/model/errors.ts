/**
 * The error catalogue: every refusal that a caller may see, with the exact text of the interface.
 * A refusal says *what kind* of fault it is; only `http/problem.ts` turns the kind into a status.
 * Nothing in here may carry a cause, a path or SQL: all of it is shown to strangers.
 */
import type { TurnAwayReason } from './turned-away.js';

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
  | 'unavailable'
  | 'storage_full';

/** One fault in a request body or parameter: where it is and what is wrong with it. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/**
 * An expected "no". It is an Error so that deep management code may throw it, and a plain value so that
 * the intake can return it without unwinding; it takes no stack, because refusing must stay cheap under attack.
 */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  /** Further fields of the JSON body, beside `error`. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
  /** For the form's owner, never for the visitor: why the submission endpoint turned somebody away. */
  readonly reason: TurnAwayReason | undefined;
  /** What was seen, where only the place that refused knows it. */
  readonly seen: string | undefined;

  constructor(
    kind: RefusalKind,
    text: string,
    extra: Readonly<Record<string, unknown>> = {},
    retryAfterSeconds?: number,
    reason?: TurnAwayReason,
    seen?: string,
  ) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(text);
    Error.stackTraceLimit = limit;
    this.name = 'Refusal';
    this.kind = kind;
    this.extra = extra;
    this.retryAfterSeconds = retryAfterSeconds;
    this.reason = reason;
    this.seen = seen;
  }
}

/** A refusal that the form's owner may want to know of. */
const turnAway = (
  kind: RefusalKind,
  text: string,
  reason: TurnAwayReason,
  more: { extra?: Readonly<Record<string, unknown>>; retryAfter?: number; seen?: string | undefined } = {},
): Refusal => new Refusal(kind, text, more.extra, more.retryAfter, reason, more.seen);

/** Factories, one per row of the interface's and the decisions' error tables. */
export const refuse = {
  // management
  invalidBody: (details: readonly Fault[]) => new Refusal('invalid', 'Invalid request body', { details }),
  invalidApiKey: () => new Refusal('unauthenticated', 'Invalid API key'),
  invalidOpsToken: () =>
    new Refusal('unauthenticated', 'Invalid or missing token', { code: 'invalid_ops_token' }),
  readOnlyKey: () => new Refusal('forbidden', 'This API key is read-only'),
  notSignedIn: () => new Refusal('unauthenticated', 'Not signed in'),
  wrongCredentials: () => new Refusal('unauthenticated', 'Invalid e-mail address or password'),
  wrongPassword: () => new Refusal('forbidden', 'The current password is wrong'),
  tooManySignIns: (retryAfter: number) =>
    new Refusal(
      'rate_limited',
      'Too many attempts. Please try again later.',
      { retry_after: retryAfter },
      retryAfter,
    ),
  wrongSetupLink: () => new Refusal('forbidden', 'This set-up link is not valid'),
  crossSite: () => new Refusal('forbidden', 'Cross-site request refused'),
  userNotFound: () => new Refusal('not_found', 'User not found'),
  userExists: () => new Refusal('conflict', 'There is a user with this e-mail address already'),
  ownUser: () => new Refusal('conflict', 'You cannot delete yourself'),
  lastUser: () => new Refusal('conflict', 'The last user of an account cannot be deleted'),
  projectLimit: () => new Refusal('forbidden', 'Project limit reached. Upgrade your plan.'),
  projectNotFound: () => new Refusal('not_found', 'Project not found'),
  formNotFound: () => new Refusal('not_found', 'Form not found'),
  submissionNotFound: () => new Refusal('not_found', 'Submission not found'),
  quarantinedNotFound: () => new Refusal('not_found', 'There is nothing with this id in quarantine'),
  deliveryNotFound: () => new Refusal('not_found', 'Delivery not found'),
  replayNotFound: () => new Refusal('not_found', 'Replay not found'),
  tooManyReplays: (limit: number) =>
    new Refusal('conflict', `${limit} replays are running already`, { limit }),
  replayEnded: () => new Refusal('conflict', 'The replay has ended already'),
  deliveryInFlight: () => new Refusal('conflict', 'The webhook is being sent at this moment'),
  noWebhookUrl: () => new Refusal('conflict', 'No webhook URL is configured'),
  tooManyStreams: (limit: number) =>
    new Refusal('rate_limited', 'Too many event streams are open', { limit }, 10),
  apiKeyNotFound: () => new Refusal('not_found', 'API key not found'),
  pathNotFound: () => new Refusal('not_found', 'Not found'),
  methodNotAllowed: () => new Refusal('method_not_allowed', 'Method not allowed'),
  apiRateLimited: (retryAfter: number) =>
    new Refusal('rate_limited', 'Rate limit exceeded', { retry_after: retryAfter }, retryAfter),

  // files
  fileForbidden: () => new Refusal('forbidden', 'Access denied to this file'),
  fileNotFound: () => new Refusal('not_found', 'File not found'),
  fileDeleted: () => new Refusal('gone', 'File has been deleted'),
  preconditionFailed: () => new Refusal('precondition_failed', 'The file is not the one you have'),
  rangeNotSatisfiable: (sizeBytes: number) =>
    new Refusal('range_not_satisfiable', 'The file has no such range', { file_size_bytes: sizeBytes }),
  notAnImage: () =>
    new Refusal('invalid', 'Invalid request body', {
      details: [{ path: '', message: 'Only PNG, JPEG, WebP, GIF and AVIF images can be transformed' }],
    }),
  transformationNeedsPlan: (upgradeUrl: string) =>
    new Refusal('payment_required', 'Image transformation requires a Business or Enterprise plan', {
      upgrade_url: upgradeUrl,
    }),
  imageTooLarge: (limitPixels: number) =>
    new Refusal('unprocessable', 'The image has too many pixels', { limit_pixels: limitPixels }),
  imageBroken: () => new Refusal('unprocessable', 'The image is broken'),
  imageTooSlow: () => new Refusal('unprocessable', 'The image takes too long to transform'),
  imagingFailed: () =>
    new Refusal('unavailable', 'The image could not be transformed. Please try again later.', {}, 5),

  // submission endpoint
  invalidSubmission: (detail: string) =>
    turnAway('invalid', 'Invalid content type', 'content_type', { extra: { detail } }),
  uploadsNeedPlan: (upgradeUrl: string) =>
    turnAway('payment_required', 'File uploads require a paid plan', 'plan', {
      extra: { upgrade_url: upgradeUrl },
    }),
  originNotAllowed: () => turnAway('forbidden', 'Origin not allowed', 'origin'),
  localhostInLiveMode: () =>
    turnAway(
      'forbidden',
      'Localhost not allowed in live mode. Use sandbox mode for local development.',
      'localhost',
    ),
  ipNotRegistered: (ip: string) =>
    turnAway(
      'forbidden',
      'IP not registered for sandbox mode. Register your IP in form settings.',
      'sandbox',
      { extra: { your_ip: ip } },
    ),
  formInactive: () => turnAway('forbidden', 'Form is not active', 'inactive'),
  ipBlocked: () => turnAway('forbidden', 'IP address is blocked', 'blocked'),
  invalidServiceKey: () => turnAway('forbidden', 'Invalid service key', 'service_key'),
  captchaFailed: (seen?: string) => turnAway('forbidden', 'CAPTCHA verification failed', 'captcha', { seen }),
  captchaUnavailable: () =>
    new Refusal('unavailable', 'CAPTCHA verification is not available. Please try again later.', {}, 30),
  webhookLoop: () =>
    turnAway('forbidden', 'This request is a webhook delivery from this service', 'webhook_loop', {
      extra: { code: 'webhook_loop' },
    }),
  noChallenge: () => new Refusal('not_found', 'This form does not use ALTCHA challenges'),
  submissionRateLimited: (retryAfter: number) =>
    turnAway('rate_limited', 'Rate limit exceeded. Please try again later.', 'rate', {
      extra: { retry_after: retryAfter },
      retryAfter,
    }),
  tooManyBytes: (what: string, limitBytes: number) =>
    turnAway('too_large', `${what} is larger than ${limitBytes} bytes`, 'size', {
      extra: { limit_bytes: limitBytes },
    }),
  tooMany: (what: string, limit: number) =>
    turnAway('too_large', `More than ${limit} ${what}`, 'size', { extra: { limit } }),
  idempotencyConflict: () =>
    new Refusal('conflict', 'Idempotency-Key was already used with a different body'),
  bodyTooSlow: () => new Refusal('request_timeout', 'The request body came too slowly'),
  uploadTooSlow: () =>
    new Refusal(
      'request_timeout',
      'The upload is too slow while others are waiting. Please try again later.',
      {},
      5,
    ),
  bodyInCrumbs: () => new Refusal('invalid', 'The request body came in too many small pieces'),

  // the request itself
  malformedRequest: () =>
    new Refusal('invalid', 'Malformed request', {
      detail: 'There must be one Host header, and no Transfer-Encoding but chunked',
    }),
  tooManyHeaders: (limit: number) =>
    new Refusal('headers_too_large', 'The request has too many headers', { limit }),
  unknownExpectation: () => new Refusal('expectation_failed', 'Unknown expectation'),
  badRequest: (detail: string) =>
    new Refusal('invalid', 'Invalid request body', { details: [{ path: '', message: detail }] }),
  bodyTooLarge: (limitBytes: number) =>
    new Refusal('too_large', 'The body is too large', { limit_bytes: limitBytes }),

  // capacity
  busy: () => new Refusal('unavailable', 'The service is busy. Please try again later.', {}, 5),
  storageFull: () => new Refusal('storage_full', 'The service cannot store more data at the moment', {}, 60),
} as const;

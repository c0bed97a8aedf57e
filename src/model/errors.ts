/** Errors that a caller can see, as the code throws them: a row of the catalogue with its values. */

import type { RejectionReason } from '../contract/rejections.js';
import { type ErrorCode, errorCatalogue } from './error-catalogue.js';
import type { CatalogueEntry, RefusalKind } from './error-entry.js';
import type { Violation } from './violation.js';

/** One fault in a request body or parameter: where it is and what is wrong with it. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

type Extra = Readonly<Record<string, unknown>>;

interface RefusalOptions {
  /** Additional fields of the JSON body, next to `error` and `code`. */
  readonly extra?: Extra;
  readonly retryAfter?: number;
  /** For the form's owner, never for the visitor: why the submission endpoint rejected the request. */
  readonly reason?: RejectionReason;
  /** What was seen, if only the code that rejected the request knows it. */
  readonly seen?: string | undefined;
  /** What is wrong with the fields. It is put into words where the visitor's language is known. */
  readonly violations?: readonly Violation[];
}

const withValues = (text: string, extra: Extra): string =>
  text.includes('{') ? text.replace(/\{(\w+)\}/g, (_, name: string) => String(extra[name])) : text;

/**
 * An expected "no". It is an Error so that deep management code can throw it, and a plain value so that the
 * intake can return it without unwinding. It captures no stack, because rejecting must stay cheap under attack.
 */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly kind: RefusalKind;
  readonly extra: Extra;
  readonly retryAfterSeconds: number | undefined;
  readonly reason: RejectionReason | undefined;
  readonly seen: string | undefined;
  readonly violations: readonly Violation[];

  constructor(
    code: ErrorCode,
    { extra = {}, retryAfter, reason, seen, violations = [] }: RefusalOptions = {},
  ) {
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
    this.violations = violations;
  }
}

const plain = (code: ErrorCode, options?: RefusalOptions) => (): Refusal => new Refusal(code, options);

/** Both the body and the header say how long to wait. */
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

/** Factories for refusals. */
export const refuse = {
  // management
  invalidBody: (details: readonly Fault[]) => new Refusal('invalid_body', { extra: { details } }),
  badRequest: (message: string) =>
    new Refusal('invalid_body', { extra: { details: [{ path: '', message }] } }),
  invalidApiKey: plain('invalid_api_key'),
  invalidOpsToken: plain('invalid_ops_token'),
  readOnlyKey: plain('read_only_api_key'),
  roleNotSufficient: plain('role_not_sufficient'),
  accountAccessRequired: plain('account_access_required'),
  accountNotFound: plain('account_not_found'),
  lastOwner: plain('last_owner'),
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
  invalidLink: plain('invalid_link'),
  invalidInvitation: plain('invalid_invitation'),
  invitationForAnother: plain('invitation_for_another_address'),
  invitationNotFound: plain('invitation_not_found'),
  tooManyInvitations: (limit: number) => new Refusal('too_many_invitations', { extra: { limit } }),
  noMailServer: plain('no_mail_server'),
  mailNotSent: plain('mail_not_sent', { retryAfter: 60 }),
  sessionNotFound: plain('session_not_found'),
  secondFactorRequired: (pending: {
    pending_token: string;
    factors: readonly string[];
    expires_in: number;
  }) => new Refusal('second_factor_required', { extra: pending }),
  wrongSecondFactor: plain('wrong_second_factor'),
  signInExpired: plain('sign_in_expired'),
  authenticatorExists: plain('authenticator_exists'),
  wrongPasskey: plain('wrong_passkey'),
  passkeyNotFound: plain('passkey_not_found'),
  tooManyPasskeys: (limit: number) => new Refusal('too_many_passkeys', { extra: { limit } }),
  noSecondFactor: plain('no_second_factor'),
  projectLimit: plain('project_limit_reached'),
  projectNotFound: plain('project_not_found'),
  formNotFound: plain('form_not_found'),
  aliasNotFound: plain('alias_not_found'),
  aliasTaken: plain('alias_taken'),
  tooManyAliases: (limit: number) => new Refusal('too_many_aliases', { extra: { limit } }),
  submissionNotFound: plain('submission_not_found'),
  tooManyToSort: (limit: number) => new Refusal('too_many_to_sort', { extra: { limit } }),
  submissionSetAside: plain('submission_set_aside'),
  submissionUnconfirmed: plain('submission_unconfirmed'),
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
  suppressedAddressNotFound: plain('suppressed_address_not_found'),
  identityProviderNotFound: plain('identity_provider_not_found'),
  tooManyIdentityProviders: (limit: number) =>
    new Refusal('too_many_identity_providers', { extra: { limit } }),
  secondFactorMissing: plain('second_factor_missing'),
  singleSignOnRequired: plain('single_sign_on_required'),
  destinationNotFound: plain('destination_not_found'),
  tooManyDestinations: (limit: number) => new Refusal('too_many_destinations', { extra: { limit } }),
  builtInDestination: plain('built_in_destination'),
  deliveryNotFound: plain('delivery_not_found'),
  attemptNotFound: plain('attempt_not_found'),
  replayNotFound: plain('replay_not_found'),
  tooManyReplays: (limit: number) => new Refusal('too_many_replays', { extra: { limit } }),
  replayEnded: plain('replay_ended'),
  personTooVague: plain('person_too_vague'),
  personSearchRunning: plain('person_search_running'),
  erasureNotFound: plain('erasure_not_found'),
  tooManyErasures: (limit: number) => new Refusal('too_many_erasures', { extra: { limit } }),
  deliveryInFlight: plain('delivery_in_flight'),
  noWebhookUrl: plain('no_webhook_url'),
  tooManyTestMails: (limit: number, retryAfter: number) =>
    new Refusal('too_many_test_mails', { extra: { limit, retry_after: retryAfter }, retryAfter }),
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
  noPreview: () =>
    new Refusal('no_preview', {
      extra: { details: [{ path: '', message: 'Only PDFs and texts have a preview' }] },
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
  formClosed: (seen: string) => new Refusal('form_closed', { reason: 'inactive', seen }),
  formFull: plain('form_closed', {
    reason: 'inactive',
    seen: 'the form has as many submissions as it may have',
  }),
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
  invalidFields: (violations: readonly Violation[]) =>
    new Refusal('invalid_fields', {
      violations,
      reason: 'fields',
      seen: violations
        .map(({ field, code }) => `${field}: ${code}`)
        .slice(0, 20)
        .join(', '),
    }),
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

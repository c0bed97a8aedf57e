/**
 * The error catalogue: every error that a caller can see, with its stable code and the exact text of the interface.
 * Areas with many errors have their own files. An error has a *kind*. Only `http/problem.ts` turns the kind into a status and
 * the error into a body.
 */
import { deliveryErrors } from './delivery-errors.js';
import { type CatalogueEntry, entry } from './error-entry.js';
import { fileErrors } from './file-errors.js';
import { inboxErrors } from './inbox-errors.js';
import { personErrors } from './person-errors.js';
import { roleErrors } from './role-errors.js';
import { signInErrors } from './sign-in-errors.js';
import { submissionErrors } from './submission-errors.js';

/** A code is never renamed and never changes its meaning: clients rely on it. */
export const errorCatalogue = {
  // Management API
  invalid_body: entry(
    'invalid',
    'Invalid request body',
    'The body, a path or a query parameter does not fit its schema, or the body is not JSON.',
    'Correct the fields or parameters listed in `details`.',
  ),
  invalid_api_key: entry(
    'unauthenticated',
    'Invalid API key',
    'The request has no API key, or the key is unknown, revoked or expired.',
    'Send `Authorization: Bearer <API_KEY>` with a valid key.',
  ),
  invalid_ops_token: entry(
    'unauthenticated',
    'Invalid or missing token',
    '`OPS_TOKEN` is set, and the request does not send it.',
    'Send OPS_TOKEN as bearer token.',
  ),
  read_only_api_key: entry(
    'forbidden',
    'This API key is read-only',
    'The operation changes something, and the key has the scope `read`.',
    'Use a key with the scope `full`.',
  ),
  ...roleErrors,
  not_signed_in: entry(
    'unauthenticated',
    'Not signed in',
    'The operation is for a signed-in user, and the request has no valid session cookie.',
    'Sign in to the dashboard.',
  ),
  invalid_credentials: entry(
    'unauthenticated',
    'Invalid e-mail address or password',
    'No user has this e-mail address and password.',
    'Check both. `inlet users reset-password` sets a new password.',
  ),
  wrong_password: entry(
    'forbidden',
    'The current password is wrong',
    '`current_password` is not the password of the signed-in user.',
    'Enter your current password.',
  ),
  too_many_attempts: entry(
    'rate_limited',
    'Too many attempts. Please try again later.',
    'Too many attempts to sign in came from this address, or for this user.',
    'Wait for `retry_after` seconds.',
  ),
  invalid_setup_link: entry(
    'forbidden',
    'This set-up link is not valid',
    'The link was used before, or the service printed a newer one.',
    'Use the link that the service printed at its last start.',
  ),
  cross_site_request: entry(
    'forbidden',
    'Cross-site request refused',
    'The request uses a session cookie, but a page of another site sent it.',
    'Use an API key, or send the request from a page of this service.',
  ),
  user_not_found: entry(
    'not_found',
    'User not found',
    'The account has no user with this id.',
    'Check the id.',
  ),
  user_exists: entry(
    'conflict',
    'A user with this e-mail address already exists',
    'A user of the account has this e-mail address.',
    'Choose another e-mail address.',
  ),
  own_user: entry(
    'conflict',
    'You cannot delete yourself',
    'The id is that of the signed-in user.',
    'Ask another user to do it.',
  ),
  last_user: entry(
    'conflict',
    'The last user of an account cannot be deleted',
    'Nobody could sign in to the account any more.',
    'Add another user first.',
  ),
  project_limit_reached: entry(
    'forbidden',
    'Project limit reached. Upgrade your plan.',
    'The account has as many projects as its plan includes.',
    'Delete a project or upgrade the plan.',
  ),
  project_not_found: entry(
    'not_found',
    'Project not found',
    'The account of the caller has no project with this id.',
    'Check the id and the account of your key.',
  ),
  form_not_found: entry(
    'not_found',
    'Form not found',
    'No form has this id, `public_id` or alias, or it belongs to another account.',
    'Check the id and the account of your key.',
  ),
  alias_not_found: entry(
    'not_found',
    'The form has no such alias',
    'The alias was removed, or belongs to another form.',
    'List the aliases of the form.',
  ),
  alias_taken: entry(
    'conflict',
    'This alias is already in use. Choose another one, or remove it from the form that has it.',
    'Another form of this instance has the alias.',
    'Choose another alias, or remove it from the form that has it.',
  ),
  too_many_aliases: entry(
    'conflict',
    'A form can have at most {limit} aliases',
    'The form has the maximum number of aliases.',
    'Remove aliases that are no longer used.',
  ),
  submission_not_found: entry(
    'not_found',
    'Submission not found',
    'The account has no submission with this id, or it was deleted.',
    'Check the id. Submissions can be deleted by people and by `retention_days`.',
  ),
  too_many_to_sort: entry(
    'unprocessable',
    'At most {limit} submissions can be sorted by a field',
    '`sort` names a field, and more submissions match than can be sorted.',
    'Narrow the list with `since`, `until` or another filter. Long submissions count more.',
  ),
  submission_set_aside: entry(
    'conflict',
    'The submission is in spam or trash',
    'Submissions in spam and trash are not sent.',
    'Move it to the inbox or the archive first.',
  ),
  identity_provider_not_found: entry(
    'not_found',
    'Identity provider not found',
    'The account has no identity provider with this id.',
    'List the identity providers of the account.',
  ),
  too_many_identity_providers: entry(
    'conflict',
    'Too many identity providers',
    'The account has as many identity providers as it may have.',
    'Delete one that is no longer used.',
  ),
  single_sign_on_required: entry(
    'forbidden',
    'Sign in with single sign-on',
    'An owner requires an identity provider for e-mail addresses of this domain.',
    'Choose the provider on the sign-in page.',
  ),
  suppressed_address_not_found: entry(
    'not_found',
    'Suppressed address not found',
    'The account has no suppressed address with this id.',
    'List the suppressed addresses of the account.',
  ),
  submission_unconfirmed: entry(
    'conflict',
    'The submission is not confirmed',
    'The form uses double opt-in, and the visitor has not confirmed yet.',
    'It moves to the inbox when its visitor opens the link in the mail and confirms. Until then you can only delete it.',
  ),
  ...inboxErrors,
  quarantined_not_found: entry(
    'not_found',
    'There is nothing with this id in quarantine',
    'It was released or deleted, or the id is wrong.',
    'Check the id. Quarantined submissions are deleted after 30 days.',
  ),
  ...deliveryErrors,
  too_many_test_mails: entry(
    'rate_limited',
    'You can send at most {limit} test mails an hour',
    'You have sent that many tests of mails to yourself in the last hour.',
    'Wait for `retry_after` seconds.',
  ),
  too_many_event_streams: entry(
    'rate_limited',
    'Too many event streams are open',
    'The key or user, the account or the instance has the maximum number of open streams.',
    'Close a stream, then connect again.',
  ),
  import_rejected: entry(
    'invalid',
    'The file cannot be imported',
    'The file is not CSV, JSON or JSON lines, or a column cannot be understood.',
    'Correct what `detail` names, then import the file again. What was imported before stays.',
  ),
  import_running: entry(
    'conflict',
    'Another import of this account is running',
    'An account can run one import and four dry runs at a time.',
    'Wait until it has finished, then import the file.',
  ),
  api_key_not_found: entry(
    'not_found',
    'API key not found',
    'The account has no API key with this id.',
    'Check the id.',
  ),
  path_not_found: entry(
    'not_found',
    'Not found',
    'No operation has this path.',
    'Check the path and the method.',
  ),
  method_not_allowed: entry(
    'method_not_allowed',
    'Method not allowed',
    'The address of a form takes `POST`, and `GET` only with a hosted page.',
    'Use a method listed in `Allow`.',
  ),
  rate_limited: entry(
    'rate_limited',
    'Rate limit exceeded',
    'The key or user sent more requests in a minute than allowed.',
    'Wait for `retry_after` seconds. API_RATE_LIMIT_PER_MINUTE sets the limit.',
  ),

  // Files and images
  ...fileErrors,
  ...signInErrors,

  ...personErrors,

  ...submissionErrors,

  // The request itself
  malformed_request: entry(
    'invalid',
    'The request is not valid HTTP',
    'The request is not HTTP/1.1, or its Host or Transfer-Encoding header is wrong.',
    'Use an HTTP library, and check the proxies on the way.',
  ),
  too_many_headers: entry(
    'headers_too_large',
    'The request has too many headers',
    'The request has more headers than allowed.',
    'Send at most `limit` headers.',
  ),
  headers_too_large: entry(
    'headers_too_large',
    'The request headers are too large',
    'The request line and headers are larger than allowed.',
    'Send smaller headers; cookies are the usual cause.',
  ),
  request_timeout: entry(
    'request_timeout',
    'The request came too slowly',
    'The head of the request did not arrive in time.',
    'Send the request again over a faster connection.',
  ),
  unknown_expectation: entry(
    'expectation_failed',
    'Unknown expectation',
    '`Expect` has a value other than `100-continue`.',
    'Send no `Expect` header but `100-continue`.',
  ),

  // Capacity
  service_busy: entry(
    'unavailable',
    'The service is busy. Please try again later.',
    'The service has too much to do, or its database or file storage does not respond.',
    'Retry after the seconds in `Retry-After`. If it lasts, see `/readyz`.',
  ),
  storage_full: entry(
    'storage_full',
    'The service cannot store more data at the moment',
    'The disk or the database is full.',
    'Free disk space, then retry.',
  ),
  internal_error: entry(
    'internal',
    'Internal server error',
    'The service failed. The cause is in its log.',
    'Look for the `X-Request-Id` of the response in the log of the service.',
  ),
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

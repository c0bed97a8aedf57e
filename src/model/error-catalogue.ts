/**
 * The error catalogue: every error that a caller may see, with its stable code and the exact text of the interface.
 * An error has a *kind*; only `http/problem.ts` turns the kind into a status, and the error into a body.
 */
import { type CatalogueEntry, entry } from './error-entry.js';
import { submissionErrors } from './submission-errors.js';

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
  too_many_to_sort: entry(
    'unprocessable',
    'At most {limit} submissions can be sorted by a field',
    'Narrow the list with `since`, `until` or another filter. Long submissions count more.',
  ),
  submission_set_aside: entry(
    'conflict',
    'The submission is in spam or trash',
    'Move it to the inbox or the archive first.',
  ),
  suppressed_address_not_found: entry(
    'not_found',
    'Suppressed address not found',
    'List the suppressed addresses of the account.',
  ),
  submission_unconfirmed: entry(
    'conflict',
    'The submission is not confirmed',
    'It moves to the inbox when its visitor opens the link in the mail and confirms. Until then you can only delete it.',
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
  attempt_not_found: entry(
    'not_found',
    'Attempt not found',
    'Check its number. Of each delivery the last 50 attempts are kept.',
  ),
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
  no_preview: entry(
    'invalid',
    'Invalid request body',
    'Only PDFs and texts have a preview. Download the file.',
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

  ...submissionErrors,

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

/** The errors of the submission endpoint. The interface has one text for everything that is invalid; the code and `detail` say what. */
import { entry } from './error-entry.js';

export const submissionErrors = {
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
  form_closed: entry(
    'forbidden',
    'Form is closed',
    'Change `opens_at`, `closes_at` or `max_submissions` of the form.',
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
  invalid_fields: entry(
    'unprocessable',
    'Some fields are not valid',
    'Correct the fields listed in `fields`; each has a `code` and a `message` for the visitor.',
  ),
  too_many_chunks: entry('invalid', 'Invalid content type', 'Send the body in larger chunks.'),
};

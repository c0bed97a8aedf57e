import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../contract/rejections.js';
import { errorCatalogue } from './error-catalogue.js';
import { Refusal, refuse } from './errors.js';

describe('refuse', () => {
  it.each([
    [refuse.invalidApiKey(), 'Invalid API key', {}],
    [refuse.projectLimit(), 'Project limit reached. Upgrade your plan.', {}],
    [refuse.projectNotFound(), 'Project not found', {}],
    [refuse.apiRateLimited(7), 'Rate limit exceeded', { retry_after: 7 }],
    [refuse.fileForbidden(), 'Access denied to this file', {}],
    [refuse.fileNotFound(), 'File not found', {}],
    [refuse.fileDeleted(), 'File has been deleted', {}],
    [refuse.invalidSubmission('why'), 'Invalid content type', { detail: 'why' }],
    [
      refuse.uploadsNeedPlan('https://up.test'),
      'File uploads require a paid plan',
      { upgrade_url: 'https://up.test' },
    ],
    [refuse.originNotAllowed(), 'Origin not allowed', {}],
    [
      refuse.localhostInLiveMode(),
      'Localhost not allowed in live mode. Use sandbox mode for local development.',
      {},
    ],
    [
      refuse.ipNotRegistered('203.0.113.7'),
      'IP not registered for sandbox mode. Register your IP in form settings.',
      { your_ip: '203.0.113.7' },
    ],
    [refuse.formInactive(), 'Form is not active', {}],
    [refuse.ipBlocked(), 'IP address is blocked', {}],
    [refuse.formNotFound(), 'Form not found', {}],
    [refuse.submissionRateLimited(42), 'Rate limit exceeded. Please try again later.', { retry_after: 42 }],
    [refuse.captchaFailed(), 'CAPTCHA verification failed', {}],
    [refuse.invalidServiceKey(), 'Invalid service key', {}],
    [refuse.tooManyBytes('body', 10), 'The body is larger than 10 bytes', { limit_bytes: 10 }],
    [refuse.tooMany('files', 3), 'More than 3 files', { limit: 3 }],
  ] as const)('speaks with the exact text of the contract: $message', (refusal, text, extra) => {
    expect(refusal.message).toBe(text);
    expect(refusal.extra).toEqual(extra);
  });

  it('says in Retry-After what the body says, and gives one with every "later"', () => {
    expect(refuse.apiRateLimited(7).retryAfterSeconds).toBe(7);
    expect(refuse.submissionRateLimited(42).retryAfterSeconds).toBe(42);
    for (const later of [refuse.busy(), refuse.storageFull(), refuse.captchaUnavailable()]) {
      expect(later.retryAfterSeconds).toBeGreaterThan(0);
    }
    expect(refuse.formNotFound().retryAfterSeconds).toBeUndefined();
  });

  it('gives the owner of a form a reason for every refusal that is not a fault of ours', () => {
    const rejected = [
      refuse.originNotAllowed(),
      refuse.ipNotRegistered('203.0.113.7'),
      refuse.localhostInLiveMode(),
      refuse.formInactive(),
      refuse.ipBlocked(),
      refuse.invalidServiceKey(),
      refuse.submissionRateLimited(1),
      refuse.captchaFailed(),
      refuse.tooMany('files', 3),
      refuse.tooManyBytes('file', 3),
      refuse.invalidSubmission('why'),
      refuse.uploadsNeedPlan('https://up.test'),
      refuse.webhookLoop(),
      refuse.invalidFields([]),
    ].map(({ reason }) => reason);
    // The honeypot is not reported to the client, and a page whose redirect is not followed has sent its form: no refusal.
    expect(new Set([...rejected, 'honeypot', 'redirect'])).toEqual(new Set(rejectionReasons));
    for (const ours of [
      refuse.busy(),
      refuse.storageFull(),
      refuse.captchaUnavailable(),
      refuse.formNotFound(),
    ]) {
      expect(ours.reason).toBeUndefined();
    }
  });

  it('names every fault of a body', () => {
    const details = [
      { path: 'name', message: 'is required' },
      { path: 'nmae', message: 'is not a known field' },
    ];
    expect(refuse.invalidBody(details)).toMatchObject({
      message: 'Invalid request body',
      extra: { details },
    });
  });
});

describe('Refusal', () => {
  it('takes no stack, and leaves the stacks of other errors alone', () => {
    const limit = Error.stackTraceLimit;
    expect(refuse.formNotFound().stack ?? '').not.toContain('\n    at ');
    expect(Error.stackTraceLimit).toBe(limit);
    expect(new Error('other').stack).toContain('errors.test.ts');
  });

  it('can be thrown and distinguished from an internal error', () => {
    const refusal = new Refusal('user_exists');
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal).toMatchObject({ name: 'Refusal', kind: 'conflict', code: 'user_exists', extra: {} });
  });
});

describe('the catalogue', () => {
  const entries = Object.entries(errorCatalogue);

  it('has codes in snake case, a text, and advice as whole sentences', () => {
    for (const [code, { text, remedy }] of entries) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(text, code).toMatch(/^\S.*\S$/);
      expect(remedy, code).toMatch(/^[A-Z`].*\.$/);
    }
  });

  it('keeps every code that was ever published: programs go by them', () => {
    const published = `
      invalid_body invalid_api_key invalid_ops_token read_only_api_key role_not_sufficient account_access_required account_not_found last_owner not_signed_in invalid_credentials
      wrong_password too_many_attempts invalid_setup_link cross_site_request user_not_found user_exists
      own_user last_user project_limit_reached project_not_found form_not_found alias_not_found
      alias_taken too_many_aliases submission_not_found
      too_many_to_sort submission_set_aside identity_provider_not_found too_many_identity_providers single_sign_on_required suppressed_address_not_found submission_unconfirmed label_not_found label_exists too_many_labels too_many_labels_on_submission note_not_found not_the_author too_many_notes view_not_found too_many_views
      quarantined_not_found destination_not_found too_many_destinations built_in_destination
      delivery_not_found attempt_not_found replay_not_found too_many_replays replay_ended
      delivery_in_flight no_webhook_url too_many_test_mails too_many_event_streams import_rejected import_running api_key_not_found path_not_found
      method_not_allowed rate_limited file_access_denied file_not_found file_deleted precondition_failed
      range_not_satisfiable not_an_image no_preview image_transformation_not_in_plan image_too_large image_broken
      image_too_slow imaging_failed invalid_link invalid_invitation invitation_for_another_address invitation_not_found
      too_many_invitations no_mail_server mail_not_sent session_not_found second_factor_required second_factor_missing wrong_second_factor
      sign_in_expired authenticator_exists wrong_passkey passkey_not_found too_many_passkeys no_second_factor
      person_too_vague person_search_running erasure_not_found too_many_erasures invalid_content_type content_encoding_not_supported invalid_encoding
      invalid_json invalid_multipart invalid_idempotency_key file_uploads_not_in_plan origin_not_allowed origin_hidden
      localhost_not_allowed ip_not_registered form_inactive form_closed ip_blocked invalid_service_key captcha_failed
      captcha_unavailable webhook_loop no_challenge too_many_submissions body_too_large text_too_large
      file_too_large field_name_too_large field_value_too_large part_header_too_large too_many_files
      too_many_fields too_many_parts too_many_part_headers too_many_containers too_many_levels
      idempotency_key_reused body_too_slow upload_too_slow form_not_named submission_empty
      invalid_email invalid_fields too_many_chunks malformed_request
      too_many_headers headers_too_large request_timeout unknown_expectation service_busy storage_full
      internal_error
    `;
    expect(Object.keys(errorCatalogue)).toEqual(published.trim().split(/\s+/));
  });
});

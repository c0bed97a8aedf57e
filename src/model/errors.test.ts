import { describe, expect, it } from 'vitest';
import { Refusal, refuse } from './errors.js';
import { turnAwayReasons } from './turned-away.js';

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
    [refuse.tooManyBytes('The body', 10), 'The body is larger than 10 bytes', { limit_bytes: 10 }],
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
    const turnedAway = [
      refuse.originNotAllowed(),
      refuse.ipNotRegistered('203.0.113.7'),
      refuse.localhostInLiveMode(),
      refuse.formInactive(),
      refuse.ipBlocked(),
      refuse.invalidServiceKey(),
      refuse.submissionRateLimited(1),
      refuse.captchaFailed(),
      refuse.tooMany('files', 3),
      refuse.tooManyBytes('A file', 3),
      refuse.invalidSubmission('why'),
      refuse.uploadsNeedPlan('https://up.test'),
      refuse.webhookLoop(),
    ].map(({ reason }) => reason);
    // The honeypot tells nobody, so it has no refusal.
    expect(new Set([...turnedAway, 'honeypot'])).toEqual(new Set(turnAwayReasons));
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

  it('can be thrown and told from a surprise', () => {
    const refusal = new Refusal('conflict', 'taken');
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal).toMatchObject({ name: 'Refusal', kind: 'conflict', message: 'taken', extra: {} });
  });
});

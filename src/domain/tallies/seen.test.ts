import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anIntakeForm } from '../../../test/support/nouns.js';
import type { RejectionReason } from '../../contract/rejections.js';
import { type Refusal, refuse } from '../../model/errors.js';
import type { Form } from '../../model/form.js';
import type { Visit } from '../submissions/admission.js';
import { exampleOf, harmless, type RefusedRequest } from './seen.js';

interface Setting {
  readonly visit?: Partial<Visit>;
  readonly form?: Partial<Form>;
  readonly more?: Partial<RefusedRequest>;
}

function seen(
  refusal: Refusal | RejectionReason,
  { visit = {}, form = {}, more = {} }: Setting = {},
): string {
  const reason = typeof refusal === 'string' ? refusal : refusal.reason;
  if (reason === undefined) throw new Error('has no reason');
  const request: RefusedRequest = {
    target: anIntakeForm({ form }),
    visit: {
      ip: '203.0.113.7',
      origin: undefined,
      referer: undefined,
      serviceKey: undefined,
      userAgent: undefined,
      acceptLanguage: undefined,
      instance: undefined,
      ...visit,
    },
    rate: { limit: 60, count: 61, remaining: 0, resetsAt: 0 },
    contentType: undefined,
    contentLength: undefined,
    ...more,
  };
  return exampleOf(reason, request, typeof refusal === 'string' ? null : refusal).seen;
}

describe('what was seen', () => {
  it('is the header that decided about the origin', () => {
    const refusal = refuse.originNotAllowed();
    const origin = 'https://staging.example.com';
    expect(seen(refusal, { visit: { origin, referer: 'https://other.example/' } })).toBe(`Origin: ${origin}`);
    expect(seen(refusal, { visit: { origin: 'null' } })).toBe('Origin: null');
    expect(seen(refusal, { visit: { referer: 'https://other.example/' } })).toBe(
      'Referer: https://other.example/',
    );
    expect(seen(refusal)).toBe('neither Origin nor Referer');
  });

  it('is the header that names localhost', () => {
    const refusal = refuse.localhostInLiveMode();
    const local = 'http://localhost:5173';
    expect(seen(refusal, { visit: { origin: local } })).toBe(`Origin: ${local}`);
    expect(seen(refusal, { visit: { origin: 'null', referer: `${local}/page` } })).toBe(
      `Referer: ${local}/page`,
    );
    expect(seen(refusal, { visit: { referer: `${local}/page` } })).toBe(`Referer: ${local}/page`);
  });

  it('is what the other checks looked at', () => {
    expect(seen(refuse.ipBlocked())).toBe('address 203.0.113.7');
    expect(seen(refuse.ipNotRegistered('203.0.113.7'))).toBe('address 203.0.113.7');
    expect(seen(refuse.submissionRateLimited(3))).toBe('61 requests in this minute (limit 60)');
    expect(seen(refuse.submissionRateLimited(3), { more: { rate: null } })).toBe(
      'too many challenges in this minute',
    );
    expect(seen(refuse.formInactive(), { form: { isActive: false } })).toBe('the form is not active');
    expect(seen(refuse.formInactive())).toBe('the project is not active');
    expect(seen(refuse.captchaFailed('no token'))).toBe('no token');
    expect(seen(refuse.uploadsNeedPlan('https://inlet.test'))).toMatch(/file/);
    expect(seen('honeypot')).toMatch(/honeypot field/);
  });

  it('is what was sent and what is wrong with it', () => {
    const refusal = refuse.invalidSubmission('Unsupported Content-Type');
    expect(seen(refusal, { more: { contentType: 'text/plain' } })).toBe(
      'Content-Type: text/plain (Unsupported Content-Type)',
    );
    expect(seen(refuse.invalidSubmission('Missing Content-Type'))).toBe(
      'no Content-Type (Missing Content-Type)',
    );
    const large = refuse.tooManyBytes('body', 10);
    expect(seen(large)).toBe('The body is larger than 10 bytes');
    expect(seen(large, { more: { contentLength: '11' } })).toBe(
      'Content-Length: 11 (The body is larger than 10 bytes)',
    );
  });

  it('is never a service key: it may be the right one of another form', () => {
    const serviceKey = 'sandbox_key_of_another_form';
    for (const sandboxApiKey of [null, 'sandbox_key_of_this_form']) {
      const text = seen(refuse.invalidServiceKey(), { visit: { serviceKey }, form: { sandboxApiKey } });
      expect(text).toContain('X-Service-Key');
      expect(text).not.toMatch(/sandbox_key/);
    }
  });
});

describe('harmless', () => {
  it('writes out what moves a cursor, hides text or turns it around', () => {
    expect(harmless('a\x1b[2J\x00\r\nb\x9b\u202ec\u200bd\u2028e')).toBe(
      'a\\x1b[2J\\x00\\x0d\\x0ab\\x9b\\u{202e}c\\u{200b}d\\u{2028}e',
    );
    expect(harmless('Grüße, 日本 😀')).toBe('Grüße, 日本 😀');
  });

  it('is at most 300 characters of whole text, whatever comes', () => {
    expect(harmless('x'.repeat(300))).toBe('x'.repeat(300));
    expect(harmless('x'.repeat(301))).toBe(`${'x'.repeat(299)}…`);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), fc.boolean(), (text, isHalved) => {
        const shown = harmless(isHalved ? text.slice(1) : text);
        expect(shown.length).toBeLessThanOrEqual(300);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

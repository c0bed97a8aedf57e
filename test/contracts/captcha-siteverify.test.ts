/** Turnstile, hCaptcha and reCAPTCHA against a provider that is honest, strict, broken or hostile. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSiteverify, type Siteverify } from '#inlet/adapters/captcha/siteverify.js';
import type { CaptchaCheck } from '../../src/ports/captcha.js';
import { waitUntil } from '../support/kept.js';
import { type Behaviour, type Provider, says, startProvider } from '../support/siteverify.js';
import { captchaContract } from './captcha.js';

let provider: Provider;
let siteverify: Siteverify;
let faults: string[];
let tokens = 0;

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());

const open = (timeoutMs?: number): Siteverify =>
  createSiteverify({
    urls: { turnstile: provider.url, hcaptcha: provider.url, recaptcha: provider.url },
    onFault: (name: string, reason: string) => faults.push(`${name}: ${reason}`),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });

beforeEach(() => {
  faults = [];
  provider.behave({ kind: 'honest' });
  siteverify = open();
});
afterEach(() => siteverify.close());

const aCheck = (some: Partial<CaptchaCheck> = {}): CaptchaCheck => {
  tokens += 1;
  return {
    provider: 'turnstile',
    siteKey: null,
    secretKey: provider.secret,
    token: provider.hand(`token-${tokens}`),
    remoteIp: '192.0.2.1',
    formId: 'form',
    ...some,
  };
};

for (const name of ['turnstile', 'hcaptcha', 'recaptcha'] as const) {
  captchaContract(name, () => ({ verifier: siteverify, good: async () => aCheck({ provider: name }) }));
}

describe('the question', () => {
  it('is a form with secret, token and address; hCaptcha also hears the site key', async () => {
    const odd = provider.hand('a b&secret=x%\u00fc');
    await siteverify.verify(aCheck({ provider: 'turnstile', siteKey: 'site', token: odd }));
    await siteverify.verify(aCheck({ provider: 'hcaptcha', siteKey: 'site', token: 'h' }));
    await siteverify.verify(aCheck({ provider: 'recaptcha', siteKey: 'site', token: 'r' }));
    const how = { method: 'POST', path: '/siteverify', contentType: 'application/x-www-form-urlencoded' };
    const fields = { secret: provider.secret, remoteip: '192.0.2.1' };
    expect(provider.asked.slice(-3)).toEqual([
      { ...how, fields: { ...fields, response: odd } },
      { ...how, fields: { ...fields, response: 'h', sitekey: 'site' } },
      { ...how, fields: { ...fields, response: 'r' } },
    ]);
  });

  it('is not asked about a token that no provider made, nor without a secret', async () => {
    const before = provider.asked.length;
    expect(await siteverify.verify(aCheck({ token: 'x'.repeat(8_193) }))).toBe('failed');
    expect(await siteverify.verify(aCheck({ secretKey: null }))).toBe('unavailable');
    expect(provider.asked).toHaveLength(before);
    expect(faults).toEqual(['turnstile: the form has no captcha_secret_key']);
  });
});

describe('the verdict', () => {
  it.each([
    ['a wrong token', ['invalid-input-response'], 200, 'failed'],
    ['an old token', ['timeout-or-duplicate'], 200, 'failed'],
    ['no codes', [], 200, 'failed'],
    ['a wrong token, with a status', ['invalid-input-response'], 400, 'failed'],
    ['a wrong secret', ['invalid-input-secret'], 200, 'unavailable'],
    ['a wrong secret beside a wrong token', ['invalid-input-response', 'invalid-keys'], 200, 'unavailable'],
    ['the site of another', ['sitekey-secret-mismatch'], 200, 'unavailable'],
    ['a fault of its own', ['internal-error'], 200, 'unavailable'],
    ['a bad request', ['bad-request'], 400, 'unavailable'],
    ['a status without codes', [], 429, 'unavailable'],
  ] as const)('of %s', async (_, codes, status, verdict) => {
    provider.behave(says({ success: false, 'error-codes': codes }, status));
    expect(await siteverify.verify(aCheck())).toBe(verdict);
    expect(faults).toHaveLength(verdict === 'failed' ? 0 : 1);
  });

  it.each([
    [0.5, 'passed'],
    [0.9, 'passed'],
    [0.49, 'failed'],
    ['0.9', 'failed'],
    [null, 'failed'],
  ] as const)('of reCAPTCHA minds the score %j', async (score, verdict) => {
    provider.behave(says({ success: true, score }));
    expect(await siteverify.verify(aCheck({ provider: 'recaptcha' }))).toBe(verdict);
  });

  it('of hCaptcha minds no score: there it grows with the risk', async () => {
    provider.behave(says({ success: true, score: 0.1 }));
    expect(await siteverify.verify(aCheck({ provider: 'hcaptcha' }))).toBe('passed');
  });
});

describe('a provider of no use', () => {
  const useless: readonly (readonly [string, Behaviour])[] = [
    ['answers with a page', { kind: 'says', text: '<html>success: true</html>' }],
    ['is broken', says({ success: true }, 500)],
    ['passes with a strange status', says({ success: true }, 403)],
    ['says yes in other words', says({ success: 'true' })],
    ['says it in a list', says([{ success: true }])],
    ['says nothing', { kind: 'says', text: '' }],
    ['sends away', { kind: 'redirects', to: '/elsewhere' }],
    ['floods', { kind: 'floods' }],
    ['resets', { kind: 'resets' }],
  ];

  it.each(useless)('that %s lets nobody pass and blames nobody', async (_, behaviour) => {
    provider.behave(behaviour);
    expect(await siteverify.verify(aCheck())).toBe('unavailable');
    expect(faults).toEqual([expect.stringMatching(/^turnstile: \S/)]);
  });

  it.each([
    ['hangs', { kind: 'hangs' }],
    ['drips', { kind: 'drips' }],
  ] as const)('that %s is given up, with all who wait for a connection', async (_, behaviour) => {
    provider.behave(behaviour);
    const impatient = open(200);
    const verdicts = await Promise.all(Array.from({ length: 80 }, () => impatient.verify(aCheck())));
    expect(new Set(verdicts)).toEqual(new Set(['unavailable']));
    expect(faults).toEqual(['turnstile: no answer in time']);
    await impatient.close();
    await waitUntil(() => provider.openConnections === 0);
  });

  it('is never followed', async () => {
    provider.behave({ kind: 'redirects', to: '/elsewhere' });
    await siteverify.verify(aCheck());
    expect(provider.asked.at(-1)?.path).toBe('/siteverify');
  });

  it('that is not there is said with its reason', async () => {
    const gone = await startProvider();
    await gone.close();
    const alone = createSiteverify({
      urls: { turnstile: gone.url, hcaptcha: gone.url, recaptcha: gone.url },
      onFault: (name: string, reason: string) => faults.push(`${name}: ${reason}`),
    });
    expect(await alone.verify(aCheck())).toBe('unavailable');
    expect(faults).toEqual(['turnstile: no answer: ECONNREFUSED']);
    await alone.close();
  });

  it('is reported without secret and token, and only with what looks like a code', async () => {
    const check = aCheck();
    provider.behave(says({ success: false, 'error-codes': ['bad-request', 'a b', 7, 'x'.repeat(65)] }));
    await siteverify.verify(check);
    await siteverify.verify(check);
    expect(faults).toEqual(['turnstile: error codes: bad-request, status 200']);
  });
});

describe('closing', () => {
  it('cuts off what is under way', async () => {
    provider.behave({ kind: 'hangs' });
    const before = provider.asked.length;
    const verdict = siteverify.verify(aCheck());
    await waitUntil(() => provider.asked.length > before);
    await siteverify.close();
    expect(await verdict).toBe('unavailable');
  });
});

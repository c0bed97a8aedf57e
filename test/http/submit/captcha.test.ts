/** The CAPTCHA: what passes, what does not, and that rejections leave nothing behind. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decoded, encoded, solvedFor } from '../../support/altcha.js';
import { filePart, textPart } from '../../support/bodies.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { startTimeServer } from '../../support/clock.js';
import { getSubmission, kept, keptFiles, keptSubmissions, waitUntil } from '../../support/kept.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { type Provider, says, startProvider } from '../../support/siteverify.js';
import { postJson, postMultipart, postUrlencoded, visit } from '../../support/visitor.js';

const json = { accept: 'application/json' };
const refusal = [403, { error: 'CAPTCHA verification failed', code: 'captcha_failed' }];
/** Real work, but little of it: these tests are not about waiting. */
const env = { ALTCHA_DIFFICULTY: '3' };

let server: RunningServer;
let provider: Provider;

beforeAll(async () => {
  provider = await startProvider();
  server = await startServer({
    env: {
      ...env,
      TURNSTILE_VERIFY_URL: provider.url,
      HCAPTCHA_VERIFY_URL: provider.url,
      RECAPTCHA_VERIFY_URL: provider.url,
      TRUST_PROXY: '127.0.0.1',
    },
  });
});
afterAll(async () => {
  await server.dispose();
  await provider.close();
});

const guarded = (settings: Record<string, unknown> = {}): Promise<MadeForm> =>
  makeForm(server.url, { form: { captcha_enabled: true, captcha_provider: 'altcha', ...settings } });

const challengeOf = (form: MadeForm, headers: Record<string, string> = {}, from?: string) =>
  visit(`${form.endpoint}/challenge`, { method: 'GET', headers, ...(from === undefined ? {} : { from }) });

const outcome = async (form: MadeForm, token: unknown): Promise<readonly unknown[]> => {
  const { status, body } = await postJson(form.endpoint, { a: 1, altcha: token });
  return status === 200 ? [200] : [status, body];
};

describe('a solved challenge', () => {
  it('is accepted under each of its names, in each kind of body, and never stored', async () => {
    const form = await guarded();
    const token = () => solvedFor(form.endpoint);
    const answers = [
      await postJson(form.endpoint, { a: 1, altcha: await token() }),
      await postJson(form.endpoint, { a: 1, _challengeToken: await token() }),
      await postUrlencoded(form.endpoint, `a=1&altcha=${encodeURIComponent(await token())}`, json),
      await postUrlencoded(
        form.endpoint,
        `a=1&challenge-response=${encodeURIComponent(await token())}`,
        json,
      ),
      await postMultipart(
        form.endpoint,
        [textPart('a', '1'), textPart('altcha', await token()), filePart('f', 'f.txt', 'x')],
        json,
      ),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const stored = await keptSubmissions(server, form.formId);
    expect(stored).toHaveLength(5);
    for (const { data } of stored) expect(Object.keys(data)).toEqual(['a']);
  });

  it('is good once', async () => {
    const form = await guarded();
    const token = await solvedFor(form.endpoint);
    expect(await outcome(form, token)).toEqual([200]);
    expect(await outcome(form, token)).toEqual(refusal);
    expect((await kept(server, form.formId)).submissions).toBe(1);
  });

  it('is good once when it comes many times at the same moment, files and all', async () => {
    const form = await guarded();
    const before = await keptFiles(server);
    const token = await solvedFor(form.endpoint);
    const parts = [textPart('altcha', token), filePart('f', 'f.txt', 'x')];
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => postMultipart(form.endpoint, parts, json)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(403)]);
    expect(await kept(server, form.formId)).toEqual({ submissions: 1, files: before.length + 1 });
  });

  it('is answered again with its Idempotency-Key, as who lost the answer repeats the whole request', async () => {
    const form = await guarded();
    const token = await solvedFor(form.endpoint);
    const again = () => postJson(form.endpoint, { a: 1, altcha: token }, { 'idempotency-key': 'k' });
    const first = await again();
    expect(first.status).toBe(200);
    expect((await again()).body).toEqual(first.body);
  });

  it('for one form is refused at another', async () => {
    const [form, other] = [await guarded(), await guarded()];
    const token = await solvedFor(form.endpoint);
    expect(await outcome(other, token)).toEqual(refusal);
    expect(await outcome(form, token)).toEqual([200]);
  });

  it('that was tampered with is refused, whatever it claims to cost', async () => {
    const form = await guarded();
    const token = await solvedFor(form.endpoint);
    const { challenge, solution } = decoded(token);
    const { parameters, signature } = challenge;
    const forged = [
      { challenge: { parameters, signature: '0'.repeat(64) }, solution },
      { challenge: { parameters }, solution },
      { challenge: { parameters: { ...parameters, expiresAt: 4e9 }, signature }, solution },
      {
        challenge: { parameters: { ...parameters, cost: 1e9, keySignature: undefined }, signature },
        solution,
      },
      { challenge, solution: { ...solution, derivedKey: '0'.repeat(64) } },
    ];
    for (const value of forged) expect(await outcome(form, encoded(value))).toEqual(refusal);
    expect((await kept(server, form.formId)).submissions).toBe(0);
    expect(await outcome(form, token)).toEqual([200]);
  });

  it('of a megabyte, or of any other type, is refused and not stored', async () => {
    const form = await guarded();
    expect(await outcome(form, 'A'.repeat(900_000))).toEqual(refusal);
    expect((await postJson(form.endpoint, { altcha: 'A'.repeat(2_000_000) })).status).toBe(413);
    for (const token of [{ challenge: {} }, ['x'], 7, true])
      expect(await outcome(form, token)).toEqual(refusal);
    const parts = [textPart('altcha', 'A'.repeat(900_000)), filePart('f', 'f.txt', 'x')];
    const before = await keptFiles(server);
    const { status } = await postMultipart(form.endpoint, parts, json);
    expect([403, 413]).toContain(status);
    expect(await kept(server, form.formId)).toEqual({ submissions: 0, files: before.length });
  });

  it('survives a restart: not spent it passes, spent it does not', async () => {
    const first = await startServer({ env });
    const form = await makeForm(first.url, { form: { captcha_enabled: true } });
    const [used, unused] = [await solvedFor(form.endpoint), await solvedFor(form.endpoint)];
    expect(await outcome(form, used)).toEqual([200]);
    await first.end();
    const second = await startServer({ env, dataDir: first.dataDir, port: first.port });
    try {
      expect(await outcome(form, used)).toEqual(refusal);
      expect(await outcome(form, unused)).toEqual([200]);
    } finally {
      await second.dispose();
    }
  });

  it('expires after ten minutes', async () => {
    const own = await startTimeServer(9 * 60_000, { env });
    try {
      const form = await makeForm(own.url, { form: { captcha_enabled: true } });
      const [early, late] = [await solvedFor(form.endpoint), await solvedFor(form.endpoint)];
      await own.step();
      expect(await outcome(form, early)).toEqual([200]);
      await own.step();
      expect(await outcome(form, late)).toEqual(refusal);
    } finally {
      await own.dispose();
    }
  });
});

describe('GET /f/{public_id}/challenge', () => {
  it('returns JSON that nobody keeps, fresh each time', async () => {
    const form = await guarded();
    const [one, two] = [await challengeOf(form), await challengeOf(form, { accept: 'text/html' })];
    expect(one.status).toBe(200);
    expect(one.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    expect(Object.keys(one.body)).toEqual(['parameters', 'signature']);
    expect(two.body.parameters.nonce).not.toBe(one.body.parameters.nonce);
  });

  it('is for pages of the form’s origins, as the form is', async () => {
    const form = await guarded({ allowed_origins: ['example.com'] });
    const mine = await challengeOf(form, { origin: 'https://example.com' });
    expect(mine.status).toBe(200);
    expect(mine.headers).toMatchObject({
      'access-control-allow-origin': 'https://example.com',
      vary: 'Origin',
    });
    const theirs = await challengeOf(form, { origin: 'https://other.example' });
    expect([theirs.status, theirs.body]).toEqual([
      403,
      { error: 'Origin not allowed', code: 'origin_not_allowed' },
    ]);
    expect(theirs.headers['access-control-allow-origin']).toBeUndefined();
    const preflight = await visit(`${form.endpoint}/challenge`, {
      method: 'OPTIONS',
      headers: { origin: 'https://example.com', 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': 'https://example.com',
      'access-control-allow-methods': 'GET, OPTIONS',
      'access-control-allow-headers': 'Content-Type, X-Service-Key',
    });
  });

  it('refuses whom the form would refuse', async () => {
    const inactive = await guarded({ is_active: false });
    expect((await challengeOf(inactive)).body).toEqual({
      error: 'Form is not active',
      code: 'form_inactive',
    });
    const blocked = await guarded({ blocked_ips: ['127.0.0.9'] });
    expect((await challengeOf(blocked, {}, '127.0.0.9')).body).toEqual({
      error: 'IP address is blocked',
      code: 'ip_blocked',
    });
    const sandbox = await guarded({ validation_mode: 'sandbox' });
    expect((await challengeOf(sandbox)).status).toBe(403);
    const live = await challengeOf(await guarded(), { origin: 'http://localhost:8080' });
    expect([live.status, live.headers['access-control-allow-origin']]).toEqual([403, '*']);
  });

  it('is not found where there is no form or no such CAPTCHA', async () => {
    const unknown = await visit(`${server.url}/f/nosuchform/challenge`, { method: 'GET', headers: {} });
    expect([unknown.status, unknown.body]).toEqual([
      404,
      { error: 'Form not found', code: 'form_not_found' },
    ]);
    const none = [404, { error: 'This form does not use ALTCHA challenges', code: 'no_challenge' }];
    for (const settings of [{ captcha_enabled: false }, { captcha_provider: 'turnstile' }]) {
      const { status, body } = await challengeOf(await guarded(settings), { accept: 'text/html' });
      expect([status, body]).toEqual(none);
    }
  });

  it('takes no other method', async () => {
    const form = await guarded();
    const answer = await visit(`${form.endpoint}/challenge`, { method: 'POST', body: 'x' });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, OPTIONS']);
  });

  it('gives 60 a minute to one address, beside the count of submissions', async () => {
    const form = await makeForm(server.url, {
      project: { rate_limit_per_minute: 1 },
      form: { captcha_enabled: true },
    });
    const from = '127.0.0.60';
    const answers = await Promise.all(Array.from({ length: 61 }, () => challengeOf(form, {}, from)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status }) => status)).toEqual([429]);
    const [answer] = refused;
    expect(answer?.body).toEqual({
      error: 'Rate limit exceeded. Please try again later.',
      code: 'too_many_submissions',
      retry_after: expect.any(Number),
    });
    expect(answer?.headers['retry-after']).toBe(String(answer?.body.retry_after));
    expect((await challengeOf(form, {}, '127.0.0.61')).status).toBe(200);
    expect((await postJson(form.endpoint, { a: 1 }, {}, from)).status).toBe(403);
  });
});

describe.each([
  ['turnstile', 'cf-turnstile-response'],
  ['hcaptcha', 'h-captcha-response'],
  ['recaptcha', 'g-recaptcha-response'],
] as const)('%s', (name, field) => {
  let form: MadeForm;
  let tokens = 0;
  const goodToken = (): string => {
    tokens += 1;
    return provider.hand(`${name}-${tokens}`);
  };

  beforeAll(async () => {
    form = await guarded({
      captcha_provider: name,
      captcha_site_key: 'the-site',
      captcha_secret_key: provider.secret,
    });
  });
  beforeEach(() => provider.behave({ kind: 'honest' }));

  it('lets a good token pass, under any of its names, and stores none of them', async () => {
    for (const tokenName of [field, 'challenge-response', '_challengeToken']) {
      const answer = await postJson(form.endpoint, { a: 1, [tokenName]: goodToken() });
      expect(answer.status).toBe(200);
      const stored = await getSubmission(server, answer.body.submission_id);
      expect(stored.body.data).toEqual({ a: 1 });
    }
  });

  it('receives the secret, the token and the address of the visitor behind the proxy', async () => {
    const token = goodToken();
    await postJson(form.endpoint, { [field]: token }, { 'x-forwarded-for': '198.51.100.7' });
    expect(provider.asked.at(-1)?.fields).toEqual({
      secret: provider.secret,
      response: token,
      remoteip: '198.51.100.7',
      ...(name === 'hcaptcha' ? { sitekey: 'the-site' } : {}),
    });
  });

  it('refuses what the provider refuses, and what nobody need ask about', async () => {
    const before = await kept(server, form.formId);
    const refused = await postJson(form.endpoint, { [field]: 'made up' });
    expect([refused.status, refused.body]).toEqual(refusal);
    const asked = provider.asked.length;
    const huge = await postJson(form.endpoint, { [field]: 'x'.repeat(500_000) });
    expect([huge.status, huge.body]).toEqual(refusal);
    expect(provider.asked).toHaveLength(asked);
    expect(await kept(server, form.formId)).toEqual(before);
  });

  it('that is broken is 503 with Retry-After, and nothing is stored', async () => {
    provider.behave({ kind: 'resets' });
    const before = await kept(server, form.formId);
    const parts = [textPart(field, goodToken()), filePart('f', 'f.txt', 'x')];
    const answer = await postMultipart(form.endpoint, parts, json);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('30');
    expect(answer.body).toEqual({
      error: 'CAPTCHA verification is not available. Please try again later.',
      code: 'captcha_unavailable',
    });
    expect(await kept(server, form.formId)).toEqual(before);
  });

  it('that does not know our secret is our fault, said in the log without the secret', async () => {
    provider.behave(says({ success: false, 'error-codes': ['invalid-input-secret'] }));
    const token = goodToken();
    expect((await postJson(form.endpoint, { [field]: token })).status).toBe(503);
    const words = ['a CAPTCHA could not be checked', `"${name}"`, 'invalid-input-secret'];
    const isSaid = (line: string): boolean => words.every((word) => line.includes(word));
    await waitUntil(() => server.output().split('\n').some(isSaid));
    expect(server.output()).not.toContain(provider.secret);
    expect(server.output()).not.toContain(token);
  });

  it('without a secret key cannot be passed: 503, until there is one', async () => {
    const own = await guarded({ captcha_provider: name });
    expect((await postJson(own.endpoint, { [field]: goodToken() })).status).toBe(503);
    await client(server.url).patch(`/api/v1/forms/${own.formId}`, { captcha_secret_key: provider.secret });
    expect((await postJson(own.endpoint, { [field]: goodToken() })).status).toBe(200);
  });
});

describe('a provider that hangs', () => {
  it('is given up after some seconds, and does not hold up the end of Inlet', async () => {
    const own = await startServer({ env: { TURNSTILE_VERIFY_URL: provider.url } });
    try {
      provider.behave({ kind: 'hangs' });
      const form = await makeForm(own.url, {
        form: { captcha_enabled: true, captcha_provider: 'turnstile', captcha_secret_key: 's' },
      });
      const answer = await postJson(form.endpoint, { 'cf-turnstile-response': 'token' });
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '30']);
      expect(await own.end()).toBe(0);
    } finally {
      provider.behave({ kind: 'honest' });
      await own.dispose();
    }
  });
});

/**
 * The order of the checks: cheapest first, and all of them before the body is read. Every request here announces a body that it never
 * sends, and breaks two rules at once; the response must be that of the earlier rule.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { kept } from '../../support/kept.js';
import { openRaw, type RawAnswer, requestHead } from '../../support/raw.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson } from '../../support/visitor.js';

const localhost = 'Origin: http://localhost:5173';
const outsider = 'Origin: https://outsider.example';
const wrongKey = 'X-Service-Key: wrong-key-0123456789';
const plainText = 'Content-Type: text/plain';
const json = 'Content-Type: application/json';
const hugeLength = 'Content-Length: 900000000';
const someLength = 'Content-Length: 1000';

let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.dispose());

const texts = {
  missing: 'Form not found',
  rate: 'Rate limit exceeded. Please try again later.',
  inactive: 'Form is not active',
  blocked: 'IP address is blocked',
  origin: 'Origin not allowed',
  localhost: 'Localhost not allowed in live mode. Use sandbox mode for local development.',
  sandbox: 'IP not registered for sandbox mode. Register your IP in form settings.',
  key: 'Invalid service key',
  type: 'Invalid content type',
};

/** Announces a body and never sends a byte of it. */
async function announce(publicId: string, headers: readonly string[]): Promise<RawAnswer> {
  const [asked, unasked] = await Promise.all(
    [['Expect: 100-continue'], []].map(async (expectation) => {
      const connection = await openRaw(server.port);
      connection.write(requestHead('POST', `/f/${publicId}`, [...headers, ...expectation]));
      const answer = await connection.answer(1, 5_000);
      expect(connection.received()).not.toContain('100 Continue');
      connection.vanish();
      return answer;
    }),
  );
  if (!asked || !unasked) throw new Error('no answer');
  expect([asked.status, asked.body]).toEqual([unasked.status, unasked.body]);
  return asked;
}

const errorOf = (answer: RawAnswer): [number, string] => [answer.status, JSON.parse(answer.body).error];

interface Case {
  readonly what: string;
  readonly project?: Record<string, unknown>;
  readonly form?: Record<string, unknown>;
  readonly headers: readonly string[];
  readonly expected: readonly [number, string];
}

const blockedHere = { blocked_ips: ['127.0.0.1'] };
const ownOrigin = { allowed_origins: ['example.com'] };
const sandbox = { validation_mode: 'sandbox' };

const cases: readonly Case[] = [
  {
    what: 'inactive form before blocked address',
    form: { is_active: false, ...blockedHere },
    headers: [json, someLength],
    expected: [403, texts.inactive],
  },
  {
    what: 'inactive project before blocked address',
    project: { is_active: false },
    form: blockedHere,
    headers: [json, someLength],
    expected: [403, texts.inactive],
  },
  {
    what: 'blocked address before origin',
    form: { ...blockedHere, ...ownOrigin },
    headers: [outsider, json, someLength],
    expected: [403, texts.blocked],
  },
  {
    what: 'origin before localhost',
    form: ownOrigin,
    headers: [localhost, json, someLength],
    expected: [403, texts.origin],
  },
  {
    what: 'origin before sandbox',
    form: { ...ownOrigin, ...sandbox },
    headers: [outsider, json, someLength],
    expected: [403, texts.origin],
  },
  {
    what: 'localhost before service key',
    headers: [localhost, wrongKey, json, someLength],
    expected: [403, texts.localhost],
  },
  {
    what: 'sandbox before service key',
    form: sandbox,
    headers: [wrongKey, json, someLength],
    expected: [403, texts.sandbox],
  },
  {
    what: 'service key before content type',
    headers: [wrongKey, plainText, someLength],
    expected: [403, texts.key],
  },
  {
    what: 'content type before declared size',
    headers: [plainText, hugeLength],
    expected: [400, texts.type],
  },
  {
    what: 'every access rule before the declared size',
    headers: [wrongKey, json, hugeLength],
    expected: [403, texts.key],
  },
];

describe('the order of the checks', () => {
  it('form exists before rate limit', async () => {
    const form = await makeForm(server.url, { project: { rate_limit_per_minute: 1 } });
    await postJson(form.endpoint, { a: 1 });
    expect((await postJson(form.endpoint, { a: 1 })).status).toBe(429);
    const answer = await postJson(`${server.url}/f/nosuchform`, { a: 1 });
    expect([answer.status, answer.body]).toEqual([404, { error: texts.missing, code: 'form_not_found' }]);
    expect(errorOf(await announce('nosuchform', [plainText, hugeLength]))).toEqual([404, texts.missing]);
  });

  it('rate limit before inactive form', async () => {
    const form = await makeForm(server.url, {
      project: { rate_limit_per_minute: 1 },
      form: { is_active: false, ...blockedHere },
    });
    expect((await postJson(form.endpoint, { a: 1 })).body.error).toBe(texts.inactive);
    expect(errorOf(await announce(form.publicId, [json, someLength]))).toEqual([429, texts.rate]);
  });

  it.each(cases)('$what', async ({ project = {}, form = {}, headers, expected }) => {
    const made = await makeForm(server.url, { project, form });
    expect(errorOf(await announce(made.publicId, headers))).toEqual(expected);
    expect((await kept(server, made.formId)).submissions).toBe(0);
  });
});

describe('the declared size', () => {
  let form: MadeForm;
  beforeAll(async () => {
    form = await makeForm(server.url);
  });

  it.each([
    ['application/json', 1_048_576],
    ['application/x-www-form-urlencoded', 1_048_576],
    ['multipart/form-data; boundary=x', 26_214_400],
  ])('of %s is refused at once above its limit', async (type, limit) => {
    const answer = await announce(form.publicId, [`Content-Type: ${type}`, `Content-Length: ${limit + 1}`]);
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ limit_bytes: limit });
  });

  it('at the limit is invited in', async () => {
    const connection = await openRaw(server.port);
    const head = [json, 'Content-Length: 1048576', 'Expect: 100-continue'];
    connection.write(requestHead('POST', `/f/${form.publicId}`, head));
    const body = `{"a":"${'x'.repeat(1_048_576 - 8)}"}`;
    connection.write(body);
    expect((await connection.answer()).status).toBe(200);
    expect(connection.received()).toMatch(/^HTTP\/1\.1 100 Continue\r\n/);
    connection.vanish();
  });
});

describe('what is found while reading', () => {
  it('limits and well-formedness speak before the honeypot', async () => {
    const form = await makeForm(server.url);
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`f${i}`, i]));
    expect((await postJson(form.endpoint, { _gotcha: 'bot', ...many })).status).toBe(413);
    expect((await postJson(form.endpoint, '{"_gotcha":"bot",')).status).toBe(400);
  });

  it('the honeypot speaks before the CAPTCHA', async () => {
    const form = await makeForm(server.url, { form: { captcha_enabled: true } });
    expect((await postJson(form.endpoint, { _gotcha: 'bot' })).status).toBe(200);
    expect((await postJson(form.endpoint, { a: 1 })).body).toEqual({
      error: 'CAPTCHA verification failed',
      code: 'captcha_failed',
    });
    expect((await kept(server, form.formId)).submissions).toBe(0);
  });

  it('a change of the settings counts for the very next request', async () => {
    const form = await makeForm(server.url);
    const api = client(server.url);
    expect((await postJson(form.endpoint, { a: 1 })).status).toBe(200);
    await api.patch(`/api/v1/forms/${form.formId}`, { is_active: false });
    expect((await postJson(form.endpoint, { a: 1 })).status).toBe(403);
    await api.patch(`/api/v1/forms/${form.formId}`, { is_active: true });
    expect((await postJson(form.endpoint, { a: 1 })).status).toBe(200);
    await api.patch(`/api/v1/projects/${form.projectId}`, { is_active: false });
    expect((await postJson(form.endpoint, { a: 1 })).status).toBe(403);
    await api.delete(`/api/v1/forms/${form.formId}`);
    expect((await postJson(form.endpoint, { a: 1 })).body).toEqual({
      error: 'Form not found',
      code: 'form_not_found',
    });
  });
});

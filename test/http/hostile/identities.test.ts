/** Ids, keys and forwarding headers that are not what they claim to be. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { expectHarmless, expectRefusal, expectUnharmed } from '../../support/harm.js';
import { getSubmission, kept } from '../../support/kept.js';
import { rawExchange, requestHead } from '../../support/raw.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { postJson, postUrlencoded, visit } from '../../support/visitor.js';

let server: RunningServer;
let form: MadeForm;

beforeAll(async () => {
  server = await startServer({ env: { API_RATE_LIMIT_PER_MINUTE: '100000' } });
  form = await makeForm(server.url);
});
afterAll(async () => {
  await expectUnharmed(server);
  await server.dispose();
});

const oddIds: readonly (readonly [string, string])[] = [
  ['unicode', '%E2%98%83'],
  ['raw unicode bytes', Buffer.from('☃').toString('latin1')],
  ['broken percent signs', '%zz%'],
  ['broken UTF-8', '%ff%fe'],
  ['NUL', '%00'],
  ['climbing', '..'],
  ['climbing, encoded', '%2e%2e'],
  ['climbing out', '../../api/v1/projects'],
  ['a slash, encoded', '%2Fapi%2Fv1'],
  ['SQL', "x'%20OR%20'1'='1"],
  ['a wildcard', '%25'],
  ['an object', '%5Bobject%20Object%5D'],
  ['a property name', '__proto__'],
  ['5,000 characters', 'x'.repeat(5_000)],
  ['a semicolon', 'a;b'],
  ['only a slash', '/'],
  ['nothing', ''],
];

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const json = 'Content-Type: application/json';

describe('odd form ids', () => {
  it.each(oddIds)('%s', async (_what, id) => {
    for (const method of ['POST', 'OPTIONS']) {
      const head = requestHead(method, `/f/${id}`, [json, 'Content-Length: 2']);
      const { status, body } = await rawExchange(server.port, bytes(`${head}{}`));
      // A byte that is not allowed in a request target makes the whole request malformed.
      expectRefusal({ status, text: body }, [404, 400]);
    }
    const page = await rawExchange(server.port, bytes(requestHead('GET', `/f/${id}/success`)));
    expectRefusal({ status: page.status, text: page.body }, [404, 400]);
  });

  it('the right id in another case, cut or longer is not the right id', async () => {
    for (const id of [
      form.publicId.slice(0, -1),
      `${form.publicId}x`,
      ` ${form.publicId}`,
      `${form.publicId}%00`,
    ]) {
      const answer = await postJson(`${server.url}/f/${encodeURI(id)}`, { a: 1 });
      expect(answer.status).toBe(404);
    }
  });

  it('the private id of a form is not its public one', async () => {
    const answer = await postJson(`${server.url}/f/${form.formId}`, { a: 1 });
    expect([answer.status, answer.body]).toEqual([404, { error: 'Form not found', code: 'form_not_found' }]);
  });

  it('a query on the address does no harm; a further path is no form', async () => {
    expect((await postJson(`${form.endpoint}?utm_source=x&a[]=1`, { a: 1 })).status).toBe(200);
    for (const rest of ['/', '/x', '/success/x', '/../x', '//']) {
      expectHarmless(await postJson(`${form.endpoint}${rest}`, { a: 1 }));
    }
    expectRefusal(await postJson(`${form.endpoint}/x`, { a: 1 }), [404]);
  });
});

describe('odd ids in the management interface', () => {
  it.each(oddIds)('%s', async (_what, id) => {
    for (const path of [
      `projects/${id}`,
      `forms/${id}`,
      `submissions/${id}`,
      `files/${id}`,
      `files/${id}/download`,
    ]) {
      const headers = [`Authorization: Bearer ${apiKey}`];
      const { status, body } = await rawExchange(
        server.port,
        bytes(requestHead('GET', `/api/v1/${path}`, headers)),
      );
      expectHarmless({ status, text: body });
      if (status !== 200) expect(JSON.parse(body).error).toEqual(expect.stringMatching(/\S/));
    }
  });
});

describe('odd API keys', () => {
  it.each([
    ['nothing', ''],
    ['no key', 'Bearer'],
    ['an empty key', 'Bearer '],
    ['another scheme', 'Basic dGVzdDp0ZXN0'],
    ['no scheme', apiKey],
    ['a longer key', `Bearer ${apiKey}x`],
    ['a shorter key', `Bearer ${apiKey.slice(0, -1)}`],
    ['another case', `Bearer ${apiKey.toUpperCase()}`],
    ['two keys', `Bearer ${apiKey} ${apiKey}`],
    ['a list', `Bearer ${apiKey}, Bearer ${apiKey}`],
    ['quotes', `Bearer "${apiKey}"`],
    ['10 KB', `Bearer ${'x'.repeat(10_000)}`],
    ['bytes beyond ASCII', 'Bearer \u00e9\u00ff'],
    ['SQL', "Bearer ' OR 1=1 --"],
    ['a property name', 'Bearer __proto__'],
  ])('%s', async (_what, authorization) => {
    const head = requestHead('GET', '/api/v1/projects', [`Authorization: ${authorization}`]);
    const { status, body } = await rawExchange(server.port, bytes(head));
    expect([status, JSON.parse(body)]).toEqual([401, { error: 'Invalid API key', code: 'invalid_api_key' }]);
  });

  it('the scheme is read in any case', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
      const headers = { authorization: `${scheme} ${apiKey}` };
      expect((await visit(`${server.url}/api/v1/projects`, { method: 'GET', headers })).status).toBe(200);
    }
  });

  it('a key in the query is no key', async () => {
    const answer = await client(server.url, null).get(`/api/v1/projects?api_key=${apiKey}&token=${apiKey}`);
    expect([400, 401]).toContain(answer.status);
  });
});

describe('forged forwarding headers', () => {
  const forged = {
    host: 'evil.test',
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '444',
    'x-forwarded-prefix': '/evil',
    'x-forwarded-server': 'evil.test',
    'x-forwarded-for': '203.0.113.9',
    'x-real-ip': '203.0.113.9',
    'x-client-ip': '203.0.113.9',
    'cf-connecting-ip': '203.0.113.9',
    'true-client-ip': '203.0.113.9',
    forwarded: 'for=203.0.113.9;host=evil.test;proto=https',
    'x-original-url': '/evil',
    'x-rewrite-url': '/evil',
    'x-http-method-override': 'DELETE',
  };

  it('change no link that is made', async () => {
    const redirect = await postUrlencoded(form.endpoint, 'a=1', forged);
    expect(redirect.status).toBe(303);
    expect(redirect.headers.location).toMatch(new RegExp(`^${server.url}/f/${form.publicId}/success\\?`));
    const list = await visit(`${server.url}/api/v1/projects/${form.projectId}/forms`, {
      method: 'GET',
      headers: { ...forged, authorization: `Bearer ${apiKey}` },
    });
    expect(list.body.data[0].endpoint).toBe(form.endpoint);
    expect(JSON.stringify([redirect.headers, list.headers, list.text])).not.toContain('evil');
  });

  it('change neither the address nor its rate', async () => {
    const own = await makeForm(server.url, { project: { rate_limit_per_minute: 2 } });
    const answer = await postJson(own.endpoint, { a: 1 }, forged);
    const stored = await getSubmission(server, answer.body.submission_id);
    expect(stored.body.metadata.ip).toBe('127.0.0.1');
    expect((await postJson(own.endpoint, { a: 1 })).headers['x-ratelimit-remaining']).toBe('0');
    expect((await postJson(own.endpoint, { a: 1 }, forged)).status).toBe(429);
    expect((await kept(server, own.formId)).submissions).toBe(2);
  });

  it('Host does not matter to a submission, however odd', async () => {
    for (const host of ['evil.test', 'evil.test:99999', '[::1', '<script>', 'a b']) {
      const answer = await postJson(form.endpoint, { a: 1 }, { host });
      expectHarmless(answer);
      expect(answer.text).not.toContain(host);
    }
  });
});

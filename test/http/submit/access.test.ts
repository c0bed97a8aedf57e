/** Who may submit: active forms, addresses, origins, localhost and sandbox, service key. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { kept } from '../../support/kept.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson, visit } from '../../support/visitor.js';

const originRefusal = { error: 'Origin not allowed', code: 'origin_not_allowed' };
const localhostRefusal = {
  error: 'Localhost not allowed in live mode. Use sandbox mode for local development.',
  code: 'localhost_not_allowed',
};

let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.dispose());

type Headers = Record<string, string>;
const outcome = async (form: MadeForm, headers: Headers = {}, from?: string): Promise<unknown> => {
  const answer = await postJson(form.endpoint, { a: 1 }, headers, from);
  if (answer.status === 200) return 'accepted';
  expect(answer.status).toBe(403);
  return answer.body;
};

describe('active', () => {
  it('refuses an inactive form and the forms of an inactive project', async () => {
    const form = await makeForm(server.url, { form: { is_active: false } });
    const ofProject = await makeForm(server.url, { project: { is_active: false } });
    expect(await outcome(form)).toEqual({ error: 'Form is not active', code: 'form_inactive' });
    expect(await outcome(ofProject)).toEqual({ error: 'Form is not active', code: 'form_inactive' });
    expect((await kept(server, form.formId)).submissions).toBe(0);
  });
});

describe('blocked addresses', () => {
  it('are single addresses and ranges', async () => {
    const form = await makeForm(server.url, { form: { blocked_ips: ['127.0.0.9', '127.1.0.0/16'] } });
    const refusal = { error: 'IP address is blocked', code: 'ip_blocked' };
    expect(await outcome(form, {}, '127.0.0.9')).toEqual(refusal);
    expect(await outcome(form, {}, '127.1.200.3')).toEqual(refusal);
    expect(await outcome(form, {}, '127.0.0.8')).toBe('accepted');
    expect(await outcome(form, {}, '127.2.0.1')).toBe('accepted');
  });
});

describe('origins', () => {
  it('a form without a list takes everyone', async () => {
    const form = await makeForm(server.url);
    expect(await outcome(form)).toBe('accepted');
    expect(await outcome(form, { origin: 'https://anywhere.example' })).toBe('accepted');
    expect(await outcome(form, { origin: 'null' })).toBe('accepted');
    expect(await outcome(form, { referer: 'https://anywhere.example/page' })).toBe('accepted');
  });

  it('the form has its own list, else the list of its project', async () => {
    const project = { allowed_origins: ['project.example'] };
    const inheriting = await makeForm(server.url, { project });
    const own = await makeForm(server.url, { project, form: { allowed_origins: ['form.example'] } });
    const fromProject = { origin: 'https://project.example' };
    const fromForm = { origin: 'https://form.example' };
    expect(await outcome(inheriting, fromProject)).toBe('accepted');
    expect(await outcome(inheriting, fromForm)).toEqual(originRefusal);
    expect(await outcome(own, fromForm)).toBe('accepted');
    expect(await outcome(own, fromProject)).toEqual(originRefusal);
    await client(server.url).patch(`/api/v1/forms/${own.formId}`, { allowed_origins: [] });
    expect(await outcome(own, fromProject)).toBe('accepted');
  });

  it.each([
    ['the name', 'https://example.com', true],
    ['another scheme', 'http://example.com', true],
    ['a port', 'https://example.com:8443', true],
    ['another case', 'https://EXAMPLE.Com', true],
    ['a subdomain', 'https://www.example.com', false],
    ['a longer name', 'https://notexample.com', false],
    ['a name that begins so', 'https://example.com.evil.test', false],
    ['a user name that looks so', 'https://example.com@evil.test', false],
    ['a path that looks so', 'https://evil.test/example.com', false],
    ['a wildcard’s subdomain', 'https://a.wild.test', true],
    ['a wildcard’s deep subdomain', 'https://a.b.WILD.test:99', true],
    ['a wildcard’s own name', 'https://wild.test', false],
    ['a name that ends like a wildcard', 'https://awild.test', false],
    ['an empty origin', '', false],
    ['no URL', 'example.com', false],
    ['another protocol', 'file://example.com', false],
  ])('by Origin: %s', async (_what, origin, allowed) => {
    const form = await makeForm(server.url, { form: { allowed_origins: ['example.com', '*.wild.test'] } });
    expect(await outcome(form, { origin })).toEqual(allowed ? 'accepted' : originRefusal);
  });

  it('the Referer speaks only when there is no Origin', async () => {
    const form = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
    const right = 'https://example.com/contact?x=1';
    const wrong = 'https://evil.test/example.com';
    expect(await outcome(form, { referer: right })).toBe('accepted');
    expect(await outcome(form, { referer: wrong })).toEqual(originRefusal);
    expect(await outcome(form, { origin: 'https://evil.test', referer: right })).toEqual(originRefusal);
    expect(await outcome(form, { origin: 'null', referer: right })).toEqual(originRefusal);
    expect(await outcome(form, { origin: 'https://example.com', referer: wrong })).toBe('accepted');
  });

  it('neither header: only with the right service key', async () => {
    const sandbox_api_key = 'service-key-0123456789';
    const form = await makeForm(server.url, { form: { allowed_origins: ['example.com'], sandbox_api_key } });
    expect(await outcome(form)).toEqual(originRefusal);
    expect(await outcome(form, { 'x-service-key': 'wrong' })).toEqual(originRefusal);
    expect(await outcome(form, { 'x-service-key': sandbox_api_key })).toBe('accepted');
    const foreign = { origin: 'https://evil.test', 'x-service-key': sandbox_api_key };
    expect(await outcome(form, foreign)).toEqual(originRefusal);
  });
});

describe('localhost', () => {
  const localPages = [
    'http://localhost',
    'http://localhost:3000',
    'https://LOCALHOST:5173',
    'http://app.localhost:8080',
    'http://127.0.0.1:8000',
    'http://127.0.0.5',
    'http://127.255.1.2',
    'http://[::1]:4000',
  ];

  it.each(localPages)('%s is refused in live mode, by Origin and by Referer', async (page) => {
    const form = await makeForm(server.url);
    expect(await outcome(form, { origin: page })).toEqual(localhostRefusal);
    expect(await outcome(form, { referer: `${page}/contact.html` })).toEqual(localhostRefusal);
  });

  it.each([
    'https://localhost.example',
    'https://mylocalhost',
    'http://128.0.0.1',
    'http://[::2]',
    'http://10.0.0.1',
  ])('%s is not localhost', async (page) => {
    expect(await outcome(await makeForm(server.url), { origin: page })).toBe('accepted');
  });

  it('a caller without a page is not localhost, wherever it runs', async () => {
    expect(await outcome(await makeForm(server.url))).toBe('accepted');
  });

  it('is refused in live mode although it is on the list of origins', async () => {
    const form = await makeForm(server.url, { form: { allowed_origins: ['localhost'] } });
    expect(await outcome(form, { origin: 'http://localhost:3000' })).toEqual(localhostRefusal);
  });

  it('is taken in sandbox mode from a registered address', async () => {
    const form = await makeForm(server.url, {
      form: { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'] },
    });
    for (const page of localPages) expect(await outcome(form, { origin: page })).toBe('accepted');
  });
});

describe('sandbox mode', () => {
  it('takes registered addresses and ranges only, and tells the others theirs', async () => {
    const form = await makeForm(server.url, {
      form: { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.3', '127.7.0.0/24'] },
    });
    const refusal = (ip: string) => ({
      error: 'IP not registered for sandbox mode. Register your IP in form settings.',
      code: 'ip_not_registered',
      your_ip: ip,
    });
    expect(await outcome(form, {}, '127.0.0.1')).toEqual(refusal('127.0.0.1'));
    expect(await outcome(form, { origin: 'https://example.com' }, '127.7.1.1')).toEqual(refusal('127.7.1.1'));
    expect(await outcome(form, {}, '127.0.0.3')).toBe('accepted');
    expect(await outcome(form, { origin: 'https://example.com' }, '127.7.0.250')).toBe('accepted');
    expect((await kept(server, form.formId)).submissions).toBe(2);
  });

  it('is not the mode of a new form', async () => {
    const form = await makeForm(server.url);
    const full = await client(server.url).get(`/api/v1/forms/${form.formId}`);
    expect(full.body.validation_mode).toBe('live');
  });
});

describe('the service key', () => {
  it('is optional; a wrong one is refused', async () => {
    const form = await makeForm(server.url);
    const full = await client(server.url).get(`/api/v1/forms/${form.formId}`);
    const { sandbox_api_key: key } = full.body;
    expect(await outcome(form)).toBe('accepted');
    expect(await outcome(form, { 'x-service-key': key })).toBe('accepted');
    for (const wrong of ['', `${key}x`, key.slice(0, -1), key.toUpperCase(), 'wrong']) {
      expect(await outcome(form, { 'x-service-key': wrong })).toEqual({
        error: 'Invalid service key',
        code: 'invalid_service_key',
      });
    }
  });

  it('of another form is a wrong one, and so is any when the form has none', async () => {
    const one = await makeForm(server.url, { form: { sandbox_api_key: 'one-0123456789abcdef' } });
    const other = await makeForm(server.url, { form: { sandbox_api_key: null } });
    const headers = { 'x-service-key': 'one-0123456789abcdef' };
    expect(await outcome(one, headers)).toBe('accepted');
    expect(await outcome(other, headers)).toEqual({
      error: 'Invalid service key',
      code: 'invalid_service_key',
    });
    expect(await outcome(other)).toBe('accepted');
  });
});

describe('a page that asks whether it may submit', () => {
  const ask = (form: MadeForm, headers: Headers, method = 'GET') =>
    visit(`${form.endpoint}/access`, { method, headers });
  const accessOf = async (form: MadeForm, headers: Headers): Promise<unknown> => {
    const answer = await ask(form, headers);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const here = { origin: 'https://www.example.com' };
  const elsewhere = { origin: 'https://evil.test' };

  it('learns whether its origin is allowed and the form is open, wherever it is', async () => {
    const open = await makeForm(server.url);
    const listed = await makeForm(server.url, { form: { allowed_origins: ['*.example.com'] } });
    const closed = await makeForm(server.url, {
      project: { allowed_origins: ['www.example.com'], is_active: false },
    });
    expect(await accessOf(open, elsewhere)).toEqual({ origin_allowed: true, is_open: true });
    expect(await accessOf(listed, here)).toEqual({ origin_allowed: true, is_open: true });
    expect(await accessOf(listed, elsewhere)).toEqual({ origin_allowed: false, is_open: true });
    expect(await accessOf(listed, { referer: `${here.origin}/contact` })).toMatchObject({
      origin_allowed: true,
    });
    expect(await accessOf(listed, {})).toMatchObject({ origin_allowed: false });
    expect(await accessOf(closed, here)).toEqual({ origin_allowed: true, is_open: false });
  });

  it('may always read it, and nothing keeps it', async () => {
    const listed = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
    const { headers } = await ask(listed, elsewhere);
    expect([headers['access-control-allow-origin'], headers['cache-control']]).toEqual(['*', 'no-store']);
    const preflight = await ask(listed, { ...elsewhere, 'access-control-request-method': 'GET' }, 'OPTIONS');
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(preflight.headers['access-control-allow-methods']).toBe('GET, OPTIONS');
    const posted = await ask(listed, {}, 'POST');
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, OPTIONS']);
  });

  it('of a form that does not exist gets 404, in words that it can read', async () => {
    const answer = await visit(`${server.url}/f/nosuchform/access`, { method: 'GET', headers: elsewhere });
    expect([answer.status, answer.body.code]).toEqual([404, 'form_not_found']);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  it('is limited by itself, and its submissions are not', async () => {
    const form = await makeForm(server.url);
    const from = '127.8.0.1';
    const askOnce = () => visit(`${form.endpoint}/access`, { method: 'GET', from });
    // These may span two rate-limit windows, but not three.
    const statuses = await Promise.all(Array.from({ length: 121 }, async () => (await askOnce()).status));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(60);
    expect(statuses).toContain(429);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect((await postJson(form.endpoint, { a: 1 }, {}, from)).status).toBe(200);
  });
});

/** CORS: what the preflight returns, and which pages may read which responses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson, postUrlencoded, type VisitorAnswer, visit } from '../../support/visitor.js';

let server: RunningServer;
let open: MadeForm;
let listed: MadeForm;

beforeAll(async () => {
  server = await startServer();
  open = await makeForm(server.url);
  listed = await makeForm(server.url, { form: { allowed_origins: ['example.com', '*.wild.test'] } });
});
afterAll(() => server.dispose());

const preflight = (url: string, origin: string, asked = 'content-type'): Promise<VisitorAnswer> =>
  visit(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    },
  });

const readableBy = ({ headers }: VisitorAnswer): [string | undefined, string | undefined] => [
  headers['access-control-allow-origin'],
  headers.vary,
];

describe('the preflight', () => {
  it('has the values of the interface', async () => {
    const answer = await preflight(open.endpoint, 'https://example.com');
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-methods']).toBe('POST, OPTIONS');
    expect(answer.headers['access-control-allow-headers']).toBe('Content-Type, X-Service-Key');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('names the asking origin when it is on the list, for a shared cache to keep apart', async () => {
    for (const origin of ['https://example.com', 'http://EXAMPLE.com:8080', 'https://deep.a.wild.test']) {
      const answer = await preflight(listed.endpoint, origin);
      expect(answer.status).toBe(204);
      expect(readableBy(answer)).toEqual([origin, 'Origin']);
      expect(answer.headers['access-control-allow-methods']).toBe('POST, OPTIONS');
      expect(answer.headers['access-control-allow-headers']).toBe('Content-Type, X-Service-Key');
    }
  });

  it('allows nothing to a foreign origin', async () => {
    for (const origin of ['https://evil.test', 'null', 'https://example.com.evil.test']) {
      expect(readableBy(await preflight(listed.endpoint, origin))).toEqual([undefined, 'Origin']);
    }
  });

  it('allows the headers that a script asks for', async () => {
    const asked = 'content-type,idempotency-key,hx-request';
    const answer = await preflight(open.endpoint, 'https://example.com', asked);
    const allowed = answer.headers['access-control-allow-headers']?.split(', ');
    expect(allowed).toEqual(['Content-Type', 'X-Service-Key', 'idempotency-key', 'hx-request']);
  });

  it('covers the success page as well', async () => {
    const answer = await preflight(`${listed.endpoint}/success`, 'https://example.com', 'x-requested-with');
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS');
    expect(answer.headers['access-control-allow-headers']).toContain('x-requested-with');
    expect(readableBy(answer)).toEqual(['https://example.com', 'Origin']);
    const page = await visit(`${listed.endpoint}/success`, {
      method: 'GET',
      headers: { origin: 'https://example.com' },
    });
    expect([page.status, page.headers['access-control-allow-origin']]).toEqual([200, 'https://example.com']);
  });

  it('follows the list of the project where the form has none', async () => {
    const form = await makeForm(server.url, { project: { allowed_origins: ['project.example'] } });
    expect(readableBy(await preflight(form.endpoint, 'https://project.example'))).toEqual([
      'https://project.example',
      'Origin',
    ]);
    expect(readableBy(await preflight(form.endpoint, 'https://example.com'))).toEqual([undefined, 'Origin']);
  });

  it('of an unknown form lets the page send its request, and read that there is no such form', async () => {
    const url = `${server.url}/f/nosuchform`;
    const answer = await preflight(url, 'https://example.com', 'x-custom');
    expect([answer.status, ...readableBy(answer)]).toEqual([204, '*', undefined]);
    expect(answer.headers['access-control-allow-headers']).toContain('x-custom');
    expect(answer.headers['access-control-max-age']).toBe('0');
    const sent = await postJson(url, { a: 1 }, { origin: 'https://example.com' });
    expect([sent.status, ...readableBy(sent)]).toEqual([404, '*', undefined]);
    expect(sent.body).toEqual({ error: 'Form not found', code: 'form_not_found' });
    // No browser sends a preflight like this.
    expect((await visit(url, { method: 'OPTIONS' })).status).toBe(404);
  });
});

describe('answers to POST', () => {
  it('are readable by everyone when there is no list', async () => {
    for (const headers of [{ origin: 'https://example.com' }, { origin: 'null' }, {}]) {
      const answer = await postJson(open.endpoint, { a: 1 }, headers);
      expect(answer.status).toBe(200);
      expect(readableBy(answer)).toEqual(['*', undefined]);
    }
  });

  it('are readable by an allowed page, errors included', async () => {
    const origin = 'https://example.com';
    const limited = await makeForm(server.url, {
      project: { rate_limit_per_minute: 1 },
      form: { allowed_origins: ['example.com'] },
    });
    const inactive = await makeForm(server.url, {
      form: { allowed_origins: ['example.com'], is_active: false },
    });
    const blocked = await makeForm(server.url, {
      form: { allowed_origins: ['example.com'], blocked_ips: ['127.0.0.1'] },
    });
    const sandbox = await makeForm(server.url, {
      form: { allowed_origins: ['example.com'], validation_mode: 'sandbox' },
    });
    const answers = [
      await postJson(limited.endpoint, { a: 1 }, { origin }),
      await postJson(limited.endpoint, { a: 1 }, { origin }),
      await postJson(inactive.endpoint, { a: 1 }, { origin }),
      await postJson(blocked.endpoint, { a: 1 }, { origin }),
      await postJson(sandbox.endpoint, { a: 1 }, { origin }),
      await postJson(listed.endpoint, '{', { origin }),
      await postJson(listed.endpoint, { a: 'x'.repeat(1024 * 1024) }, { origin }),
      await postJson(listed.endpoint, { a: 1 }, { origin, 'x-service-key': 'wrong' }),
      await visit(listed.endpoint, { headers: { origin, 'content-type': 'text/plain' }, body: 'x' }),
      await postUrlencoded(listed.endpoint, 'a=1', { origin }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([
      200, 429, 403, 403, 403, 400, 413, 403, 400, 303,
    ]);
    for (const answer of answers) expect(readableBy(answer)).toEqual([origin, 'Origin']);
  });

  it('let the page read the limits', async () => {
    const answer = await postJson(listed.endpoint, { a: 1 }, { origin: 'https://example.com' });
    const exposed = answer.headers['access-control-expose-headers']?.toLowerCase() ?? '';
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']) {
      expect(exposed).toContain(name);
    }
  });

  it('are not readable by a foreign page', async () => {
    for (const headers of [
      { origin: 'https://evil.test' },
      { origin: 'null', referer: 'https://evil.test/page' },
    ]) {
      const answer = await postJson(listed.endpoint, { a: 1 }, headers);
      expect([answer.status, answer.body]).toEqual([
        403,
        { error: 'Origin not allowed', code: 'origin_not_allowed' },
      ]);
      expect(readableBy(answer)).toEqual([undefined, 'Origin']);
    }
  });

  it('tell a page that hides its address why it is rejected, and its owner too', async () => {
    const form = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
    const detail = 'The page hides its address (Origin: null, no Referer). Change its Referrer-Policy.';
    const answer = await postJson(form.endpoint, { a: 1 }, { origin: 'null' });
    expect([answer.status, answer.body]).toEqual([
      403,
      { error: 'Origin not allowed', code: 'origin_hidden', detail },
    ]);
    const page = await postUrlencoded(form.endpoint, 'a=1', { origin: 'null', accept: 'text/html' });
    expect(page.text).toContain('Change its Referrer-Policy.');
    await expect
      .poll(async () => (await client(server.url).get(`/api/v1/forms/${form.formId}/rejections`)).text)
      .toContain('Origin: null and no Referer: the page hides its address');
  });

  it('keep Vary when the request has no Origin at all', async () => {
    const answer = await postJson(listed.endpoint, { a: 1 }, { referer: 'https://example.com/page' });
    expect(answer.status).toBe(200);
    expect(readableBy(answer)).toEqual([undefined, 'Origin']);
  });

  it('of the management interface are readable by no page', async () => {
    const answer = await client(server.url).get('/api/v1/projects');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

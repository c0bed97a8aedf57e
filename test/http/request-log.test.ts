/** Requests can be traced: their id is in the response and in every log line about them, with who sent them and from where. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/cli.js';
import { client, makeForm, request } from '../support/client.js';
import { apiKey, type RunningServer, startServer } from '../support/server.js';
import { postJson, visit } from '../support/visitor.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { LOG_LEVEL: 'debug', TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => server.dispose());

const lines = (): readonly Record<string, unknown>[] =>
  server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));

/** The line about this request, as soon as it exists. */
const lineOf = async (id: unknown) => {
  const isIt = (line: Record<string, unknown>) => line.request_id === id;
  return (await until(lines, (all) => all.some(isIt))).find(isIt);
};

const get = (path: string, headers: Record<string, string>, from = '127.0.0.1') =>
  visit(`${server.url}${path}`, { method: 'GET', headers, from });

const key = { authorization: `Bearer ${apiKey}` };

describe('the id of a request', () => {
  it('is the one that a trusted proxy gave it', async () => {
    const { headers } = await get('/healthz', { 'x-request-id': 'Proxy_1.a-Z' });
    expect(headers['x-request-id']).toBe('Proxy_1.a-Z');
  });

  it.each([
    ['from somebody who is not trusted', 'proxy-2', '127.0.0.9'],
    ['with a blank', 'a b', '127.0.0.1'],
    ['with quotes', '"a"', '127.0.0.1'],
    ['that is too long', 'x'.repeat(129), '127.0.0.1'],
    ['that is empty', '', '127.0.0.1'],
  ])('is made anew for one %s', async (_, given, from) => {
    const { headers } = await get('/healthz', { 'x-request-id': given }, from);
    expect(headers['x-request-id']).toMatch(/^[a-z0-9]{8}-[a-z0-9]{1,7}$/);
  });

  it('is readable by the page of a form, and stands in the line of its submission', async () => {
    const { endpoint, publicId } = await makeForm(server.url);
    for (const [path, outcome] of [
      [endpoint, 'accepted'],
      [`${server.url}/f/unknown`, 'form_not_found'],
    ] as const) {
      const { headers } = await postJson(path, { a: 1 }, { origin: 'https://example.com' });
      expect(headers['access-control-expose-headers']).toContain('X-Request-Id');
      const line = await lineOf(headers['x-request-id']);
      expect(line).toMatchObject({ msg: 'submission', outcome });
      if (outcome === 'accepted') expect(line?.form).toBe(publicId);
    }
  });
});

describe('the line of a management request', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';

  it('has its id, its trace, the address behind the proxy, and the API key by its id', async () => {
    const { headers } = await get('/api/v1/projects', {
      ...key,
      'x-request-id': 'followed',
      'x-forwarded-for': '203.0.113.7',
      traceparent: `00-${trace}-b7ad6b7169203331-01`,
    });
    const { body } = await client(server.url).get('/api/v1/api-keys');
    const line = await lineOf(headers['x-request-id']);
    expect(line).toMatchObject({
      ...{ msg: 'request', method: 'GET', path: '/api/v1/projects', status: 200 },
      ...{ ip: '203.0.113.7', key: body.data[0].id, request_id: 'followed', trace_id: trace },
    });
  });

  it.each([
    ['ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ['00-00000000000000000000000000000000-b7ad6b7169203331-01'],
    ['00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01'],
    ['nonsense'],
  ])('has no trace for %s', async (traceparent) => {
    const { headers } = await get('/api/v1/projects', { ...key, traceparent });
    expect(await lineOf(headers['x-request-id'])).not.toHaveProperty('trace_id');
  });

  it('names the user who is signed in', async () => {
    const signed = await startServer({
      env: {
        LOG_LEVEL: 'info',
        INLET_ADMIN_EMAIL: 'ada@example.com',
        INLET_ADMIN_PASSWORD: 'correct horse battery',
      },
    });
    try {
      const opened = await request(`${signed.url}/api/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: signed.url },
        body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' }),
      });
      const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      expect((await request(`${signed.url}/api/v1/projects`, { headers: { cookie } })).status).toBe(200);
      const line = await until(
        () => /^\{.*"path":"\/api\/v1\/projects".*\}$/m.exec(signed.output())?.[0] ?? '',
        (text) => text !== '',
      );
      expect(JSON.parse(line).user).toMatch(/^[\w-]{20,}$/);
    } finally {
      await signed.dispose();
    }
  });

  it('is there for a wrong key, but not for every one', async () => {
    const before = lines().filter(({ msg }) => msg === 'request denied').length;
    const wrong = { authorization: 'Bearer wrong', 'x-forwarded-for': '198.51.100.9' };
    const { headers, status } = await get('/api/v1/projects', wrong);
    expect(status).toBe(401);
    expect(await lineOf(headers['x-request-id'])).toMatchObject({
      ...{ msg: 'request denied', status: 401, ip: '198.51.100.9', path: '/api/v1/projects' },
    });
    for (let i = 0; i < 20; i += 1) await get('/api/v1/projects', wrong);
    const last = await get('/api/v1/projects', key);
    await lineOf(last.headers['x-request-id']);
    expect(lines().filter(({ msg }) => msg === 'request denied')).toHaveLength(before + 1);
    const { text } = await request(`${server.url}/metrics`);
    expect(text).toMatch(/^inlet_http_request_duration_seconds_count\{.*status="401".*\} 21$/m);
  });
});

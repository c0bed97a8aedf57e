/** The security headers of every response, from every part of the service. Generated over all operations and all other paths. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, makeForm, request } from '../support/client.js';
import { openRaw, type RawAnswer, requestHead } from '../support/raw.js';
import { apiKey, freePort, type RunningServer, startServer } from '../support/server.js';
import { submitFiles } from '../support/upload.js';

const key = `Authorization: Bearer ${apiKey}`;
const json = 'Content-Type: application/json';
const html = 'Accept: text/html';

describe.each([
  ['http', {}, undefined],
  ['https', { BASE_URL: 'https://forms.example.com' }, 'max-age=31536000'],
])('behind %s', (_scheme, env, hsts) => {
  let server: RunningServer;
  /** By name, so that a failure identifies the request. */
  const requests = new Map<string, string>();
  const opsRequests = new Map<string, string>();
  let opsPort: number;

  const ask = (method: string, target: string, ...headers: string[]): void => {
    const name = `${method} ${target} ${headers.join(', ').slice(0, 100)}`;
    requests.set(name, requestHead(method, target, [...headers, 'Connection: close']));
  };

  const askSubmissions = (publicId: string): void => {
    const target = `/f/${publicId}`;
    const fields = { 'application/json': '{"a":1}', 'application/x-www-form-urlencoded': 'a=1' };
    for (const [type, body] of Object.entries(fields)) {
      const headers = [`Content-Type: ${type}`, `Content-Length: ${body.length}`, 'Connection: close'];
      requests.set(`POST of ${type}`, requestHead('POST', target, headers) + body);
    }
    ask('POST', target, html, 'Content-Type: text/plain', 'Content-Length: 0');
    ask('POST', '/f/unknown', json, 'Content-Length: 0');
    ask('POST', '/f/unknown', html);
    ask('OPTIONS', target, 'Origin: https://a.test', 'Access-Control-Request-Method: POST');
    ask('GET', target);
    ask('GET', `${target}/success`, html);
    ask('HEAD', `${target}/success`, html);
    ask('GET', `${target}/challenge`);
    ask('GET', `${target}/access`);
    ask('GET', `${target}/nothing`);
  };

  const askOthers = async (publicId: string): Promise<void> => {
    const sent = await submitFiles(`${server.url}/f/${publicId}`, [
      { field: 'upload', filename: 'notes.txt', type: 'text/plain', content: 'text' },
    ]);
    const download = `/api/v1/files/${sent.body.files[0].id}/download`;
    // The link has the host of the base address, which is not contacted.
    const { pathname, search } = new URL(
      (await client(server.url).get(download)).headers.get('location') ?? '',
    );
    ask('GET', `${pathname}${search}`);
    ask('GET', `${pathname}${search}`, 'Range: bytes=9999-');
    ask('HEAD', `${pathname}${search}`);
    const page = (await request(`${server.url}/dashboard`)).text;
    const asset = /\/dashboard\/assets\/[\w.-]+\.js/.exec(page)?.[0] ?? '';
    expect(asset).not.toBe('');
    const style = /assets\/[\w.-]+\.css/.exec(
      (await request(`${server.url}/f/x/success`, { headers: { accept: 'text/html' } })).text,
    );
    const paths = [
      '/',
      '/healthz',
      '/readyz',
      '/metrics',
      '/openapi.json',
      '/docs',
      '/docs/guides/webhooks',
      '/docs/guides/webhooks.md',
      '/docs/none',
      '/docs/assets/none.js',
      '/confirm/none',
      '/unsubscribe?token=none',
      '/resubscribe?token=none',
      '/dashboard/mail-frame',
    ];
    for (const path of [
      ...paths,
      '/dashboard',
      '/dashboard/forms',
      asset,
      '/dashboard/assets/none.js',
      `/${style?.[0] ?? ''}`,
    ])
      ask('GET', path);
    for (const path of [
      '/inlet.js',
      '/inlet-solver.js',
      '/inlet-embed.js',
      '/nothing',
      '/api/v1/nothing',
      '/%',
      '/api/v1/events%',
    ])
      ask('GET', path);
    ask('HEAD', '/healthz');
    ask('HEAD', '/api/v1/events', key);
    ask('GET', '/healthz', 'Expect: a-miracle');
    ask('GET', '/healthz', 'Host: other.test');
    ask('GET', '/healthz', `X-Large: ${'x'.repeat(20_000)}`);
    requests.set('not HTTP', 'NOT HTTP\r\n\r\n');
    requests.set('chunks in HTTP/1.0', 'POST /f/x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
  };

  const askOperations = async (): Promise<void> => {
    const { paths } = (await request(`${server.url}/openapi.json`)).body;
    for (const [template, operations] of Object.entries<Record<string, unknown>>(paths)) {
      for (const method of Object.keys(operations).map((name) => name.toUpperCase())) {
        const target = template.replace(/\{\w+\}/, 'unknown-id');
        ask(method, target, json, 'Content-Length: 0');
        if (template !== '/api/v1/events') ask(method, target, key, json, 'Content-Length: 0');
      }
    }
  };

  beforeAll(async () => {
    opsPort = await freePort();
    server = await startServer({
      env: { ...env, API_RATE_LIMIT_PER_MINUTE: '100000', OPS_PORT: String(opsPort) },
    });
    const { publicId } = await makeForm(server.url);
    askSubmissions(publicId);
    await askOthers(publicId);
    await askOperations();
    for (const path of ['/healthz', '/readyz', '/metrics', '/nothing']) {
      opsRequests.set(`ops ${path}`, requestHead('GET', path, ['Connection: close']));
    }
    opsRequests.set('ops, not HTTP', 'NOT HTTP\r\n\r\n');
  });
  afterAll(() => server.dispose());

  /** Reads only the head, because a response to HEAD has no body. */
  async function headOf(port: number, bytes: string): Promise<RawAnswer['headers']> {
    const connection = await openRaw(port);
    connection.write(bytes);
    await connection.closed;
    const [head = ''] = connection.received().split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 [2-5]\d\d /);
    const lines = head.split('\r\n').slice(1);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const name = line.slice(0, line.indexOf(':')).toLowerCase();
      // A repeated header would be two policies.
      expect([...headers.keys()].filter((known) => known !== 'set-cookie')).not.toContain(name);
      headers.set(name, line.slice(line.indexOf(':') + 1).trim());
    }
    return headers;
  }

  /** Lists the unguarded responses. */
  const unguarded = async (
    port: number,
    asked: ReadonlyMap<string, string>,
    expectedHsts: string | undefined,
  ): Promise<readonly string[]> => {
    const bare = await Promise.all(
      [...asked].map(async ([name, bytes]) => {
        const headers = await headOf(port, bytes);
        const isGuarded =
          headers.get('x-content-type-options') === 'nosniff' &&
          /(^|; )frame-ancestors ('none'|'self'|\*)(;|$)/.test(
            headers.get('content-security-policy') ?? '',
          ) &&
          /^(no-referrer|same-origin|no-referrer-when-downgrade)$/.test(
            headers.get('referrer-policy') ?? '',
          ) &&
          headers.get('strict-transport-security') === expectedHsts;
        return isGuarded ? [] : [`${name}: ${JSON.stringify(Object.fromEntries(headers))}`];
      }),
    );
    return bare.flat();
  };

  it('every response is guarded', async () => {
    expect(requests.size).toBeGreaterThan(140);
    expect(await unguarded(server.port, requests, hsts)).toEqual([]);
  });

  it('every response has an id of its own, also what is no request', async () => {
    const all = [...requests].map(([, bytes]) => [server.port, bytes] as const);
    const ops = [...opsRequests].map(([, bytes]) => [opsPort, bytes] as const);
    const ids = await Promise.all(
      [...all, ...ops].map(async ([port, bytes]) => (await headOf(port, bytes)).get('x-request-id')),
    );
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('those of OPS_PORT are too, which is reached without the proxy', async () => {
    expect(await unguarded(opsPort, opsRequests, undefined)).toEqual([]);
  });
});

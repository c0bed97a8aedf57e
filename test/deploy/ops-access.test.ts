/** Who may read /metrics and the details of /readyz: nobody by accident. Decisions, row OPS_TOKEN, OPS_PORT. */
import { rename } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/cli.js';
import { type Answer, makeForm, request, submitJson } from '../support/client.js';
import { rawRequest } from '../support/raw-http.js';
import { apiKey, freePort, type RunningServer, startServer } from '../support/server.js';

const opsToken = 'ops-token-0123456789';
const publicBase = 'https://forms.example.com';
const notFound = { error: 'Not found', code: 'path_not_found' };
const details = {
  status: 'ok',
  checks: { database: 'ok', storage: 'ok' },
  queue_age_seconds: expect.any(Number),
};

const servers: RunningServer[] = [];
const start = async (env: Record<string, string>): Promise<RunningServer> => {
  const server = await startServer({ env });
  servers.push(server);
  return server;
};
const get = (base: string, path: string, token?: string): Promise<Answer> =>
  request(base + path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });

const seesNothing = async (base: string, token?: string): Promise<void> => {
  const metrics = await get(base, '/metrics', token);
  expect([metrics.status, metrics.body]).toEqual([404, notFound]);
  const ready = await get(base, '/readyz', token);
  expect([ready.status, ready.body]).toEqual([200, { status: 'ok' }]);
};
const isUnauthorized = async (base: string, token?: string): Promise<void> => {
  const metrics = await get(base, '/metrics', token);
  expect([metrics.status, metrics.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(metrics.body).toEqual({ error: 'Invalid or missing token', code: 'invalid_ops_token' });
  const ready = await get(base, '/readyz', token);
  expect([ready.status, ready.body]).toEqual([200, { status: 'ok' }]);
};
const seesEverything = async (base: string, token?: string): Promise<void> => {
  const metrics = await get(base, '/metrics', token);
  expect([metrics.status, metrics.text]).toEqual([200, expect.stringContaining('\ninlet_info{')]);
  const ready = await get(base, '/readyz', token);
  expect([ready.status, ready.body]).toEqual([200, details]);
};

afterAll(() => Promise.all(servers.map((server) => server.dispose())));

describe('without OPS_TOKEN and OPS_PORT', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await start({ BASE_URL: publicBase, LOG_LEVEL: 'info' });
  });

  it('a public instance shows outsiders only whether it is available, and tells the operator why', async () => {
    await seesNothing(server.url);
    await seesNothing(server.url, apiKey);
    expect((await get(server.url, '/healthz')).body).toEqual({ status: 'ok' });
    expect(server.output()).toContain('metrics are not served: set OPS_TOKEN or OPS_PORT');
    for (const path of ['/metrics/', '/metrics?x', '/%6detrics']) {
      expect((await rawRequest(server.port, path)).status, path).toBe(404);
    }
    expect((await rawRequest(server.port, '/metrics', { method: 'HEAD' })).status).toBe(404);
  });

  it('a public instance that fails does not say which part does', async () => {
    const files = join(server.dataDir, 'files');
    await rename(files, `${files}.away`);
    const failed = await until(
      () => get(server.url, '/readyz'),
      ({ status }) => status === 503,
    );
    expect(failed.body).toEqual({ status: 'unavailable' });
    await rename(`${files}.away`, files);
  });

  it('no response names the program or its version in a header', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/docs', '/openapi.json', '/dashboard', '/f/x']) {
      const { headers } = await get(server.url, path);
      expect([headers.get('server'), headers.get('x-powered-by')], path).toEqual([null, null]);
    }
  });

  it('an instance whose BASE_URL is a loopback address shows everything', async () => {
    await seesEverything((await start({})).url);
  });
});

describe('with OPS_TOKEN', () => {
  it.each([
    ['public', { BASE_URL: publicBase }],
    ['loopback', {}],
  ])('%s BASE_URL: shows everything with the token, and nothing with anything else', async (_, env) => {
    const { url, port } = await start({ ...env, OPS_TOKEN: opsToken });
    await seesEverything(url, opsToken);
    for (const token of [undefined, apiKey, `${opsToken}x`, opsToken.slice(0, -1), opsToken.toUpperCase()]) {
      await isUnauthorized(url, token);
    }
    await isUnauthorized(`${url}/../`.replace('/../', ''), '');
    const twice = [
      ['Authorization', `Bearer ${opsToken}`],
      ['Authorization', 'Bearer other'],
    ] as const;
    expect((await rawRequest(port, '/metrics', { headers: twice })).status).toBe(401);
    expect((await rawRequest(port, `/metrics?token=${opsToken}`)).status).toBe(401);
  });
});

describe('with OPS_PORT', () => {
  it('shows everything there and nothing else, and nothing on PORT', async () => {
    const opsPort = await freePort();
    const ops = `http://127.0.0.1:${opsPort}`;
    // BASE_URL is on loopback: OPS_PORT decides, not the address.
    const { url } = await start({ OPS_PORT: String(opsPort) });
    await seesNothing(url);
    await seesNothing(url, opsToken);
    await seesEverything(ops);
    expect((await get(ops, '/healthz')).body).toEqual({ status: 'ok' });
    const { endpoint, publicId } = await makeForm(url);
    expect((await submitJson(endpoint, { a: 1 })).status).toBe(200);
    expect((await get(ops, '/metrics')).text).toContain('\ninlet_submissions_total{outcome="accepted"} 1\n');
    for (const path of ['/', '/dashboard', '/docs', '/openapi.json', '/api/v1/account', `/f/${publicId}`]) {
      const answer = await get(ops, path, apiKey);
      expect([answer.status, answer.body], path).toEqual([404, notFound]);
    }
  });

  it('reports there that the process is stopping, while requests in flight finish', async () => {
    const opsPort = await freePort();
    const server = await start({ OPS_PORT: String(opsPort) });
    const { publicId } = await makeForm(server.url);
    const slow = connect(server.port, '127.0.0.1');
    slow.on('error', () => {});
    const head = `POST /f/${publicId} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n`;
    await new Promise<void>((resolve) => slow.write(`${head}{"a"`, () => resolve()));
    // Once the server responds to this later request, it has read the first one.
    await get(server.url, '/healthz');
    server.process.kill('SIGTERM');
    const ready = await until(
      () => get(`http://127.0.0.1:${opsPort}`, '/readyz'),
      ({ status }) => status !== 200,
    );
    expect([ready.status, ready.body]).toEqual([503, { ...details, status: 'unavailable' }]);
    slow.end(':1}');
    expect(await server.exited).toBe(0);
  });

  it('and OPS_TOKEN: the token is needed there too, and also opens PORT', async () => {
    const opsPort = await freePort();
    const ops = `http://127.0.0.1:${opsPort}`;
    const { url } = await start({ BASE_URL: publicBase, OPS_PORT: String(opsPort), OPS_TOKEN: opsToken });
    await seesNothing(url);
    await isUnauthorized(ops);
    await isUnauthorized(ops, `${opsToken}x`);
    await seesEverything(ops, opsToken);
    await seesEverything(url, opsToken);
  });
});

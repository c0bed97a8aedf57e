/** Behind the shipped proxy files no visitor can choose the address they are identified by, or reach internal paths. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeForm } from '../support/client.js';
import { getSubmission } from '../support/kept.js';
import { hostName, type ProxyServer, startNginx } from '../support/services/proxies.js';
import { type Proxied, startProxied, submitThrough, visitThrough } from './proxied.js';

let proxied: Proxied;
beforeAll(async () => {
  proxied = await startProxied();
});
afterAll(() => proxied?.dispose());

const forged = '203.0.113.9';
/** What visitors may claim about their address, in every spelling that some software trusts. */
const claims: readonly [string, Record<string, string | readonly string[]>][] = [
  ['nothing', {}],
  ['X-Forwarded-For', { 'X-Forwarded-For': forged }],
  ['a trusted hop', { 'X-Forwarded-For': `${forged}, 127.0.0.1` }],
  ['two headers', { 'X-Forwarded-For': [forged, '127.0.0.1'] }],
  ['Forwarded', { Forwarded: `for=${forged}` }],
  ['X-Real-IP', { 'X-Real-IP': forged, 'X-Client-IP': forged, 'True-Client-IP': forged }],
  ['underscores', { X_Forwarded_For: forged }],
  // A proxy that drops the headers named in Connection would drop its own.
  ['hop by hop', { Connection: 'close, X-Forwarded-For', 'X-Forwarded-For': forged }],
  ['hop by hop, nothing claimed', { Connection: 'close, x-forwarded-for, Host' }],
  ['garbage', { 'X-Forwarded-For': 'unknown, "a, [::1' }],
];

describe.each([
  ['nginx', 0],
  ['Caddy', 1],
  ['HAProxy', 2],
] as const)('%s', (_name, which) => {
  const proxy = (): ProxyServer => proxied.proxies[which];

  it.each(['127.0.0.9', '::1'])(
    'a visitor from %s is known by that address, whatever they claim',
    async (from) => {
      const form = await makeForm(proxied.server.url);
      const seen: string[] = [];
      for (const [, headers] of claims) {
        const answer = await submitThrough(proxy(), form.publicId, { a: 1 }, { headers, from });
        expect(answer.status, answer.text).toBe(200);
        const { body } = await getSubmission(proxied.server, JSON.parse(answer.text).submission_id);
        seen.push(body.metadata.ip);
      }
      expect(seen).toEqual(claims.map(() => from));
    },
  );

  it('gives every request an id that the visitor does not choose', async () => {
    const ids: unknown[] = [];
    for (const headers of [{}, { 'X-Request-Id': 'chosen' }, { 'X-Request-Id': ['chosen', 'chosen'] }]) {
      ids.push((await visitThrough(proxy(), '/healthz', { headers })).headers['x-request-id']);
    }
    // The proxy's id, so that its log can be matched. Inlet's ids are shorter.
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{32,36}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('hides nothing of the dashboard', async () => {
    for (const path of ['/dashboard/readyz', '/dashboard/metrics']) {
      expect((await visitThrough(proxy(), path)).status, path).toBe(200);
    }
  });

  it('limits, blocks and the sandbox go by that address', async () => {
    const { url } = proxied.server;
    const headers = (n: number) => ({ headers: { 'X-Forwarded-For': `203.0.113.${n}` } });
    const limited = await makeForm(url, { project: { rate_limit_per_minute: 2 } });
    const statuses: number[] = [];
    for (const n of [1, 2, 3]) {
      statuses.push((await submitThrough(proxy(), limited.publicId, { n }, headers(n))).status);
    }
    expect(statuses).toEqual([200, 200, 429]);

    const blocked = await makeForm(url, { form: { blocked_ips: ['127.0.0.9'] } });
    expect((await submitThrough(proxy(), blocked.publicId, {}, headers(1))).text).toContain('blocked');
    const sandbox = await makeForm(url, { form: { validation_mode: 'sandbox', sandbox_ips: [forged] } });
    const refused = await submitThrough(proxy(), sandbox.publicId, {}, headers(9));
    expect(JSON.parse(refused.text).your_ip).toBe('127.0.0.9');
  });

  it.each(['/metrics', '/readyz'])('%s stays inside, however it is written', async (path) => {
    const letter = path.charCodeAt(1).toString(16);
    const rest = path.slice(2);
    const spellings = [
      path,
      `/${path}`,
      `${path}/`,
      `${path}?a`,
      `${path};a`,
      `${path}%00`,
      `${path}%20`,
      `${path}%2f`,
      `${path}%3f`,
      `${path}/..`,
      `${path}/%2e%2e`,
      `${path};/..`,
      `${path}/../${path}`,
      `/%${letter}${rest}`,
      `/%25${letter}${rest}`,
      `/.${path}`,
      `/%2e${path}`,
      `/%2f${path.slice(1)}`,
      `/\\${path.slice(1)}`,
      `/f/..${path}`,
      `/f/%2e%2e${path}`,
      `/f/..%2f${path.slice(1)}`,
      `/api/v1/../..${path}`,
      path.toUpperCase(),
      `https://${hostName}${path}`,
      `http://${hostName}/${path}`,
    ];
    for (const spelling of spellings) {
      const answer = await visitThrough(proxy(), spelling);
      expect([400, 404], spelling).toContain(answer.status);
      expect(answer.text, spelling).not.toMatch(/inlet_|"database"/);
    }
  });
});

it('behind another proxy nginx extends the list, as its comment says, and the visitor is still who they are', async () => {
  const { server } = proxied;
  const inner = await startNginx({
    upstreamPorts: [server.port],
    replace: [
      ['X-Forwarded-For $remote_addr', 'X-Forwarded-For $proxy_add_x_forwarded_for'],
      [/ ssl http2;/, ';'],
    ],
  });
  const outer = await startNginx({ upstreamPorts: [inner.port] });
  try {
    const form = await makeForm(server.url);
    for (const [what, headers] of claims) {
      const answer = await submitThrough(outer, form.publicId, {}, { headers });
      expect(answer.status, answer.text).toBe(200);
      const { body } = await getSubmission(server, JSON.parse(answer.text).submission_id);
      expect(body.metadata.ip, what).toBe('127.0.0.9');
    }
  } finally {
    await outer.dispose();
    await inner.dispose();
  }
});

it('nginx sends visitors of port 80 to the instance, not to a host that they name', async () => {
  const answer = await fetch(`http://127.0.0.1:${proxied.proxies[0].plainPort}/f/a?b=c`, {
    redirect: 'manual',
    headers: { host: 'attacker.example' },
  });
  expect([answer.status, answer.headers.get('location')]).toEqual([308, `https://${hostName}/f/a?b=c`]);
});

it('nginx leaves what proves the host name for a certificate to certbot', async () => {
  const proof = `http://127.0.0.1:${proxied.proxies[0].plainPort}/.well-known/acme-challenge/none`;
  // nginx looks for it on its disk and does not send it to Inlet.
  expect((await fetch(proof, { redirect: 'manual' })).status).toBe(404);
});

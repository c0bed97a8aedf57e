/** Large, slow or long transfers through the shipped proxy files: nothing is buffered, cut short, or left open without a client. */
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, multipartBody } from '../support/bodies.js';
import { type MadeForm, makeForm, submitJson } from '../support/client.js';
import { openRawTls } from '../support/raw.js';
import { apiKey, freePort } from '../support/server.js';
import {
  hostName,
  type ProxyOptions,
  type ProxyServer,
  startCaddy,
  startHaproxy,
  startNginx,
} from '../support/services/proxies.js';
import { startTurning } from '../support/webhooks.js';
import { type Proxied, startProxied, submitThrough, visitThrough } from './proxied.js';

let proxied: Proxied;
/** Its export is larger than all buffers of a connection together. */
let long: MadeForm;
const rows = 20;
const text = 'x'.repeat(900_000);
const longBytes = rows * text.length;
beforeAll(async () => {
  proxied = await startProxied();
  long = await makeForm(proxied.server.url);
  for (let i = 0; i < rows; i += 1) {
    expect((await submitJson(direct(long.publicId), { text })).status).toBe(200);
  }
});
afterAll(() => proxied?.dispose());

const authorized = { authorization: `Bearer ${apiKey}` };
const mebibyte = 1024 * 1024;
const direct = (publicId: string): string => `${proxied.server.url}/f/${publicId}`;
const exportPath = (formId: string): string => `/api/v1/forms/${formId}/submissions/export`;

/** Opens a response that the test reads step by step. */
function open(proxy: ProxyServer, path: string) {
  let text = '';
  const sent = request({
    ...{ host: '127.0.0.1', port: proxy.port, path, servername: hostName, rejectUnauthorized: false },
    ...{ agent: false, headers: { host: hostName, ...authorized } },
  });
  const status = new Promise<number>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.on('error', () => {});
      response.on('data', (chunk) => {
        text += chunk;
      });
      resolve(response.statusCode ?? 0);
    });
  });
  sent.end();
  return { status, text: () => text, leave: () => void sent.destroy() };
}

/** Reads nothing for a second, then everything. Resolves with the number of bytes. */
const slowly = (proxy: ProxyServer, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request({
      ...{ host: '127.0.0.1', port: proxy.port, path, servername: hostName, rejectUnauthorized: false },
      ...{ agent: false, headers: { host: hostName, ...authorized } },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('error', reject).on('end', () => resolve(bytes));
      // Gives a proxy that buffers the time to show it. One that does not is never late.
      response.pause();
      setTimeout(() => response.resume(), 1_000);
    });
    sent.end();
  });

/** Files of 9 MiB each. */
const files = (count: number): Buffer =>
  multipartBody(
    'b',
    Array.from({ length: count }, (_, i) => filePart('f', `${i}.bin`, Buffer.alloc(9 * mebibyte, i))),
  );

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 256 * 1024) yield bytes.subarray(at, at + 256 * 1024);
}

describe.each([
  ['nginx', 0],
  ['Caddy', 1],
  ['HAProxy', 2],
] as const)('%s', (_name, which) => {
  const proxy = (): ProxyServer => proxied.proxies[which];
  const upload = (id: string, body: Buffer, isChunked: boolean) =>
    visitThrough(proxy(), `/f/${id}`, {
      method: 'POST',
      headers: {
        'content-type': 'multipart/form-data; boundary=b',
        accept: 'application/json',
        ...(isChunked ? {} : { 'content-length': String(body.length) }),
      },
      body: pieces(body),
    });

  it('events arrive at once, and a page that is left frees its place at once', async () => {
    const form = await makeForm(proxied.server.url);
    const page = open(proxy(), '/api/v1/events');
    expect(await page.status).toBe(200);
    const { body } = await submitJson(direct(form.publicId), { a: 1 });
    await expect.poll(page.text).toContain(body.submission_id);
    page.leave();
    // A key may have ten streams. Those of closed pages would otherwise be freed with the second heartbeat, after 30 s.
    for (let round = 0; round < 3; round += 1) {
      const pages = Array.from({ length: 10 }, () => open(proxy(), '/api/v1/events'));
      for (const { status } of pages) await status;
      for (const { leave } of pages) leave();
    }
    await expect
      .poll(
        async () => {
          const again = open(proxy(), '/api/v1/events');
          const status = await again.status;
          again.leave();
          return status;
        },
        { timeout: 25_000, interval: 200 },
      )
      .toBe(200);
  });

  it('uploads are limited by Inlet, at its number and in its words', async () => {
    const form = await makeForm(proxied.server.url);
    const whole = await upload(form.publicId, files(2), true);
    expect([whole.status, JSON.parse(whole.text).files?.length]).toEqual([200, 2]);
    for (const isChunked of [true, false]) {
      const refused = await upload(form.publicId, files(3), isChunked);
      expect([refused.status, refused.text]).toEqual([
        413,
        JSON.stringify({
          error: 'The body is larger than 26214400 bytes',
          code: 'body_too_large',
          limit_bytes: 26214400,
        }),
      ]);
    }
  });

  it('a redirect waits for the webhook', async () => {
    const receiver = await startTurning('hang');
    try {
      const form = await makeForm(proxied.server.url, {
        form: {
          ...{ wait_for_webhook: true, webhook_url: receiver.url },
          success_redirect: 'https://example.com/thanks',
        },
      });
      const visit = visitThrough(proxy(), `/f/${form.publicId}`, {
        method: 'POST',
        headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
        body: 'name=Ada',
      });
      await expect.poll(() => receiver.requests.length).toBe(1);
      receiver.release();
      const { status, headers } = await visit;
      expect([status, headers.location]).toEqual([303, expect.stringMatching(/&webhook=delivered$/)]);
    } finally {
      await receiver.close();
    }
  });

  it('a long response waits for its reader and is not written to the disk of the proxy', async () => {
    const lines = await slowly(proxy(), `${exportPath(long.formId)}?format=jsonl`);
    expect(lines).toBeGreaterThan(longBytes);
    expect(proxy().log()).not.toContain('temporary file');
  });
});

/** Shortens timeouts of a minute to 2 seconds. Caddy has none for bodies. */
const minute = (...names: string[]): NonNullable<ProxyOptions['replace']> =>
  names.map((name) => [new RegExp(`${name} 60s`), `${name} 2s`] as const);
it.each([
  ['nginx', startNginx, minute('client_body_timeout', 'proxy_read_timeout', 'proxy_send_timeout')],
  ['Caddy', startCaddy, []],
  ['HAProxy', startHaproxy, minute('timeout client', 'timeout server')],
] as const)('%s takes a slow upload: no timeout is for all of it', async (_name, start, replace) => {
  const proxy = await start({ upstreamPorts: [proxied.server.port], replace });
  try {
    const form = await makeForm(proxied.server.url);
    const bytes = multipartBody('b', [filePart('f', 'slow.bin', Buffer.alloc(64 * 1024, 7))]);
    const step = Math.ceil(bytes.length / 12);
    const drip = async function* (): AsyncGenerator<Buffer> {
      for (let at = 0; at < bytes.length; at += step) {
        yield bytes.subarray(at, at + step);
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    };
    const { status, text } = await visitThrough(proxy, `/f/${form.publicId}`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b', accept: 'application/json' },
      body: drip(),
    });
    expect([status, JSON.parse(text).files?.length], text).toEqual([200, 1]);
  } finally {
    await proxy.dispose();
  }
});

it.each([
  ['nginx', startNginx],
  ['HAProxy', startHaproxy],
])('%s says in JSON that no process is up, for scripts of every site', async (_name, start) => {
  const proxy = await start({ upstreamPorts: [await freePort()] });
  try {
    const { status, headers, text } = await submitThrough(proxy, 'form', {});
    expect([502, 503]).toContain(status);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(JSON.parse(text)).toEqual({
      error: 'The service is busy. Please try again later.',
      code: 'service_busy',
    });
  } finally {
    await proxy.dispose();
  }
});

it('nginx waits for an export that is silent longer than anything else may be, and keeps no connection too long', async () => {
  const nginx = await startNginx({
    upstreamPorts: [proxied.server.port],
    replace: [
      [/proxy_read_timeout 60s;/, 'proxy_read_timeout 1s;'],
      [/keepalive_timeout 60s;/, 'keepalive_timeout 1s;'],
    ],
  });
  const { pid } = proxied.server.process;
  if (pid === undefined) throw new Error('no process');
  try {
    const form = await makeForm(proxied.server.url);
    // Reuses connections around the moment when nginx closes them.
    for (const pauseMs of [980, 1_020]) {
      const burst = Array.from({ length: 8 }, (_, n) => submitThrough(nginx, form.publicId, { n }));
      expect((await Promise.all(burst)).map(({ status }) => status)).toEqual(Array(8).fill(200));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    process.kill(pid, 'SIGSTOP');
    const silent = visitThrough(nginx, exportPath(form.formId), { headers: authorized });
    const other = await visitThrough(nginx, '/healthz');
    process.kill(pid, 'SIGCONT');
    expect(other.status).toBe(504);
    expect((await silent).status).toBe(200);
  } finally {
    process.kill(pid, 'SIGCONT');
    await nginx.dispose();
  }
});

it('Caddy ends a connection on which no request comes', async () => {
  const caddy = await startCaddy({
    upstreamPorts: [proxied.server.port],
    replace: [[/read_header 10s/, 'read_header 1s']],
  });
  try {
    const quiet = await openRawTls(caddy.port, hostName);
    const half = await openRawTls(caddy.port, hostName);
    half.write('GET /healthz HTTP/1.1\r\nHost: ');
    await Promise.all([quiet.closed, half.closed]);
  } finally {
    await caddy.dispose();
  }
});

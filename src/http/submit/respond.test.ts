import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { aCompiledForm, aForm, someTime } from '../../../test/support/nouns.js';
import { newId } from '../../kernel/ids.js';
import { refuse } from '../../model/errors.js';
import { addRate, createAnswers, redirectTarget, sendAcceptedJson, sendRedirect } from './respond.js';

const id = newId(someTime);
const { sendRefusal, sendInternalError, sendThanks } = createAnswers('https://forms.example.com');
const html = { accept: 'text/html' };

describe('redirectTarget', () => {
  const added = new URLSearchParams({ submission_id: id, status: 'success', files: '2' }).toString();

  it.each([
    ['https://a.test/thanks', `https://a.test/thanks?${added}`],
    ['https://a.test/?', `https://a.test/?${added}`],
    ['https://a.test/?x=1', `https://a.test/?x=1&${added}`],
    ['https://a.test/?x=1&', `https://a.test/?x=1&${added}`],
    ['https://a.test/?q=what?', `https://a.test/?q=what?&${added}`],
    ['https://a.test/#top', `https://a.test/?${added}#top`],
    ['https://a.test/#/route?x=1', `https://a.test/?${added}#/route?x=1`],
    ['https://a.test/?x=%20+y#z', `https://a.test/?x=%20+y&${added}#z`],
    ['https://例え.jp/é', `https://xn--r8jz45g.jp/%C3%A9?${added}`],
  ])('adds to %s', (to, expected) => {
    expect(redirectTarget(to, id, 2, null)).toBe(expected);
  });

  it('says nothing of files when there are none', () => {
    expect(redirectTarget('https://a.test/', id, 0, null)).toBe(
      `https://a.test/?submission_id=${id}&status=success`,
    );
  });

  it('says how the webhook stands, to those who wait for it', () => {
    expect(redirectTarget('https://a.test/', id, 0, 'pending')).toBe(
      `https://a.test/?submission_id=${id}&status=success&webhook=pending`,
    );
  });

  const urls = fc
    .tuple(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    )
    .map(([url, query, fragment]) =>
      url.includes('#') || query === '' ? url : `${url}?${query}#${fragment}`,
    )
    .filter((url) => URL.canParse(url));

  it('parses back for any address: the parameters behind the own ones, path and fragment as they were', () => {
    fc.assert(
      fc.property(urls, fc.nat(3), (to, files) => {
        const [before, after] = [new URL(to), new URL(redirectTarget(to, id, files, null))];
        const own = [...before.searchParams];
        const more = [
          ['submission_id', id],
          ['status', 'success'],
          ...(files > 0 ? [['files', String(files)]] : []),
        ];
        expect([...after.searchParams]).toEqual([...own, ...more]);
        expect([after.origin, after.pathname, after.hash]).toEqual([
          before.origin,
          before.pathname,
          before.hash,
        ]);
      }),
      { numRuns: 500 },
    );
  });

  it('is always fit for a header', () => {
    fc.assert(
      fc.property(urls, (to) => {
        expect(redirectTarget(to, id, 1, null)).toMatch(/^[\x21-\x7e]+$/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('addRate', () => {
  it('writes the three headers, and the end of each window as it is', () => {
    for (const resetsAt of [someTime, someTime + 1, someTime]) {
      const headers = {};
      addRate(headers, { limit: 60, count: 1, remaining: 59, resetsAt });
      expect(headers).toEqual({
        'x-ratelimit-limit': 60,
        'x-ratelimit-remaining': 59,
        'x-ratelimit-reset': new Date(resetsAt).toISOString(),
      });
    }
  });
});

describe('answers', () => {
  let server: Server;
  const agent = new Agent({ keepAlive: true });
  afterEach(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  async function listen(handler: RequestListener): Promise<number> {
    server = createServer(handler);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Returns the response of a server with this handler to one request. */
  async function answerOf(
    handler: RequestListener,
    options: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: string }> {
    const port = await listen(handler);
    const sent = request({
      port,
      host: '127.0.0.1',
      agent,
      method: options.method ?? 'POST',
      headers: options.headers ?? {},
    });
    sent.end(options.body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  it('carry the JSON of the interface', async () => {
    const files = [{ id: 'f1', filename: 'ü".txt', type: 'text/plain', size: 3 }];
    const { status, headers, body } = await answerOf((q, r) => sendAcceptedJson(q, r, {}, id, files));
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body)).toEqual({ success: true, submission_id: id, files });
  });

  it('name no files as an empty list', async () => {
    const { body } = await answerOf((q, r) => sendAcceptedJson(q, r, {}, id, []));
    expect(body).toBe(`{"success":true,"submission_id":"${id}","files":[]}`);
  });

  it('redirect with 303, so that a reload does not send again, and are not kept by caches', async () => {
    const { status, headers, body } = await answerOf((q, r) => sendRedirect(q, r, {}, 'https://a.test/?x=1'));
    expect([status, body]).toEqual([303, '']);
    expect(headers).toMatchObject({ location: 'https://a.test/?x=1', 'cache-control': 'no-store' });
  });

  it('refuse in JSON, with Retry-After and the headers that were there', async () => {
    const { status, headers, body } = await answerOf((q, r) =>
      sendRefusal(q, r, { 'access-control-allow-origin': '*' }, refuse.submissionRateLimited(42), null),
    );
    expect(status).toBe(429);
    expect(headers).toMatchObject({ 'retry-after': '42', 'access-control-allow-origin': '*' });
    expect(JSON.parse(body)).toEqual({
      error: 'Rate limit exceeded. Please try again later.',
      code: 'too_many_submissions',
      retry_after: 42,
    });
  });

  it('refuse a browser with a page: same status and headers, the form named, the way back linked', async () => {
    const target = aCompiledForm({ form: { name: 'Contact <us>' } });
    const { status, headers, body } = await answerOf(
      (q, r) => sendRefusal(q, r, { 'x-ratelimit-limit': 1 }, refuse.submissionRateLimited(42), target),
      { headers: { ...html, referer: 'https://a.test/contact' } },
    );
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'retry-after': '42',
      'x-ratelimit-limit': '1',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(body).toContain('Contact &lt;us&gt;');
    expect(body).toContain('href="https://a.test/contact"');
    expect(body).toContain('in 42 seconds');
  });

  it('tell a browser what was wrong with its data', async () => {
    const { body } = await answerOf(
      (q, r) => sendRefusal(q, r, {}, refuse.invalidSubmission('The body is <b>broken</b>'), null),
      { headers: html },
    );
    expect(body).toContain('The body is &lt;b&gt;broken&lt;/b&gt;');
  });

  it('say nothing about an internal error', async () => {
    const { status, body } = await answerOf((q, r) => sendInternalError(q, r, {}));
    expect([status, body]).toEqual([500, '{"error":"Internal server error","code":"internal_error"}']);
  });

  it('tell a person after an internal error that they may have to send again', async () => {
    const { status, headers, body } = await answerOf((q, r) => sendInternalError(q, r, { vary: 'Origin' }), {
      headers: { ...html, 'accept-language': 'es' },
    });
    expect(status).toBe(500);
    expect(headers).toMatchObject({ vary: 'Origin, Accept-Language', 'content-language': 'es' });
    expect(body).toContain('Algo ha fallado');
    expect(body).toContain('sigue ahí');
  });

  it('thank in the language of the visitor, who has nothing to send again', async () => {
    const { status, headers, body } = await answerOf(
      (q, r) => sendThanks(q, r, {}, aForm({ name: 'Kontakt' }), { language: null, page: null }),
      {
        method: 'GET',
        headers: { 'accept-language': 'de-CH,de;q=0.9,en;q=0.8' },
      },
    );
    expect(status).toBe(200);
    expect(headers).toMatchObject({ vary: 'Accept-Language', 'content-language': 'de' });
    expect(body).toContain('<h1>Vielen Dank</h1>');
    expect(body).not.toContain('Eingaben');
  });

  it('in JSON are the same for every language', async () => {
    const { headers, body } = await answerOf((q, r) => sendRefusal(q, r, {}, refuse.formInactive(), null), {
      headers: { 'accept-language': 'de' },
    });
    expect(body).toBe('{"error":"Form is not active","code":"form_inactive"}');
    expect([headers.vary, headers['content-language']]).toEqual([undefined, undefined]);
  });

  it('to HEAD have no body but its length', async () => {
    const refused: RequestListener = (q, r) => sendRefusal(q, r, {}, refuse.methodNotAllowed(), null);
    const { headers, body } = await answerOf(refused, { method: 'HEAD' });
    expect(body).toBe('');
    expect(headers['content-length']).toBe(
      String('{"error":"Method not allowed","code":"method_not_allowed"}'.length),
    );
  });

  it.each([
    ['without a body', { method: 'GET' }],
    [
      'with a small body that nobody reads',
      { method: 'POST', headers: { 'content-length': '5' }, body: 'small' },
    ],
  ])('keep the connection of a request %s', async (_, options) => {
    const refused: RequestListener = (q, r) => sendRefusal(q, r, {}, refuse.formNotFound(), null);
    const { headers } = await answerOf(refused, options);
    expect(headers.connection).not.toBe('close');
  });

  it.each([
    ['declared', `content-length: ${100 * 1024 * 1024}\r\n\r\n`, Buffer.alloc(32_768)],
    ['undeclared', 'transfer-encoding: chunked\r\n\r\n', Buffer.from(`8000\r\n${'x'.repeat(32_768)}\r\n`)],
  ])(
    'reach a client whole that is still sending a large %s body; then the connection ends',
    async (_, head, block) => {
      const port = await listen((q, r) => sendRefusal(q, r, {}, refuse.tooManyBytes('body', 10), null));
      const socket = connect(port, '127.0.0.1');
      const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
      socket.write(`POST /f/x HTTP/1.1\r\nhost: a\r\n${head}`);
      socket.write(block);
      const body = '{"error":"The body is larger than 10 bytes","code":"body_too_large","limit_bytes":10}';
      let answer = '';
      for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
        answer += chunk;
        if (answer.endsWith(body)) break;
      }
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer.toLowerCase()).toContain('connection: close');
      expect(answer.endsWith(body)).toBe(true);

      socket.resume();
      const sendMore = (): void => {
        if (socket.writable) socket.write(block, () => setImmediate(sendMore));
      };
      sendMore();
      await closed;
    },
  );
});

/** Requests that are malformed, ambiguous or oversized before any body is looked at. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { expectHarmless, expectRawRefusal, expectUnharmed } from '../../support/harm.js';
import { getSubmission, kept, waitUntil } from '../../support/kept.js';
import { openRaw, rawExchange, requestHead } from '../../support/raw.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';

const json = 'Content-Type: application/json';
const smallBody = '{"a":1}';
const smallLength = `Content-Length: ${smallBody.length}`;

let server: RunningServer;
let form: MadeForm;

beforeAll(async () => {
  server = await startServer();
});
beforeAll(async () => {
  form = await makeForm(server.url);
});
afterEach(() => expectUnharmed(server));
afterAll(() => server.dispose());

const post = (headers: readonly string[], body = smallBody): string =>
  requestHead('POST', `/f/${form.publicId}`, [json, ...headers]) + body;

const submissions = async (): Promise<number> => (await kept(server, form.formId)).submissions;

async function expectNothingStored(act: () => Promise<void>): Promise<void> {
  const before = await submissions();
  await act();
  expect(await submissions()).toBe(before);
}

describe('two readings of one request', () => {
  it.each([
    ['two Host headers', ['Host: other.test', smallLength]],
    ['two equal Host headers', ['Host: inlet.test', smallLength]],
    ['Content-Length and Transfer-Encoding', [smallLength, 'Transfer-Encoding: chunked']],
    ['Transfer-Encoding and Content-Length', ['Transfer-Encoding: chunked', smallLength]],
    ['two Content-Lengths', [smallLength, 'Content-Length: 3']],
    ['two equal Content-Lengths', [smallLength, smallLength]],
    ['gzip as a transfer coding', ['Transfer-Encoding: gzip']],
    ['gzip before chunks', ['Transfer-Encoding: gzip, chunked']],
    ['chunks before gzip', ['Transfer-Encoding: chunked, gzip']],
    ['chunks twice', ['Transfer-Encoding: chunked, chunked']],
    ['two Transfer-Encodings', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity']],
    ['identity', ['Transfer-Encoding: identity']],
    ['an unknown coding', ['Transfer-Encoding: xchunked']],
    ['a coding with a vertical tab', ['Transfer-Encoding: \u000bchunked']],
    ['a blank before the colon', ['Transfer-Encoding : chunked']],
  ])('%s', async (_what, headers) => {
    await expectNothingStored(() => expectRawRefusal(server, post(headers), [400, 501]));
  });

  it('holds for the management interface as well', async () => {
    const twoHosts = requestHead('GET', '/api/v1/projects', ['Host: other.test']);
    await expectRawRefusal(server, twoHosts, [400]);
    const coding = requestHead('POST', '/api/v1/projects', [json, 'Transfer-Encoding: gzip, chunked']);
    await expectRawRefusal(server, coding, [400]);
  });

  it('a request without a Host is none', async () => {
    await expectRawRefusal(
      server,
      `POST /f/${form.publicId} HTTP/1.1\r\n${json}\r\n${smallLength}\r\n\r\n`,
      [400],
    );
  });

  it.each([
    ['chunks in HTTP/1.0', 'HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
    ['HTTP/2.0', 'HTTP/2.0\r\nHost: x\r\nContent-Length: 2', '{}'],
    ['HTTP/0.9', 'HTTP/0.9\r\nHost: x\r\nContent-Length: 2', '{}'],
  ])('%s, and what follows is not done', async (_what, head, body) => {
    await expectNothingStored(async () => {
      const connection = await openRaw(server.port);
      const smuggled = post([smallLength]);
      connection.write(`POST /f/${form.publicId} ${head}\r\n${json}\r\n\r\n${body}${smuggled}`);
      await connection.closed;
      expect(connection.answers().map((answer) => answer.status)).toEqual([400]);
    });
  });

  it.each([
    ['a line feed after the size of a chunk', '7\n{"a":1}\r\n0\r\n\r\n'],
    ['a line feed after a chunk', '7\r\n{"a":1}\n0\r\n\r\n'],
    ['a blank after the size of a chunk', '7 \r\n{"a":1}\r\n0\r\n\r\n'],
    ['a line feed in the extension of a chunk', '7;a\nb\r\n{"a":1}\r\n0\r\n\r\n'],
    ['a length behind the chunks', '7\r\n{"a":1}\r\n0\r\nContent-Length: 5\r\n\r\n'],
  ])('%s', async (_what, chunks) => {
    const bytes = post(['Transfer-Encoding: chunked'], chunks);
    await expectNothingStored(() => expectRawRefusal(server, bytes, [400]));
  });

  it('a refused body is never read as the next request', async () => {
    await expectNothingStored(async () => {
      const connection = await openRaw(server.port);
      const inner = post([smallLength]);
      connection.write(post(['Content-Length: 2000000'], inner));
      const { status } = await connection.answer();
      expect(status).toBe(413);
      await connection.closed;
      expect(connection.answers()).toHaveLength(1);
    });
  });
});

describe('lengths', () => {
  it.each(['99999999999999', '9007199254740993'])(
    'Content-Length: %s is refused without waiting for it',
    async (length) => {
      for (const type of ['application/json', 'multipart/form-data; boundary=b']) {
        const head = [`Content-Type: ${type}`, `Content-Length: ${length}`];
        await expectRawRefusal(server, requestHead('POST', `/f/${form.publicId}`, head), [400, 413]);
      }
      await expectRawRefusal(
        server,
        requestHead('POST', '/api/v1/projects', [json, `Content-Length: ${length}`]),
        [400, 401, 413],
      );
    },
  );

  it.each(['-1', '+7', '7.0', '0x7', '1e3', '7, 7', '7 7', 'seven', '', '99999999999999999999999999'])(
    'Content-Length: %j is malformed',
    async (length) => {
      await expectNothingStored(() => expectRawRefusal(server, post([`Content-Length: ${length}`]), [400]));
    },
  );

  it.each([
    ['no hexadecimal number', 'zz\r\n{"a":1}\r\n0\r\n\r\n'],
    ['a negative number', '-7\r\n{"a":1}\r\n0\r\n\r\n'],
    ['more than there is room for', 'fffffffffffffffff\r\n{"a":1}\r\n0\r\n\r\n'],
    ['a chunk longer than it says', '3\r\n{"a":1}\r\n0\r\n\r\n'],
  ])('a chunk size of %s', async (_what, chunks) => {
    await expectNothingStored(() =>
      expectRawRefusal(server, post(['Transfer-Encoding: chunked'], chunks), [400]),
    );
  });

  it('a long chunk extension is no way to send for free', async () => {
    const chunks = `7;${'x'.repeat(100_000)}\r\n{"a":1}\r\n0\r\n\r\n`;
    await expectNothingStored(() =>
      expectRawRefusal(server, post(['Transfer-Encoding: chunked'], chunks), [400, 413]),
    );
  });
});

describe('headers', () => {
  it('a line of 20 KB is too large', async () => {
    await expectRawRefusal(server, post([smallLength, `X-Large: ${'x'.repeat(20_000)}`]), [431]);
  });

  it('a target of 20 KB is too large', async () => {
    await expectRawRefusal(server, requestHead('POST', `/f/${'x'.repeat(20_000)}`), [414, 431]);
  });

  it('200 of them are refused or read, never dropped in silence', async () => {
    const fillers = Array.from({ length: 200 }, (_, i) => `X-Filler-${i}: x`);
    const agent = 'User-Agent: the last header';
    const { status, body } = await rawExchange(server.port, post([smallLength, ...fillers, agent]));
    expectHarmless({ status, text: body });
    if (status === 200) {
      const stored = await getSubmission(server, JSON.parse(body).submission_id);
      expect(stored.body.metadata.user_agent).toBe('the last header');
    } else {
      expect([400, 431]).toContain(status);
    }
  });

  it('a crowd of headers does not push out what a trusted proxy adds at the end', async () => {
    const proxied = await startServer({ env: { TRUST_PROXY: 'loopback' } });
    try {
      const { publicId } = await makeForm(proxied.url, { form: { blocked_ips: ['203.0.113.9'] } });
      const fillers = Array.from({ length: 150 }, (_, i) => `X-Filler-${i}: x`);
      const headers = [json, smallLength, ...fillers, 'X-Forwarded-For: 203.0.113.9'];
      const { status } = await rawExchange(
        proxied.port,
        requestHead('POST', `/f/${publicId}`, headers) + smallBody,
      );
      expect([400, 403, 431]).toContain(status);
    } finally {
      await proxied.dispose();
    }
  });

  it.each([
    ['a NUL', 'X-A: a\0b'],
    ['a line that continues', 'X-A: a\r\n b: c'],
    ['a bare line feed', 'X-A: a\nTransfer-Encoding: chunked'],
    ['a bare carriage return', 'X-A: a\rX-B: b'],
    ['no colon', 'nonsense'],
    ['an empty name', ': x'],
    ['a name with a blank', 'X A: b'],
  ])('%s', async (_what, line) => {
    await expectNothingStored(() => expectRawRefusal(server, post([smallLength, line]), [400]));
  });

  it('an unknown expectation is refused', async () => {
    await expectRawRefusal(server, post([smallLength, 'Expect: 200-maybe']), [417]);
  });
});

describe('not HTTP', () => {
  it.each([
    ['garbage', Buffer.from(Array.from({ length: 2_000 }, (_, i) => (i * 7919 + 13) % 256))],
    ['a TLS hello', Buffer.from('160301020001000001fc0303'.padEnd(1_000, 'ab'), 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version of its own', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['an unknown method', 'FROBNICATE / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a method in small letters', 'get / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another protocol', 'EHLO mail.example\r\n'],
    ['NULs', Buffer.alloc(1_000)],
    ['a proxy line', 'PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s', async (_what, bytes) => {
    const connection = await openRaw(server.port);
    connection.write(bytes);
    const { status, body } = await connection.answer();
    expectHarmless({ status, text: body });
    expect([400, 505]).toContain(status);
    expect(JSON.parse(body).error).toEqual(expect.stringMatching(/\S/));
    await connection.closed;
  });

  it('clients that connect and leave', async () => {
    const connections = await Promise.all(Array.from({ length: 200 }, () => openRaw(server.port)));
    for (const connection of connections) connection.vanish();
    await Promise.all(connections.map((connection) => connection.closed));
  });
});

describe('old and unusual, but right', () => {
  it('HTTP/1.0 is served and closed', async () => {
    const connection = await openRaw(server.port);
    connection.write(`POST /f/${form.publicId} HTTP/1.0\r\n${json}\r\n${smallLength}\r\n\r\n${smallBody}`);
    const { status, body } = await connection.answer();
    expect([status, JSON.parse(body).success]).toEqual([200, true]);
    await connection.closed;
  });

  it('pipelined requests are answered in their order', async () => {
    const before = await submissions();
    const connection = await openRaw(server.port);
    const bad = post(['Content-Length: 1'], '{');
    connection.write(post([smallLength]) + requestHead('GET', '/healthz') + bad + post([smallLength]));
    await connection.answer(4);
    expect(connection.answers().map((answer) => answer.status)).toEqual([200, 200, 400, 200]);
    connection.vanish();
    expect(await submissions()).toBe(before + 2);
  });

  it('what is no request does not take the answer of the whole one before it', async () => {
    // Found by a fuzzer: the submission was stored, but the response said that it was not valid HTTP.
    const before = await submissions();
    for (const rest of ['garbage\r\n\r\n', '\0'.repeat(100), 'POST /f/x HTTP/9.9\r\n\r\n']) {
      for (const isApart of [false, true]) {
        const connection = await openRaw(server.port);
        connection.write(isApart ? post([smallLength]) : post([smallLength]) + rest);
        if (isApart) {
          connection.write(rest.slice(0, 5));
          connection.write(rest.slice(5));
        }
        await connection.closed;
        expect(connection.answers().map((answer) => answer.status)).toEqual([200, 400]);
      }
    }
    expect(await submissions()).toBe(before + 6);
  });

  it('a connection that stays open after a refusal serves the next request', async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
    const body = `${part.repeat(201)}${part.slice(0, -2)}${'x'.repeat(40_000)}\r\n--b--\r\n`;
    const headers = ['Content-Type: multipart/form-data; boundary=b', `Content-Length: ${body.length}`];
    const connection = await openRaw(server.port);
    const sentFirst = part.length * 201 + 20;
    connection.write(requestHead('POST', `/f/${form.publicId}`, headers) + body.slice(0, sentFirst));
    const refused = await connection.answer(1);
    expect(refused.status).toBe(413);
    if (refused.headers.get('connection') !== 'close') {
      connection.write(body.slice(sentFirst) + requestHead('GET', '/healthz'));
      expect((await connection.answer(2)).status).toBe(200);
    }
    connection.vanish();
  });

  it('an absolute request target is its path; its host changes nothing', async () => {
    const target = `http://evil.test/f/${form.publicId}`;
    const head = requestHead('POST', target, [
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 3',
    ]);
    const { status, headers } = await rawExchange(server.port, `${head}a=1`);
    expect(status).toBe(303);
    expect(headers.get('location')).toMatch(new RegExp(`^${server.url}/f/`));
  });

  it('a body in chunks of one byte is read', async () => {
    const chunks = [...smallBody].map((character) => `1\r\n${character}\r\n`).join('');
    const { status } = await rawExchange(
      server.port,
      post(['Transfer-Encoding: chunked'], `${chunks}0\r\n\r\n`),
    );
    expect(status).toBe(200);
  });
});

describe('a body in crumbs', () => {
  const crumbs = (count: number): string => '1\r\n \r\n'.repeat(count);

  it.each(['/f/form', '/api/v1/session'])(
    'is refused at %s: each costs as much as a whole piece',
    async (path) => {
      await expectNothingStored(async () => {
        const target = path.replace('form', form.publicId);
        const head = requestHead('POST', target, [json, 'Transfer-Encoding: chunked']);
        const { status, body } = await rawExchange(server.port, `${head}${crumbs(6_000)}0\r\n\r\n`);
        expect([status, JSON.parse(body)]).toEqual([
          400,
          {
            error: 'Invalid content type',
            code: 'too_many_chunks',
            detail: 'The request body came in too many small pieces',
          },
        ]);
      });
    },
  );

  it('is read as long as there are few', async () => {
    const chunks = `1\r\n{\r\n${crumbs(4_000)}1\r\n}\r\n0\r\n\r\n`;
    const { status } = await rawExchange(server.port, post(['Transfer-Encoding: chunked'], chunks));
    expect(status).toBe(200);
  });
});

describe('Expect: 100-continue', () => {
  const expecting = (path: string, length: number, ...headers: string[]): string =>
    requestHead('POST', path, [json, `Content-Length: ${length}`, 'Expect: 100-continue', ...headers]);
  const key = `Authorization: Bearer ${apiKey}`;

  it.each([
    ['without a key', () => expecting('/api/v1/projects', 10), 401],
    ['for nothing', () => expecting('/nothing', 10), 404],
    ['with too much', () => expecting('/api/v1/projects', 100_000_000, key), 413],
    ['for no form', () => expecting('/f/nosuchform', 10), 404],
    ['with too much for a form', () => expecting(`/f/${form.publicId}`, 100_000_000), 413],
  ])('asked %s, nobody invites', async (_what, head, status) => {
    const connection = await openRaw(server.port);
    connection.write(head());
    expect((await connection.answer()).status).toBe(status);
    expect(connection.received()).not.toContain('100 Continue');
    connection.vanish();
  });

  it.each([
    ['the management interface', () => '/api/v1/projects', '{"name":"Made"}', 201],
    ['a form', () => `/f/${form.publicId}`, '{"a":1}', 200],
  ])('is invited by %s, which wants to read', async (_what, path, body, status) => {
    const connection = await openRaw(server.port);
    connection.write(expecting(path(), body.length, key));
    await waitUntil(() => connection.received().startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    connection.write(body);
    expect((await connection.answer()).status).toBe(status);
    connection.vanish();
  });
});

describe('methods', () => {
  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])(
    '%s on a form is not allowed',
    async (method) => {
      const { status, headers, body } = await rawExchange(
        server.port,
        requestHead(method, `/f/${form.publicId}`),
      );
      expect(status).toBe(405);
      expect(headers.get('allow')).toBe('POST, OPTIONS');
      expect(JSON.parse(body)).toEqual({ error: 'Method not allowed', code: 'method_not_allowed' });
    },
  );

  it('HEAD on a form is not allowed and has no body', async () => {
    const connection = await openRaw(server.port);
    connection.write(requestHead('HEAD', `/f/${form.publicId}`, ['Connection: close']));
    await connection.closed;
    expect(connection.received()).toMatch(/^HTTP\/1\.1 405 /);
    expect(connection.received()).toMatch(/\r\n\r\n$/);
  });

  it('CONNECT opens no tunnel', async () => {
    const connection = await openRaw(server.port);
    connection.write('CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n');
    await connection.closed;
    expect(connection.received()).not.toMatch(/^HTTP\/1\.1 [23]/);
  });

  it('TRACE echoes nothing', async () => {
    const head = requestHead('TRACE', '/api/v1/projects', ['Authorization: Bearer secret-to-echo']);
    const { status, body } = await rawExchange(server.port, head);
    expectHarmless({ status, text: body });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).not.toContain('secret-to-echo');
  });

  it('the success page is for reading only', async () => {
    const answer = await client(server.url).post(`/f/${form.publicId}/success`, {});
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

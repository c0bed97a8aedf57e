/**
 * Requests that a proxy and Inlet might parse differently. After each one another visitor comes through the same proxy, over its persistent
 * connections to Inlet. Visitors must get their own responses, and nothing may be stored without a response to its sender.
 */
import { Agent, request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, type MadeForm, makeForm } from '../support/client.js';
import { sendFrames } from '../support/http2-frames.js';
import { openRawTls, type RawAnswer, type RawConnection } from '../support/raw.js';
import { hostName, type ProxyServer } from '../support/services/proxies.js';
import { type Proxied, startProxied } from './proxied.js';

let proxied: Proxied;
let form: MadeForm;
beforeAll(async () => {
  proxied = await startProxied();
});
afterAll(() => proxied?.dispose());

const json = 'Content-Type: application/json\r\n';
const smuggledBody = '{"who":"smuggled"}';
const host = `Host: ${hostName}\r\n`;

/** A complete request inside another one. In a desync, Inlet or the proxy would treat it as a request. */
const inner = (id: string): string =>
  `POST /f/${id} HTTP/1.1\r\n${host}${json}Content-Length: ${smuggledBody.length}\r\n\r\n${smuggledBody}`;
const head = (id: string, lines: string): string => `POST /f/${id} HTTP/1.1\r\n${host}${json}${lines}\r\n`;
const own = '{"who":"attacker"}';
const chunk = (text: string, extension = ''): string =>
  `${text.length.toString(16)}${extension}\r\n${text}\r\n`;
const ended = '0\r\n\r\n';

type Attack = readonly [what: string, bytes: (id: string) => string];

const attacks: readonly Attack[] = [
  [
    'CL.TE',
    (id) => {
      const rest = ended + inner(id);
      return head(id, `Content-Length: ${rest.length}\r\nTransfer-Encoding: chunked\r\n`) + rest;
    },
  ],
  [
    'TE.CL',
    (id) => head(id, 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n') + chunk(inner(id)) + ended,
  ],
  ...[
    'xchunked',
    'chunked, identity',
    'identity, chunked',
    'gzip, chunked',
    '"chunked"',
    '\x0bchunked',
    '',
  ].map(
    (coding): Attack => [
      `TE.TE: ${JSON.stringify(coding)}`,
      (id) => {
        const rest = ended + inner(id);
        return head(id, `Transfer-Encoding: ${coding}\r\nContent-Length: ${rest.length}\r\n`) + rest;
      },
    ],
  ),
  [
    'two Transfer-Encodings',
    (id) =>
      head(id, 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n') + chunk(own) + ended + inner(id),
  ],
  [
    'Transfer-Encoding with a blank',
    (id) => head(id, 'Transfer-Encoding : chunked\r\n') + chunk(own) + ended + inner(id),
  ],
  [
    'two Content-Lengths',
    (id) => head(id, `Content-Length: 0\r\nContent-Length: ${own.length}\r\n`) + own + inner(id),
  ],
  ['a list of Content-Lengths', (id) => head(id, `Content-Length: ${own.length}, 0\r\n`) + own + inner(id)],
  ...['+18', '0x12', '18 ', '-1', '1e1', '99999999999999999999'].map(
    (length): Attack => [
      `Content-Length: ${JSON.stringify(length)}`,
      (id) => head(id, `Content-Length: ${length}\r\n`) + own + inner(id),
    ],
  ),
  [
    'bare LF',
    (id) => head(id, `Content-Length: ${own.length}\r\n`).replaceAll('\r\n', '\n') + own + inner(id),
  ],
  [
    'LF in a value',
    (id) =>
      head(id, `X: a\nTransfer-Encoding: chunked\r\nContent-Length: ${own.length}\r\n`) + own + inner(id),
  ],
  [
    'CR in a value',
    (id) =>
      head(id, `X: a\rTransfer-Encoding: chunked\r\nContent-Length: ${own.length}\r\n`) + own + inner(id),
  ],
  ['NUL in a value', (id) => head(id, `X: a\0b\r\nContent-Length: ${own.length}\r\n`) + own + inner(id)],
  [
    'a folded line',
    (id) =>
      head(id, `X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: ${own.length}\r\n`) + own + inner(id),
  ],
  ['a folded length', (id) => head(id, `Content-Length:\r\n ${own.length}\r\n`) + own + inner(id)],
  [
    'chunk extensions',
    (id) => head(id, 'Transfer-Encoding: chunked\r\n') + chunk(own, ';a=b;c="\r"') + ended + inner(id),
  ],
  [
    'chunk extension with LF',
    (id) => head(id, 'Transfer-Encoding: chunked\r\n') + chunk(own, ';\n') + ended + inner(id),
  ],
  [
    'chunk size with underscores',
    (id) => head(id, 'Transfer-Encoding: chunked\r\n') + chunk(own).replace('12', '1_2') + ended + inner(id),
  ],
  [
    'chunk without its end',
    (id) => `${head(id, 'Transfer-Encoding: chunked\r\n')}12\r\n${own}XX${ended}${inner(id)}`,
  ],
  [
    'trailers',
    (id) =>
      head(id, 'Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n') +
      `${chunk(own)}0\r\nContent-Length: 900\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n${inner(id)}`,
  ],
  [
    'HTTP/1.0 with chunks',
    (id) => head(id, 'Transfer-Encoding: chunked\r\n').replace('1.1', '1.0') + chunk(own) + ended + inner(id),
  ],
  ['HTTP/0.9', (id) => `POST /f/${id}\r\n\r\n${inner(id)}`],
  [
    'an absolute target',
    (id) =>
      head(id, `Content-Length: ${own.length}\r\n`).replace('/f/', `http://other.example/f/`) +
      own +
      inner(id),
  ],
  [
    'a blank in the target',
    (id) => head(id, `Content-Length: ${own.length}\r\n`).replace('/f/', '/x HTTP/1.1 /f/') + own + inner(id),
  ],
  [
    'GET with a body',
    (id) => `GET /healthz HTTP/1.1\r\n${host}Content-Length: ${inner(id).length}\r\n\r\n${inner(id)}`,
  ],
  ['pipelined requests', (id) => head(id, `Content-Length: ${own.length}\r\n`) + own + inner(id).repeat(3)],
  [
    'Expect: 100-continue',
    (id) => head(id, `Expect: 100-continue\r\nContent-Length: ${own.length}\r\n`) + own + inner(id),
  ],
  [
    'Expect and a refusal',
    (id) =>
      head(id, `Expect: 100-continue\r\nContent-Length: ${inner(id).length}\r\n`).replace('/f/', '/f/x') +
      inner(id),
  ],
  [
    'h2c',
    (id) =>
      head(
        id,
        `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: ${own.length}\r\n`,
      ) +
      own +
      inner(id),
  ],
  [
    'websocket',
    (id) =>
      `GET /healthz HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n${inner(id)}`,
  ],
  [
    'hop by hop',
    (id) =>
      head(id, `Connection: close, Content-Length, Content-Type, Host\r\nContent-Length: ${own.length}\r\n`) +
      own +
      inner(id),
  ],
  [
    'a large head',
    (id) =>
      head(
        id,
        `X: ${'a'.repeat(7_000)}\r\nY: ${'a'.repeat(7_000)}\r\nZ: ${'b'.repeat(7_000)}\r\nContent-Length: ${own.length}\r\n`,
      ) +
      own +
      inner(id),
  ],
  [
    '200 headers',
    (id) => head(id, `${'X: a\r\n'.repeat(200)}Content-Length: ${own.length}\r\n`) + own + inner(id),
  ],
  [
    'two hosts',
    (id) => head(id, `Host: other.example\r\nContent-Length: ${own.length}\r\n`) + own + inner(id),
  ],
  ['CONNECT', (id) => `CONNECT 127.0.0.1:1 HTTP/1.1\r\n${host}\r\n${inner(id)}`],
  ['TRACE', (id) => `TRACE /f/${id} HTTP/1.1\r\n${host}Authorization: Bearer a\r\n\r\n${inner(id)}`],
];

/** A visitor who reuses their connection. */
function submitAs(
  agent: Agent,
  proxy: ProxyServer,
  id: string,
  fields: unknown,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{
        agent,
        host: '127.0.0.1',
        port: proxy.port,
        path: `/f/${id}`,
        method: 'POST',
        servername: hostName,
      },
      ...{ rejectUnauthorized: false, headers: { host: hostName, 'content-type': 'application/json' } },
    });
    sent.on('error', reject);
    sent.on('response', async (response) => {
      let text = '';
      for await (const piece of response.setEncoding('utf8')) text += piece;
      resolve({ status: response.statusCode ?? 0, text });
    });
    sent.end(JSON.stringify(fields));
  });
}

/** All stored submissions, by id. */
async function stored(): Promise<ReadonlyMap<string, string>> {
  const api = client(proxied.server.url);
  const found = new Map<string, string>();
  for (let cursor = ''; ; ) {
    const page = await api.get(`/api/v1/forms/${form.formId}/submissions?limit=100${cursor}`);
    for (const { id, data } of page.body.data) found.set(id, data.who);
    if (page.body.next_cursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(page.body.next_cursor)}`;
  }
}

const submissionIdOf = ({ body }: RawAnswer): string[] =>
  body.includes('submission_id') ? [JSON.parse(body).submission_id] : [];

const victims = 2;

describe.each([
  ['nginx', 0],
  ['Caddy', 1],
  ['HAProxy', 2],
] as const)('%s', (_name, which) => {
  it('gives everybody their own responses, whatever came before them', async () => {
    const proxy = proxied.proxies[which];
    form = await makeForm(proxied.server.url);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const expected = new Map<string, string>();
    const attackers: RawConnection[] = [];
    try {
      for (const [what, bytes] of attacks) {
        const attacker = await openRawTls(proxy.port, hostName);
        attackers.push(attacker);
        attacker.write(Buffer.from(bytes(form.publicId), 'latin1'));
        await Promise.race([attacker.answer().catch(() => null), attacker.closed]);
        for (let n = 0; n < victims; n += 1) {
          const who = `${what} ${n}`;
          const answer = await submitAs(agent, proxy, form.publicId, { who });
          expect(answer.status, `after ${what}: ${answer.text}`).toBe(200);
          expected.set(JSON.parse(answer.text).submission_id, who);
        }
      }
      const found = await stored();
      for (const [id, who] of expected) expect(found.get(id)).toBe(who);
      // Whatever an attacker stored was reported in their responses: Inlet read no request that the proxy did not send.
      await expect
        .poll(async () => {
          const told = new Set(attackers.flatMap((attacker) => attacker.answers().flatMap(submissionIdOf)));
          return [...(await stored()).keys()].filter((id) => !expected.has(id) && !told.has(id));
        })
        .toEqual([]);
    } finally {
      for (const attacker of attackers) attacker.vanish();
      agent.destroy();
    }
  });

  it('passes nothing on that was hidden in HTTP/2', async () => {
    const proxy = proxied.proxies[which];
    form = await makeForm(proxied.server.url);
    const id = form.publicId;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const expected = new Map<string, string>();
    const pseudo = (method = 'POST', path = `/f/${id}`, authority = hostName): [string, string][] => [
      [':method', method],
      [':scheme', 'https'],
      [':authority', authority],
      [':path', path],
    ];
    const type: [string, string] = ['content-type', 'application/json'];
    const lines = `\r\nContent-Length: 0\r\n\r\n${inner(id)}`;
    const hidden: readonly [string, [string, string][], string | null][] = [
      ['CRLF in a value', [...pseudo(), type, ['x', `a${lines}`]], own],
      ['CRLF in a name', [...pseudo(), type, [`x: a${lines}y`, 'b']], own],
      ['CRLF in the path', [...pseudo('POST', `/f/x HTTP/1.1\r\n${host.trim()}${lines}`), type], null],
      ['CRLF in the method', [...pseudo(`GET /healthz HTTP/1.1\r\n${host.trim()}${lines}POST`), type], null],
      ['CRLF in the authority', [...pseudo('POST', `/f/${id}`, `${hostName}${lines}`), type], own],
      ['a blank in the path', [...pseudo('GET', '/healthz HTTP/1.1')], null],
      ['transfer-encoding', [...pseudo(), type, ['transfer-encoding', 'chunked']], `${ended}${inner(id)}`],
      ['a length that is too small', [...pseudo(), type, ['content-length', '0']], inner(id)],
      ['a length that is too large', [...pseudo(), type, ['content-length', '900']], own],
      [
        'two lengths',
        [...pseudo(), type, ['content-length', '0'], ['content-length', String(own.length)]],
        own,
      ],
      ['connection', [...pseudo(), type, ['connection', 'x-forwarded-for, content-length']], own],
      ['another host', [...pseudo(), type, ['host', 'other.example']], own],
      ['upper case', [...pseudo(), type, ['Transfer-Encoding', 'chunked']], `${ended}${inner(id)}`],
      ['HEAD with a body', pseudo('HEAD', '/healthz'), inner(id)],
      ['a path without a slash', [...pseudo('GET', 'metrics')], null],
      ['an absolute path', [...pseudo('GET', `https://${hostName}/metrics`)], null],
    ];
    try {
      for (const [what, fields, body] of hidden) {
        await sendFrames(proxy.port, hostName, fields, body);
        for (let n = 0; n < victims; n += 1) {
          const answer = await submitAs(agent, proxy, id, { who: `${what} ${n}` });
          expect(answer.status, `after ${what}: ${answer.text}`).toBe(200);
          expected.set(JSON.parse(answer.text).submission_id, `${what} ${n}`);
        }
      }
      const found = await stored();
      for (const [submission, who] of expected) expect(found.get(submission)).toBe(who);
      expect([...found.values()]).not.toContain('smuggled');
    } finally {
      agent.destroy();
    }
  });
});

import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refuse } from '../model/errors.js';
import { StoreUnavailable } from '../ports/store.js';
import { createBrokenRequestListener } from './connection/broken-request.js';
import { Connections } from './connection/connections.js';
import { guardsFor } from './connection/guards.js';
import { inviteBody } from './connection/invitation.js';
import { createRequestIds } from './connection/request-ids.js';
import { createFrontDoor } from './front-door.js';
import { createAnswers } from './submit/respond.js';

const guards = guardsFor({ isHttps: true });
const ids = createRequestIds(null);

type Submit = (request: IncomingMessage, response: ServerResponse, passOn: () => void) => Promise<void>;

describe('front door', () => {
  let server: Server;
  let submit: Submit;
  let faults: unknown[];
  let calls: string[];
  let rejected: string[];

  beforeEach(async () => {
    faults = [];
    calls = [];
    rejected = [];
    submit = async (_request, response) => void response.end('submitted');
    server = createFrontDoor(
      (request, response) => {
        calls.push(`framework ${request.url}`);
        if (request.url === '/api/reader') inviteBody(request);
        response.end('framework');
      },
      {
        submit(request, response, { id, rest, dialect }, passOn) {
          calls.push(`submit ${JSON.stringify([id, rest, ...(dialect ? [dialect.name] : [])])}`);
          return submit(request, response, passOn);
        },
        answers: createAnswers('https://forms.example.com'),
        onFault: (error) => faults.push(error),
        onRejected: (request, { code }) => rejected.push(`${request.url} ${code}`),
        ids,
        connections: new Connections(),
        guards,
      },
    );
    server.on('clientError', createBrokenRequestListener({ guards, ids }));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Returns everything that the server sends in response to these bytes until the connection ends. */
  async function exchange(bytes: string): Promise<string> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
    return answer;
  }

  /** A request with these additional lines: headers, and optionally a body. */
  const get = (target: string, ...lines: string[]) =>
    exchange(
      `GET ${target} HTTP/1.1\r\n${['Host: a.test', 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`,
    );

  it.each([
    ['/f/abc', '["abc",""]'],
    ['/f/abc?x=1', '["abc",""]'],
    ['/f/abc/success', '["abc","/success"]'],
    ['/f/abc/success?submission_id=1/2', '["abc","/success"]'],
    ['/f/abc/', '["abc","/"]'],
    ['/f/', '["",""]'],
    ['/f/?x=/y', '["",""]'],
    ['/f/a%2Fb', '["a/b",""]'],
    ['/f/%F0%9F%98%80%20x', '["😀 x",""]'],
    ['/f/%ff', '["",""]'],
    ['/f/abc.json', '["abc","","basin"]'],
    ['/f/a%2Fb/success', '["a/b","/success"]'],
    ['/f/Contact%20us%3F/?x=%20', '["Contact us?","/"]'],
    ['/f/ada@example.com', '["ada@example.com",""]'],
    ['/f/Gr%C3%B6%C3%9Fe', '["Größe",""]'],
    ['/f/100%25', '["100%",""]'],
    ['/f/100%', '["",""]'],
    ['/f/%ff%zz/success', '["","/success"]'],
    ['/f/a+b', '["a+b",""]'],
    ['http://a.test/f/abc', '["abc",""]'],
    ['HTTPS://other.test:8443/f/abc/success?x', '["abc","/success"]'],
  ])('takes %s to the submissions as %s', async (target, parts) => {
    expect(await get(target)).toContain('submitted');
    expect(calls).toEqual([`submit ${parts}`]);
  });

  it.each(['/', '/f', '/form/abc', '/api/v1/projects', '/F/abc', '/x?/f/abc'])(
    'takes %s to the framework',
    async (target) => {
      expect(await get(target)).toContain('framework');
      expect(calls).toEqual([`framework ${target}`]);
    },
  );

  const post = (target: string) =>
    exchange(`POST ${target} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);

  it.each([
    ['/submit', '[null,"","web3forms"]'],
    ['/s/abc', '["abc","","formcarry"]'],
    ['/p/12/f/contact?x', '["12/contact","","formspree"]'],
    ['/ajax/you%40example.com', '["you@example.com","","formsubmit"]'],
    ['/you@example.com', '["you@example.com","","formsubmit"]'],
    ['/abc/', '["abc","","formspark"]'],
    ['/', '[null,"","netlify"]'],
  ])('takes POST %s, a path of another service, to the submissions as %s', async (target, parts) => {
    expect(await post(target)).toContain('submitted');
    expect(calls).toEqual([`submit ${parts}`]);
  });

  it.each(['/api', '/healthz', '/metrics', '/docs', '/dashboard', '/s/a/b', '/ajax', '/abc/def', '/p/1/abc'])(
    'takes POST %s to the framework',
    async (target) => {
      expect(await post(target)).toContain('framework');
      expect(calls).toEqual([`framework ${target}`]);
    },
  );

  it('takes what is no form after all to the framework', async () => {
    submit = async (_request, _response, passOn) => passOn();
    expect(await post('/abc?x=1')).toContain('framework');
    expect(calls).toEqual(['submit ["abc","","formspark"]', 'framework /abc?x=1']);
  });

  it.each([
    ['http://a.test/api/v1/projects?x=1', '/api/v1/projects?x=1'],
    ['http://a.test', '/'],
    ['http://a.test?x=/f/abc', '/?x=/f/abc'],
  ])('counts only the path of a target that names the whole address: %s', async (target, path) => {
    await get(target);
    expect(calls).toEqual([`framework ${path}`]);
  });

  it('takes a hundred headers and refuses more, instead of dropping some in silence', async () => {
    const headers = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: y`);
    expect(await get('/f/abc', ...headers(98))).toContain('submitted');
    const answer = await get('/f/abc', ...headers(99));
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"limit":100');
    expect(calls).toHaveLength(1);
    expect(rejected).toEqual(['/f/abc too_many_headers']);
  });

  it('asks for a Host header, except from HTTP 1.0', async () => {
    const answer = await exchange('GET /f/abc HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"error":"The request is not valid HTTP","code":"malformed_request"');
    expect(await exchange('GET /f/abc HTTP/1.0\r\n\r\n')).toContain('submitted');
  });

  describe('a request that two programs might read differently', () => {
    it.each([
      ['has two hosts', ['host: b.test']],
      ['has the same host twice', ['HOST: a.test']],
      ['has a transfer coding besides chunked', ['Transfer-Encoding: gzip, chunked', '', '0', '']],
    ])('is refused when it %s', async (_, lines) => {
      for (const target of ['/f/abc', '/api/v1/projects']) {
        const answer = await get(target, ...lines);
        expect(answer).toMatch(/^HTTP\/1\.1 400 /);
        expect(answer).toContain('"error":"The request is not valid HTTP","code":"malformed_request"');
      }
      expect(calls).toEqual([]);
    });

    it.each(['GET /f/abc HTTP/0.9', 'GET /api HTTP/2.0'])('is refused when it says %s', async (line) => {
      const answer = await exchange(`${line}\r\nHost: a.test\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(calls).toEqual([]);
    });

    it.each(['/f/abc', '/api'])('is refused when it has chunks in HTTP 1.0, at %s', async (target) => {
      const chunks = '0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a.test\r\n\r\n';
      const answer = await exchange(
        `POST ${target} HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"error":"The request is not valid HTTP","code":"malformed_request"');
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(calls).toEqual([]);
    });

    it('is refused when it has both a length and chunks', async () => {
      const answer = await exchange(
        'POST /f/abc HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      );
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(calls).toEqual([]);
    });

    it('is not one with plain chunks in any case', async () => {
      const answer = await exchange(
        'POST /f/abc HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n',
      );
      expect(answer).toContain('submitted');
    });
  });

  it('answers what is no HTTP with a JSON error and hangs up', async () => {
    const answer = await exchange('NOT HTTP AT ALL\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\r\n\r\n\{"error":"The request is not valid HTTP","code":"malformed_request"\}$/);
  });

  it('answers headers that are too large with 431', async () => {
    const answer = await get('/f/abc', `X-Long: ${'x'.repeat(20_000)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('{"error":"The request headers are too large","code":"headers_too_large"}');
    expect(calls).toEqual([]);
  });

  describe('Expect', () => {
    const asking = (target: string, expectation: string) =>
      exchange(
        `POST ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\nExpect: ${expectation}\r\n\r\nx`,
      );

    it('is left to the submissions, which invite after their checks', async () => {
      submit = async (_request, response) => void response.writeHead(403).end();
      const answer = await asking('/f/abc', '100-continue');
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
      expect(answer).not.toContain('100 Continue');
    });

    it('is left to those who read the body, for the framework too', async () => {
      expect(await asking('/api', '100-continue')).toMatch(/^HTTP\/1\.1 200 /);
      expect(await asking('/api/reader', '100-continue')).toMatch(
        /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
      );
    });

    it('of anything else is refused with 417', async () => {
      const answer = await asking('/f/abc', 'a-miracle');
      expect(answer).toMatch(/^HTTP\/1\.1 417 /);
      expect(answer).toContain('"Unknown expectation"');
      expect(calls).toEqual([]);
    });
  });

  describe('when the submission path throws', () => {
    it('an internal error is logged and not shown to the caller', async () => {
      const fault = new Error('secret path /data/inlet.db');
      submit = () => Promise.reject(fault);
      const answer = await get('/f/abc');
      expect(answer).toMatch(/^HTTP\/1\.1 500 /);
      expect(answer).toContain('{"error":"Internal server error","code":"internal_error"}');
      expect(answer).not.toContain('secret');
      expect(faults).toEqual([fault]);
    });

    it.each([
      [refuse.busy(), 503],
      [refuse.formNotFound(), 404],
    ])('%s becomes its status and is no internal error', async (error, status) => {
      submit = () => Promise.reject(error);
      expect(await get('/f/abc')).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(faults).toEqual([]);
    });

    it('an unavailable store is logged, and the caller is asked to retry', async () => {
      const fault = new StoreUnavailable('locked');
      submit = () => Promise.reject(fault);
      const answer = await get('/f/abc');
      expect(answer).toMatch(/^HTTP\/1\.1 503 /);
      expect(answer).toMatch(/retry-after: \d/i);
      expect(answer).not.toContain('locked');
      expect(faults).toEqual([fault]);
    });

    it('after the answer began, the connection is cut: half an answer must not look whole', async () => {
      submit = async (_request, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('half');
        throw new Error('late');
      };
      const answer = await get('/f/abc');
      expect(answer).not.toContain('Internal server error');
      expect(answer.length).toBeLessThan(100 + 300);
      expect(faults).toEqual([new Error('late')]);
    });

    it('the server serves on', async () => {
      submit = () => Promise.reject(new Error('once'));
      await get('/f/abc');
      submit = async (_request, response) => void response.end('submitted');
      expect(await get('/f/abc')).toContain('submitted');
    });
  });
});

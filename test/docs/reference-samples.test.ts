/** The programs in the API reference send exactly the recorded requests that a real instance accepted. */
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun } from '../support/needs.js';
import { operationsOf, readDocument, readExamples, readSamples } from '../support/reference.js';
import { temporaryFolder } from '../support/server.js';

const run = promisify(execFile);
const operations = operationsOf(await readDocument());
const { operations: examples } = await readExamples();
const samples = await readSamples();
const credentials = { INLET_API_KEY: 'key-of-the-reader', INLET_SESSION: 'session-of-the-reader' };

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Records the request to each operation. The server returns the recorded response. */
const received = new Map<string, Received>();
let server: Server;
let url: string;

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, operationId = '', path = ''] = /^\/(\w+)(\/.*)$/.exec(request.url ?? '') ?? [];
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  received.set(operationId, { method: request.method ?? '', url: path, headers: request.headers, body });
  const recorded = examples[operationId]?.response;
  // Not as a redirect: its target is not part of the sample.
  const status = recorded?.status === 302 ? 200 : (recorded?.status ?? 500);
  response.writeHead(status, recorded?.type ? { 'content-type': recorded.type } : {});
  const isText = typeof recorded?.body === 'string';
  response.end(isText ? recorded?.body : JSON.stringify(recorded?.body));
}

beforeAll(async () => {
  server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server?.close());

const expected = (operationId: string) => {
  const operation = operations.find((one) => one.operationId === operationId);
  const request = examples[operationId]?.request;
  if (!operation || !request) throw new Error(`There is no ${operationId}`);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => request.params[name] ?? '');
  const search = new URLSearchParams(request.query).toString();
  const byCaller = {
    key: { authorization: `Bearer ${credentials.INLET_API_KEY}` },
    session: { cookie: `inlet_session=${credentials.INLET_SESSION}` },
    nobody: {},
  };
  const headers = Object.entries({
    ...byCaller[request.caller],
    ...request.headers,
    ...(request.type && { 'content-type': request.type }),
  }).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method: operation.method,
    url: `${path}${search && `?${search}`}`,
    headers: Object.fromEntries(headers),
    body: request.body,
  };
};

const programs: Readonly<
  Record<
    string,
    {
      readonly command: string;
      readonly words: (code: string) => readonly string[];
      readonly join: (codes: readonly string[]) => string;
    }
  >
> = {
  'sh [curl]': {
    command: 'bash',
    words: (code) => ['-c', code],
    join: (codes) =>
      ['set -eu', ...codes.map((code) => `${code.trimEnd()} --silent --show-error`)].join('\n'),
  },
  'js [JavaScript]': {
    command: process.execPath,
    words: (code) => ['--input-type=module', '--eval', code],
    join: (codes) => codes.map((code) => `{\n${code}}`).join('\n'),
  },
  'python [Python]': { command: 'python3', words: (code) => ['-c', code], join: (codes) => codes.join('\n') },
};

it('every operation has a sample in every language', () => {
  const wanted = operations.flatMap(({ operationId }) =>
    Object.keys(programs).map((info) => `${operationId} ${info}`),
  );
  expect(samples.map(({ operationId, info }) => `${operationId} ${info}`).sort()).toEqual(wanted.sort());
});

describe.each(Object.entries(programs))('%s', (info, { command, words, join }) => {
  it.skipIf(!canRun(command))('sends the recorded requests', async () => {
    received.clear();
    const ours = samples.filter((sample) => sample.info === info);
    const codes = ours.map(({ operationId, code }) =>
      code.replaceAll('http://localhost:3000', `${url}/${operationId}`),
    );
    const env = { PATH: process.env.PATH, ...credentials };
    await run(command, words(join(codes)), {
      cwd: await temporaryFolder(),
      env,
      maxBuffer: 64 * 1024 * 1024,
    });
    for (const { operationId } of ours) {
      const wanted = expected(operationId);
      const got = received.get(operationId);
      expect(got, operationId).toBeDefined();
      const isJson = typeof wanted.body === 'object';
      const body = isJson ? JSON.parse(got?.body ?? '') : got?.body || undefined;
      expect({ method: got?.method, url: got?.url, body }, operationId).toEqual({
        method: wanted.method,
        url: wanted.url,
        body: wanted.body,
      });
      const headers = { ...got?.headers, origin: got?.headers.origin?.replace(`/${operationId}`, '') };
      expect(headers, operationId).toMatchObject(wanted.headers);
    }
  });
});

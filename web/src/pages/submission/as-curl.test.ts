import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../../../../test/support/needs.js';
import { curlCommand } from './as-curl.js';

interface Seen {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}
const seen: Seen[] = [];
const server = createServer(async (request, response) => {
  const { method, url: path, headers } = request;
  seen.push({ method, path, headers, body: await buffer(request) });
  response.end('ok');
});
let base: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const run = promisify(execFile);
/** Through stdin, which has no length limit. */
const pasted = (command: string) => {
  const shell = run('sh', ['-s']);
  shell.child.stdin?.end(command);
  return shell;
};

const hasCurl = needs('curl', spawnSync('curl', ['--version']).status === 0);

const request = (some: Partial<Parameters<typeof curlCommand>[0]> = {}) => ({
  method: 'POST',
  url: `${base}/hook`,
  headers: { 'content-type': 'application/json', 'x-webhook-attempt': '3' },
  body: '{"a":1}',
  is_body_cut: false,
  ...some,
});

describe.runIf(hasCurl)('the command sends the same request again', () => {
  it.each([
    ['quotes and a substitution', `'"\`$(touch /tmp/never) $HOME \\' !! \${x}`],
    ['a file name for curl', '@/etc/hostname'],
    ['line breaks and other scripts', 'ä\n\r\n日本 \t\\n%s%d --next -o x'],
    ['an empty body', ''],
    ['more than an argument can hold', `'${'x'.repeat(200_000)}\n'`],
  ])('%s', async (_name, body) => {
    await pasted(curlCommand(request({ body })));
    expect(seen.at(-1)).toMatchObject({ method: 'POST', path: '/hook', body: Buffer.from(body) });
  });

  it('with its method, its address and its headers', async () => {
    const headers = {
      'content-type': "it's",
      'x-empty': '',
      'user-agent': 'Inlet/1',
      'webhook-signature': 'v1,a+/=',
    };
    await pasted(curlCommand(request({ method: 'PUT', url: `${base}/a[1]{b,c}?q='x&y=$z#f`, headers })));
    expect(seen.at(-1)).toMatchObject({ method: 'PUT', path: "/a[1]{b,c}?q='x&y=$z", headers });
  });
});

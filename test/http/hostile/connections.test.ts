/**
 * Every way a connection can end, with a client that never closes its side: the server keeps neither the connection nor a file open. All of
 * them at once, because some wait for a real limit. Where that would take minutes, the server's clock is set forward.
 */
import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, multipartBody } from '../../support/bodies.js';
import { client, type MadeForm, makeForm, request } from '../../support/client.js';
import { startTimeServer, type TimeServer } from '../../support/clock.js';
import { connection, heldConnections, openFiles } from '../../support/descriptors.js';
import { contentUrl, sendFile } from '../../support/files.js';
import { waitUntil } from '../../support/kept.js';
import { requestHead } from '../../support/raw.js';
import { apiKey, freePort, startServer } from '../../support/server.js';
import { postJson } from '../../support/visitor.js';

/** Only a hang takes this long: the longest limit is 20 s for a silent body. */
const hangMs = 120_000;
const key = `Authorization: Bearer ${apiKey}`;
const json = 'Content-Type: application/json';
const megabyte = 1024 * 1024;

/** A client that never reads and never closes, unless its `act` does. */
interface Holder {
  readonly name: string;
  leave(): void;
  /** The client's own port, which a closed socket no longer knows. */
  readonly port: number;
  readonly serverPort: number;
}

function open(port: number, bytes: string | Buffer = ''): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.on('error', () => {});
      socket.write(bytes);
      resolve(socket);
    });
    socket.once('error', reject);
    socket.pause();
  });
}

/** Python, because Node cannot set the size of a buffer. Prints its port, and reads nothing until its stdin closes. */
const deaf = `
import socket, sys
client = socket.socket()
client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
# The buffer of the sender goes by it: 28 KB instead of 1.6 MB (measured).
client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
client.connect(('127.0.0.1', int(sys.argv[1])))
client.sendall(sys.argv[2].encode())
print(client.getsockname()[1], flush=True)
sys.stdin.read()
`;

async function openDeaf(serverPort: number, bytes: string): Promise<{ port: number; leave(): void }> {
  const python = spawn('python3', ['-c', deaf, String(serverPort), bytes], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve) =>
    python.stdout.once('data', (text) => resolve(Number(text))),
  );
  return { port, leave: () => void python.kill('SIGKILL') };
}

describe('a connection whose client stays', () => {
  let server: TimeServer;
  let form: MadeForm;
  const holders: Holder[] = [];
  let live: Socket;
  let left: readonly string[] = [];

  let opsPort: number;

  const hold = async (
    name: string,
    bytes: string | Buffer,
    act: (socket: Socket) => void = () => {},
    port = server.port,
  ): Promise<void> => {
    const socket = await open(port, bytes);
    const leave = (): void => void socket.destroy();
    holders.push({ name, leave, port: socket.localPort ?? 0, serverPort: port });
    act(socket);
  };
  const heldNow = async (): Promise<readonly string[]> => {
    const held = await heldConnections();
    return holders
      .filter(({ port, serverPort }) => held.has(connection(serverPort, port)))
      .map(({ name }) => name);
  };
  const get = (target: string, ...headers: string[]): string => requestHead('GET', target, [key, ...headers]);
  const post = (...headers: string[]): string => requestHead('POST', `/f/${form.publicId}`, headers);

  const holdAnswered = async (): Promise<void> => {
    await hold('got its response', get('/healthz'));
    await hold('got its response and half-closed', get('/healthz'), (socket) => socket.end());
    await hold('got the head of a response', requestHead('HEAD', '/docs'));
    await hold('asked to close', get('/openapi.json', 'Connection: close'));
    await hold('HTTP/1.0', 'GET /healthz HTTP/1.0\r\n\r\n');
    await hold('pipelined, then silent', get('/healthz').repeat(5));
    await hold('upgrade', get('/healthz', 'Connection: Upgrade', 'Upgrade: h2c'));
    await hold('response, then empty lines', get('/healthz'), (socket) => {
      const drip = setInterval(() => socket.write('\r\n'), 500);
      socket.once('close', () => clearInterval(drip));
    });
  };

  const holdUnfinished = async (): Promise<void> => {
    await hold('nothing sent', '');
    await hold('half a head', 'POST /f/x HTTP/1.1\r\nHost: x\r\nContent-Ty');
    await hold('half of a second head', `${get('/healthz')}GET /healthz HT`);
    await hold('half a JSON body', `${post(json, 'Content-Length: 100')}{"a":`);
    const body = multipartBody('b', [filePart('f', 'f.bin', Buffer.alloc(400_000, 1))]);
    const head = post('Content-Type: multipart/form-data; boundary=b', `Content-Length: ${body.length}`);
    const half = Buffer.concat([Buffer.from(head), body.subarray(0, 300_000)]);
    await hold('half an upload', half);
    await hold('half an upload, then reset', half, (socket) => socket.resetAndDestroy());
    const unknown = requestHead('POST', '/f/nosuchform', [json, 'Transfer-Encoding: chunked']);
    await hold('early response to an unfinished body', `${unknown}5\r\n{"a":\r\n`);
    const small = requestHead('POST', '/f/nosuchform', [json, 'Content-Length: 100']);
    await hold('early response to a small unfinished body', small);
    await hold(
      'early response without a key',
      requestHead('POST', '/api/v1/projects', [json, 'Content-Length: 9']),
    );
    await hold(
      'waits for an invitation',
      requestHead('POST', '/api/v1/projects', [json, 'Content-Length: 9', 'Expect: 100-continue']),
    );
  };

  const holdOps = async (): Promise<void> => {
    await hold('OPS_PORT: nothing sent', '', undefined, opsPort);
    await hold('OPS_PORT: not HTTP', 'NOT HTTP AT ALL\r\n\r\n', undefined, opsPort);
    await hold('OPS_PORT: got its response', get('/metrics'), undefined, opsPort);
  };

  const holdMalformed = async (): Promise<void> => {
    await hold('not HTTP', 'NOT HTTP AT ALL\r\n\r\n');
    await hold('too large a head', get('/healthz', `X-Large: ${'x'.repeat(20_000)}`));
    await hold('a TLS hello', Buffer.from('160301020001000001fc0303'.padEnd(1_000, 'ab'), 'hex'));
    await hold(
      'chunks in HTTP/1.0',
      'POST /f/x HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    await hold('two hosts', get('/healthz', 'Host: other.test'));
    await hold('CONNECT', 'CONNECT a.test:22 HTTP/1.1\r\nHost: a.test:22\r\n\r\n');
  };

  /** Responses larger than what the kernel buffers for a client that does not read. */
  const holdStalled = async (): Promise<void> => {
    const file = await sendFile(server.url, { content: new Uint8Array(12 * megabyte) });
    const content = get(new URL(await contentUrl(file)).href.slice(server.url.length));
    await hold('download that is not read', content);
    await hold(
      'download that is not read, to be closed',
      content.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    );
    await hold('download that is not read, then half-closed', content, (socket) => socket.end());
    await hold('download that is reset', content, (socket) => socket.resetAndDestroy());
    await hold('download of a byte now and then', content, (socket) => {
      const drip = setInterval(() => socket.read(1), 250);
      socket.once('close', () => clearInterval(drip));
    });
    const large = JSON.stringify({ text: 'x'.repeat(900_000) });
    await Promise.all(
      Array.from({ length: 12 }, () =>
        request(form.endpoint, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: large,
        }),
      ),
    );
    const submissions = `/api/v1/forms/${form.formId}/submissions`;
    for (const format of ['csv', 'json']) {
      await hold(`${format} export that is not read`, get(`${submissions}/export?format=${format}`));
    }
    await hold('list that is not read', get(`${submissions}?limit=100`));
  };

  /** With the smallest buffers, so that 320 events (70 KB) are more than the kernel accepts. */
  const holdEvents = async (): Promise<void> => {
    const { port, leave } = await openDeaf(server.port, get('/api/v1/events'));
    holders.push({ name: 'events that are not read', leave, port, serverPort: server.port });
    const lane = async (): Promise<void> => {
      for (let n = 0; n < 40; n += 1) await postJson(form.endpoint, { n });
    };
    await Promise.all(Array.from({ length: 8 }, lane));
  };

  /** Sends the head, part of the body where there is one, and then nothing more. */
  const holdEveryOperation = async (): Promise<void> => {
    const { paths } = (await request(`${server.url}/openapi.json`)).body;
    for (const [template, operations] of Object.entries<Record<string, unknown>>(paths)) {
      for (const method of Object.keys(operations).map((name) => name.toUpperCase())) {
        const id = template.startsWith('/f/') ? form.publicId : 'unknown-id';
        const target = template.replace(/\{\w+\}/, id);
        const body = method === 'GET' ? [] : [json, 'Content-Length: 1000'];
        const bytes = `${requestHead(method, target, [key, ...body])}${method === 'GET' ? '' : '{'}`;
        // Covered above.
        if (template !== '/api/v1/events') await hold(`${method} ${template}`, bytes);
      }
    }
  };

  beforeAll(async () => {
    opsPort = await freePort();
    server = await startTimeServer(60_000, {
      env: {
        MAX_FILE_BYTES: String(20 * megabyte),
        API_RATE_LIMIT_PER_MINUTE: '100000',
        OPS_PORT: String(opsPort),
      },
    });
    form = await makeForm(server.url);
    live = await open(server.port, get('/api/v1/events'));
    live.resume();
    await Promise.all([holdAnswered(), holdUnfinished(), holdMalformed(), holdOps(), holdStalled()]);
    await holdEvents();
    await holdEveryOperation();
    const until = Date.now() + hangMs;
    do {
      await server.step();
      left = await heldNow();
    } while (left.length > 0 && Date.now() < until);
  }, 2 * hangMs);
  afterAll(async () => {
    for (const { leave } of holders) leave();
    live?.destroy();
    await server?.dispose();
  });

  it('is let go, however it got there', () => {
    expect(holders.length).toBeGreaterThan(60);
    expect(left).toEqual([]);
  });

  it('leaves no file open', async () => {
    await waitUntil(
      async () => (await openFiles(server.process.pid ?? 0, `${server.dataDir}/files`)).length === 0,
    );
  });

  it('is kept while it is read: server-sent events go on', async () => {
    expect(await heldConnections()).toContain(connection(server.port, live.localPort ?? 0));
    expect(server.output()).not.toMatch(/"level":(?:50|60)/);
  });
});

it('a crowd that says nothing does not take the descriptors of those who have something to say', async () => {
  const server = await startServer({ maxDescriptors: 200 });
  const crowd: Socket[] = [];
  try {
    const { endpoint, formId } = await makeForm(server.url);
    for (let i = 0; i < 190; i += 1) crowd.push(await open(server.port));
    const isAccepted = async (): Promise<boolean> =>
      (await postJson(endpoint, { a: 1 }).catch(() => null))?.status === 200;
    await waitUntil(isAccepted, 60_000);
    const stored = await client(server.url).get(`/api/v1/forms/${formId}/submissions`);
    expect(stored.body.data).toHaveLength(1);
  } finally {
    for (const socket of crowd) socket.destroy();
    await server.dispose();
  }
}, 300_000);

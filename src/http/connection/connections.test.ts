import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBrokenRequestListener } from './broken-request.js';
import { type ConnectionLimits, Connections, maxOpenWithin } from './connections.js';
import { guardsFor } from './guards.js';
import { createNodeServer } from './node-server.js';
import { createRequestIds } from './request-ids.js';

const limits: ConnectionLimits = {
  headMs: 300,
  idleMs: 400,
  sendMs: 500,
  sendBytes: 1_000,
  closeMs: 200,
  lookEveryMs: 25,
};
const requestMs = 60_000;
const head = (target: string, ...lines: string[]) =>
  `GET ${target} HTTP/1.1\r\n${['Host: a.test', ...lines].join('\r\n')}\r\n\r\n`;

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(64 * 1024);
}

const openSockets = (): number =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;

describe('Connections', () => {
  const guards = guardsFor({ isHttps: false });
  const ids = createRequestIds(null);
  let connections: Connections;
  let server: Server;
  let clients: Socket[];

  const respond: RequestListener = (request, response) => {
    if (request.url === '/endless') Readable.from(endless()).pipe(response);
    else if (request.url === '/soon') setTimeout(() => response.end('ok'), 5);
    else if (request.url !== '/never') response.end('ok');
  };

  /** From now on time passes for our limits only when a test advances it. Node's own timers keep running. */
  const holdTime = () => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });

  async function serve(maxOpen = 100): Promise<void> {
    connections = new Connections(limits, maxOpen);
    server = createNodeServer(respond, { connections, guards, ids, requestMs });
    server.on('clientError', createBrokenRequestListener({ guards, ids }));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  }

  beforeEach(() => {
    clients = [];
  });
  afterEach(() => {
    vi.useRealTimers();
    for (const client of clients) client.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** A client that never closes its side. It reads only when a test makes it. */
  async function open(text = ''): Promise<Socket> {
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => {});
    client.pause();
    clients.push(client);
    await once(client, 'connect');
    client.write(text);
    return client;
  }

  const isOver = (client: Socket): boolean => client.readableEnded || client.destroyed;

  /** Returns a function for what this client has read so far. */
  function listen(client: Socket): () => string {
    let text = '';
    client.on('data', (bytes) => {
      text += bytes;
    });
    client.resume();
    return () => text;
  }

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  async function until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await pause(2);
  }

  /** Waits until no connection is left, and calls `act` for what the client does meanwhile. */
  const allGone = (act = (): void => {}): Promise<void> =>
    until(() => {
      act();
      return connections.size === 0;
    });

  const endings: readonly (readonly [string, string])[] = [
    ['says nothing', ''],
    ['sends half a head', 'GET / HTTP/1.1\r\nHo'],
    ['sends what is not HTTP', '\x16\x03\x01\x02\x00'],
    ['sends too large a head', head('/', `X: ${'x'.repeat(20_000)}`)],
    ['got its response', head('/')],
    ['got its response and sends half a head', `${head('/')}GET / HT`],
    ['asked for the end of the connection', head('/', 'Connection: close')],
    ['speaks HTTP 1.0', 'GET / HTTP/1.0\r\n\r\n'],
    ['sends several requests ahead', head('/').repeat(5)],
    ['does not read', head('/endless')],
    ['does not read and asked for the end', head('/endless', 'Connection: close')],
    ['does not read and sends no HTTP meanwhile', `${head('/endless')}NOT HTTP\r\n\r\n`],
    ['wants to upgrade', head('/', 'Connection: Upgrade', 'Upgrade: websocket')],
    ['wants a tunnel', 'CONNECT a.test:22 HTTP/1.1\r\nHost: a.test:22\r\n\r\n'],
    ['asks for the head of a response', head('/').replace('GET', 'HEAD')],
  ];

  it.each(endings)('ends one that %s, although the client stays', async (_what, text) => {
    await serve();
    const before = openSockets();
    await open(text);
    await until(() => connections.size === 1);
    await allGone();
    // Only the client's own side is left.
    await until(() => openSockets() === before + 1);
  });

  it('ends one that is kept awake by empty lines', async () => {
    await serve();
    const client = await open(head('/'));
    client.resume();
    await until(() => client.bytesRead > 0);
    await allGone(() => client.write('\r\n'));
  });

  it('ends one that takes a byte now and then', async () => {
    await serve();
    const client = await open(head('/endless'));
    await until(() => connections.size === 1);
    await allGone(() => client.read(1));
  });

  it('lets a client that reads go on for as long as it likes', async () => {
    holdTime();
    await serve();
    const client = await open(head('/endless'));
    client.resume();
    for (let i = 0; i < 8; i += 1) {
      const before = client.bytesRead;
      // Many times what the kernel can buffer.
      await until(() => client.bytesRead > before + 10_000_000 || client.destroyed);
      vi.advanceTimersByTime(limits.sendMs - limits.lookEveryMs);
    }
    expect(connections.size).toBe(1);
  });

  it('never cuts a connection that is in use', async () => {
    holdTime();
    await serve();
    const client = await open();
    const read = listen(client);
    const requests = 3 * (limits.idleMs / limits.lookEveryMs);
    for (let i = 1; i <= requests; i += 1) {
      client.write(head('/'));
      await until(() => read().split('200 OK').length === i + 1 || isOver(client));
      // It is idle at every check, but after another request each time.
      vi.advanceTimersByTime(2 * limits.lookEveryMs);
    }
    expect(isOver(client)).toBe(false);
  });

  it('cuts nobody after the process stood still', async () => {
    holdTime();
    await serve();
    const client = await open(head('/'));
    const read = listen(client);
    await until(() => read().includes('200 OK'));
    // One check after all that time.
    const passed = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => passed + 3_600_000);
    vi.advanceTimersByTime(limits.lookEveryMs);
    vi.mocked(performance.now).mockRestore();
    client.write(head('/'));
    await until(() => read().split('200 OK').length === 3 || isOver(client));
    expect(isOver(client)).toBe(false);
  });

  it('takes more requests ahead than may wait, as long as responses come', async () => {
    await serve();
    const client = await open(head('/soon').repeat(2));
    const read = listen(client);
    for (let i = 1; i <= 40; i += 1) {
      await until(() => read().split('200 OK').length > i || isOver(client));
      client.write(head('/soon'));
    }
    expect(isOver(client)).toBe(false);
  });

  it('waits for a response that takes long to make', async () => {
    holdTime();
    await serve();
    let asked = 0;
    server.on('request', () => {
      asked += 1;
    });
    await open(head('/never'));
    await until(() => asked === 1);
    vi.advanceTimersByTime(3_600_000);
    await pause(2 * limits.headMs);
    expect(connections.size).toBe(1);
  });

  describe('when there are as many as there may be', () => {
    it('those that wait for nothing make room', async () => {
      await serve(8);
      for (let i = 0; i < 8; i += 1) await open(head('/'));
      await until(() => connections.size === 8);
      const client = await open(head('/'));
      const read = listen(client);
      await until(() => read() !== '' || isOver(client));
      expect(read()).toMatch(/^HTTP\/1\.1 200 /);
      expect(connections.size).toBeLessThanOrEqual(8);
    });

    it('those whose body comes slowly make room, but not at once', async () => {
      holdTime();
      await serve(8);
      let asked = 0;
      server.on('request', () => {
        asked += 1;
      });
      for (let i = 0; i < 8; i += 1)
        await open('POST /never HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nx');
      await until(() => asked === 8);
      const early = await open(head('/'));
      early.resume();
      await until(() => isOver(early));
      vi.advanceTimersByTime(6_000);
      const client = await open(head('/'));
      const read = listen(client);
      await until(() => read() !== '' || isOver(client));
      expect(read()).toMatch(/^HTTP\/1\.1 200 /);
    });

    it('those with a response under way do not', async () => {
      await serve(8);
      for (let i = 0; i < 8; i += 1) await open(head('/never'));
      await until(() => connections.size === 8);
      const client = await open(head('/'));
      client.resume();
      await until(() => isOver(client));
      expect(connections.size).toBe(8);
    });
  });
});

it.each([
  [200, 52],
  [256, 80],
  [4_096, 2_000],
  [1_048_576, 10_000],
  [10, 16],
  [null, 10_000],
])('of %s descriptors, %s connections leave enough for files', (limit, most) => {
  expect(maxOpenWithin(limit)).toBe(most);
});

/** What one client must not be able to pile up with little effort. */
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitUntil } from '../../support/kept.js';
import { openRaw, requestHead } from '../../support/raw.js';
import { type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.dispose());

const descriptors = (): number => readdirSync(`/proc/${server.process.pid}/fd`).length;
const residentKb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]);

it('requests sent ahead of their answers leave no file open when their client goes', async () => {
  const page = await (await fetch(`${server.url}/docs`)).text();
  const font = /[^"]+\.woff2/.exec(page)?.[0] ?? expect.unreachable('the page names no font');
  const ask = `GET ${font} HTTP/1.1\r\nHost: x\r\n\r\n`;
  await fetch(`${server.url}${font}`).then((answer) => answer.arrayBuffer());
  const before = descriptors();
  for (let round = 0; round < 5; round += 1) {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    await new Promise<void>((resolve) => socket.write(ask.repeat(200), () => resolve()));
    await waitUntil(async () => (await fetch(`${server.url}/healthz`)).ok);
    socket.destroy();
  }
  await waitUntil(async () => descriptors() <= before + 5);
});

it('a few requests sent ahead are answered, in their order', async () => {
  const socket = await openRaw(server.port);
  const ask = (path: string, last = false) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
  socket.write(ask('/healthz') + ask('/openapi.json') + ask('/nope') + ask('/healthz', true));
  const bodies = await Promise.all([1, 2, 3, 4].map(async (n) => (await socket.answer(n)).body));
  expect(bodies.map((body) => body.slice(0, 19))).toEqual([
    '{"status":"ok"}',
    '{"openapi":"3.1.0",',
    '{"error":"Not found',
    '{"status":"ok"}',
  ]);
});

it('a path that does not exist is refused before its body, however it comes', async () => {
  const before = residentKb();
  const chunks = '1\r\na\r\n'.repeat(50_000);
  const sockets = await Promise.all(Array.from({ length: 10 }, () => openRaw(server.port)));
  for (const socket of sockets) {
    socket.write(
      requestHead('POST', '/nope', ['Content-Type: application/json', 'Transfer-Encoding: chunked']) + chunks,
    );
  }
  const answers = await Promise.all(sockets.map((socket) => socket.answer()));
  for (const answer of answers) expect(answer.status).toBe(404);
  for (const socket of sockets) socket.vanish();
  expect(residentKb() - before).toBeLessThan(150 * 1024);
});

/** What a unit with Type=notify and WatchdogSec sends to systemd, received on a socket that stands in for systemd. */

import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Cluster, newCluster } from '../cluster/cluster.js';
import { waitUntil } from '../support/kept.js';
import { childrenOf, isAlive } from '../support/processes.js';
import { type RunningServer, startServer, temporaryFolder } from '../support/server.js';

/** Prints each datagram as a line. */
const listen = `
import socket, sys
heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
heard.bind(sys.argv[1].replace('@', '\\0', 1))
print('listening', flush=True)
while True:
    print(heard.recv(4096).decode(), flush=True)
`;

interface Systemd {
  readonly env: Record<string, string>;
  heard(): readonly string[];
}
const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startSystemd(watchdogMs: number, isAbstract = false): Promise<Systemd> {
  const folder = await temporaryFolder();
  const path = `${isAbstract ? '@' : ''}${join(folder, 'notify')}`;
  const python: ChildProcess = spawn('python3', ['-c', listen, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  python.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  cleanups.push(async () => {
    python.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  await waitUntil(() => text.startsWith('listening\n'));
  return {
    env: { NOTIFY_SOCKET: path, WATCHDOG_USEC: String(watchdogMs * 1000) },
    heard: () => text.split('\n').slice(1, -1),
  };
}

const pingsIn = (lines: readonly string[]): number => lines.filter((line) => line === 'WATCHDOG=1').length;
const morePings = (systemd: Systemd): Promise<void> => {
  const before = pingsIn(systemd.heard());
  return waitUntil(() => pingsIn(systemd.heard()) >= before + 2);
};

it.each([
  ['a path', false],
  ['an abstract socket', true],
])('it is up, alive, frozen and stopping, over %s', async (_name, isAbstract) => {
  const systemd = await startSystemd(200, isAbstract);
  const server: RunningServer = await startServer({ env: systemd.env });
  cleanups.push(() => server.dispose());
  await morePings(systemd);
  expect(systemd.heard().filter((line) => line !== 'WATCHDOG=1')).toEqual(['READY=1']);

  // A frozen process is silent: what was in transit arrives, then nothing for five times the watchdog interval.
  server.process.kill('SIGSTOP');
  const quietFor = async (ms: number): Promise<boolean> => {
    const before = systemd.heard().length;
    await new Promise((resolve) => setTimeout(resolve, ms));
    return systemd.heard().length === before;
  };
  await waitUntil(() => quietFor(1_000));
  server.process.kill('SIGCONT');
  await morePings(systemd);

  // The helper process that notifies systemd may die too.
  const [perl = 0] = childrenOf(server.process.pid ?? 0);
  process.kill(perl, 'SIGKILL');
  await waitUntil(() => !isAlive(perl));
  await morePings(systemd);

  const [heir = 0] = childrenOf(server.process.pid ?? 0);
  expect(await server.end('SIGTERM')).toBe(0);
  await waitUntil(() => systemd.heard().includes('STOPPING=1') && !isAlive(heir));
});

/** The status, or null if the connection ended without one. */
const visit = (url: string): Promise<number | null> =>
  new Promise((resolve) => {
    get(url, { agent: false }, (response) => resolve(response.resume().statusCode ?? null)).on('error', () =>
      resolve(null),
    );
  });

it('--processes: up when all are, and one that is frozen is replaced', async () => {
  const cluster: Cluster = await newCluster({
    INLET_SECRET: 'a secret that all processes of this test share',
  });
  cleanups.push(() => cluster.dispose());
  // A busy machine must not look like a frozen process.
  const systemd = await startSystemd(3_000);
  const server = await cluster.start({ words: ['--processes', '2'], env: systemd.env });
  await waitUntil(() => systemd.heard().includes('READY=1'));
  const leader = server.process.pid ?? 0;
  const [first = 0, second = 0] = childrenOf(leader);
  process.kill(second, 'SIGSTOP');
  // Each on its own connection: a request to the frozen process waits only until that process is killed.
  const visits = Array.from({ length: 40 }, () => visit(`${server.url}/healthz`));
  await waitUntil(() => !isAlive(second));
  const outcomes = await Promise.all(visits);
  expect(outcomes.filter((outcome) => outcome === 200).length).toBeGreaterThan(0);
  expect(isAlive(first)).toBe(true);
  await waitUntil(() => childrenOf(leader).length === 3);
  await morePings(systemd);
  expect(await server.end('SIGTERM')).toBe(0);
  await waitUntil(() => systemd.heard().includes('STOPPING=1'));
});

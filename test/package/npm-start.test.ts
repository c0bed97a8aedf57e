/** `npm start`: npm runs a shell, and the shell runs Inlet. A signal must stop it gracefully, once, and leave nothing behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { until } from '../support/cli.js';
import { openRaw, requestHead } from '../support/raw.js';
import { apiKey, freePort, plainEnvironment, temporaryFolder } from '../support/server.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Debian's `sh` stays and waits for the program. bash, which is `sh` elsewhere, replaces itself with the program. */
const shells = ['/bin/sh', '/bin/bash'].filter((path) => existsSync(path));

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid) process.kill(-child.pid, signal);
};

async function npmStart(shell: string) {
  const [dataDir, port] = [await temporaryFolder(), await freePort()];
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
  const url = `http://127.0.0.1:${port}`;
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: {
      ...plainEnvironment(),
      ...{ HOST: '127.0.0.1', PORT: String(port), BASE_URL: url, DATA_DIR: dataDir, INLET_API_KEY: apiKey },
      npm_config_script_shell: shell,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, as in a terminal.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  // Resolves only when the last process has closed the output.
  const allEnded = new Promise<void>((resolve) => child.once('close', () => resolve()));
  cleanups.push(() => {
    try {
      signalGroup(child, 'SIGKILL');
    } catch {
      // It has already exited.
    }
    return allEnded;
  });
  await until(
    () => output,
    (text) => text.includes(dataDir),
  );
  return { child, port, allEnded, output: () => output };
}

const refusesConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });

it.each(
  shells.flatMap((shell) => [
    [shell, 'a terminal interrupts all of them', (npm: ChildProcess) => signalGroup(npm, 'SIGINT')] as const,
    [shell, 'npm is asked to end', (npm: ChildProcess) => npm.kill('SIGTERM')] as const,
  ]),
)('below %s, requests in flight finish when %s', async (shell, _, stop) => {
  const { child, port, allEnded, output } = await npmStart(shell);
  const body = JSON.stringify({ name: 'Contact' });
  const connection = await openRaw(port);
  cleanups.push(() => connection.vanish());
  const headers = [`Authorization: Bearer ${apiKey}`, 'Content-Type: application/json'];
  const length = `Content-Length: ${body.length}`;
  connection.write(requestHead('POST', '/api/v1/projects', [...headers, length, 'Expect: 100-continue']));
  await until(connection.received, (text) => text.startsWith('HTTP/1.1 100'));
  stop(child);
  await until(
    () => refusesConnections(port),
    (refused) => refused,
  );
  connection.write(body);
  expect((await connection.answer(1)).status).toBe(201);
  await allEnded;
  expect(output().match(/"msg":"stopped"/g)).toHaveLength(1);
});

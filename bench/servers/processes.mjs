/**
 * Servers under measurement, each in a separate process: loopback, a free port, temporary data. The code that starts a
 * server ends it through its handle. A run that dies ends its servers too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const inletEntry = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));
const bareEntry = fileURLToPath(new URL('../floors/bare-server.mjs', import.meta.url));
const startTimeoutMs = 30_000;
const endTimeoutMs = 25_000;
const keptOutputChars = 20_000;

/** Everything that was started and has not ended. */
const running = new Set();

/** Kills everything that is still running. Callers that wait for it fail, and clean up. */
export function endRunning() {
  for (const child of running) child.kill('SIGKILL');
}

export const apiKey = 'bench-key-0123456789abcdef';

const folders = new Set();

export async function temporaryFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-bench-'));
  folders.add(folder);
  return folder;
}

export async function removeFolder(folder) {
  await rm(folder, { recursive: true, force: true });
  folders.delete(folder);
}

// An interrupted run leaves neither servers nor gigabytes of uploads behind.
process.once('exit', () => {
  endRunning();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

export async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** No agent: a keep-alive connection to a server that is still starting would hide when it began to respond. */
const statusOf = (url) =>
  new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 5_000 }, (response) =>
      resolve(response.resume().statusCode),
    );
    request.on('timeout', () => request.destroy()).on('error', () => resolve(0));
  });

/** Starts a program that listens on the port it is given. It is ready when `healthPath` returns 200. */
export async function startProgram(program, wordsOf, env, healthPath, place = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const timeoutMs = place.startTimeoutMs ?? startTimeoutMs;
  const words = wordsOf(port);
  const child = spawn(program, words, {
    // Only what a process needs to run: no setting leaks in from the shell.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env(port, url) },
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: place.cwd,
  });
  // Throws when the program does not exist or is not for this machine.
  await once(child, 'spawn');
  running.add(child);
  place.cpuShare?.take(child.pid);
  let output = '';
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-keptOutputChars);
  });
  const exited = new Promise((resolve) =>
    child.once('exit', () => {
      running.delete(child);
      resolve();
    }),
  );
  const killLast = () => child.kill('SIGKILL');
  process.once('exit', killLast);
  const end = async (signal = 'SIGTERM') => {
    child.kill(signal);
    const cut = setTimeout(killLast, endTimeoutMs);
    await exited;
    clearTimeout(cut);
    process.off('exit', killLast);
  };
  while ((await statusOf(url + healthPath)) !== 200) {
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (isOver || performance.now() - startedAt > timeoutMs) {
      await end('SIGKILL');
      throw new Error(`${program} ${words.join(' ')} did not answer:\n${output}`);
    }
    await pause(5);
  }
  const readyMs = performance.now() - startedAt;
  return { url, pid: child.pid, readyMs, readyCpuMs: cpuSeconds(child.pid).main * 1000, end };
}

/** Starts a Node script that listens on PORT. */
export const start = (script, scriptArguments, env, healthPath, nodeArguments = [], place = {}) =>
  startProgram(
    process.execPath,
    () => [...nodeArguments, script, ...scriptArguments],
    env,
    healthPath,
    place,
  );

/**
 * Starts the built program as an operator would. `readyMs` is the time from spawn to the first 200 of /healthz.
 * `readyCpuMs` is the CPU time of its main thread until then, which other work on the machine affects less.
 */
export const startInlet = (dataDir, settings = {}, nodeArguments = [], words = [], place = {}) =>
  start(
    inletEntry,
    ['serve', ...words],
    (port, url) => ({
      HOST: '127.0.0.1',
      PORT: String(port),
      BASE_URL: url,
      DATA_DIR: dataDir,
      INLET_API_KEY: apiKey,
      LOG_LEVEL: 'warn',
      API_RATE_LIMIT_PER_MINUTE: '10000000',
      ...settings,
    }),
    '/healthz',
    nodeArguments,
    place,
  );

export const startBare = () => start(bareEntry, [], (port) => ({ PORT: String(port) }), '/');

/** Runs a program to its end. Resolves with its stdout. */
export function runToEnd(command, commandArguments, place = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, commandArguments, { ...place, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    const killLast = () => child.kill('SIGKILL');
    process.once('exit', killLast);
    let output = '';
    let faults = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      faults += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      process.off('exit', killLast);
      running.delete(child);
      if (code === 0) resolve(output);
      else reject(new Error(`${command} ${commandArguments.join(' ')}: ${faults}`));
    });
  });
}

/** A management request; throws unless it succeeds. */
export async function api(server, method, path, body) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Creates a project whose rate limit is never reached, with one form. */
export async function makeForm(server, settings = {}) {
  const project = await api(server, 'POST', '/api/v1/projects', { name: 'Website' });
  await api(server, 'PATCH', `/api/v1/projects/${project.id}`, { rate_limit_per_minute: 10_000_000 });
  const form = await api(server, 'POST', `/api/v1/projects/${project.id}/forms`, {
    name: 'Contact',
    ...settings,
  });
  return { projectId: project.id, formId: form.id, publicId: form.public_id, path: `/f/${form.public_id}` };
}

const ticksPerSecond = 100;

/** The CPU seconds used by all threads of the process, and by the one that runs the event loop. */
export function cpuSeconds(pid) {
  const used = (tid) => {
    // The name in brackets may contain spaces. User and system time are the 12th and 13th fields after it.
    const fields = readFileSync(`/proc/${pid}/task/${tid}/stat`, 'latin1').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  };
  const threads = readdirSync(`/proc/${pid}/task`);
  return { all: threads.reduce((sum, tid) => sum + used(tid), 0), main: used(pid) };
}

/** Waits until the process has nothing left to do, such as search indexing after a burst. */
export async function untilIdle(pid, timeoutMs = 20_000, stepMs = 250) {
  const endsAt = performance.now() + timeoutMs;
  for (let quiet = 0; quiet < 3 && performance.now() < endsAt; ) {
    const before = cpuSeconds(pid).all;
    await pause(stepMs);
    quiet = cpuSeconds(pid).all - before <= 0.02 ? quiet + 1 : 0;
  }
}

/** Resident memory in bytes, now. */
export const residentBytes = (pid) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;

import { spawn, spawnSync } from 'node:child_process';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { inlet, until } from '../support/cli.js';
import { client, makeForm, request, submitJson } from '../support/client.js';
import { openRaw, requestHead } from '../support/raw.js';
import {
  apiKey,
  entry,
  freePort,
  plainEnvironment,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../support/server.js';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function started(options: Parameters<typeof startServer>[0] = {}): Promise<RunningServer> {
  const server = await startServer(options);
  cleanups.push(() => server.dispose());
  return server;
}

async function emptyFolder(): Promise<string> {
  const folder = await temporaryFolder();
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A port on which another process listens. */
async function takenPort(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => taken.close(resolve)));
  const address = taken.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Runs `inlet` without extra options, and resolves once its output contains `upTo`. */
async function startBare(words: readonly string[], env: Record<string, string>, upTo: RegExp) {
  const child = spawn(process.execPath, [entry, ...words], {
    env: { ...plainEnvironment(), LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  cleanups.push(() => {
    child.kill('SIGKILL');
    return exited;
  });
  let output = '';
  let faults = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    faults += chunk;
  });
  const ended = exited.then((code) => {
    throw new Error(`It ended with ${code} instead:\n${output}\n${faults}`);
  });
  const said = until(
    () => output,
    (text) => upTo.test(text),
  );
  await Promise.race([said, ended]);
  ended.catch(() => {});
  return { child, exited, output };
}

/** A submission whose body stops halfway until `rest` is called. */
async function halfSubmission(server: RunningServer) {
  const { publicId } = await makeForm(server.url);
  const body = JSON.stringify({ name: 'Ada', text: 'x'.repeat(1000) });
  const socket: Socket = connect(server.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  cleanups.push(() => socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(
    `POST /f/${publicId} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  // The invitation to send the body proves that the request is in flight.
  await until(
    () => answer,
    (text) => text.startsWith('HTTP/1.1 100'),
  );
  socket.write(body.slice(0, 100));
  return {
    async rest(): Promise<string> {
      socket.write(body.slice(100));
      await closed;
      return answer.slice(answer.indexOf('HTTP/1.1', 1));
    },
  };
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

describe('what a start prints', () => {
  it('shows on the first start all that is needed to begin, and less on the next', async () => {
    const dataDir = await emptyFolder();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = { DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: String(port), BASE_URL: url };
    const first = await startBare([], env, /\n {2}curl .+\n/);
    expect(first.output).toMatch(/^Inlet \d+\.\d+\.\d+\S* is running\.\n/);
    expect(first.output).toContain(`\n  Address  ${url}\n  Docs     ${url}/docs\n  API key  inlet_`);
    expect(first.output).toContain(`\n  Data     ${dataDir}\n`);

    // A shell parses the line. The request is then sent with the arguments that curl would get.
    const line = /^ {2}(curl .+)$/m.exec(first.output)?.[1] ?? '';
    const words = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${line}`], { encoding: 'utf8' });
    const [target = '', h1, authorization = '', h2, type = '', d, body = ''] = words.stdout
      .trimEnd()
      .split('\n');
    expect([h1, h2, d]).toEqual(['-H', '-H', '-d']);
    const headers = Object.fromEntries(
      [authorization, type].map((text) => text.split(': ') as [string, string]),
    );
    const made = await request(target, { method: 'POST', headers, body });
    expect([made.status, made.body?.name]).toEqual([201, 'My website']);

    first.child.kill('SIGINT');
    expect(await first.exited).toBe(0);
    const second = await startBare(['serve'], env, /Data .+\n/);
    expect(second.output.trimEnd().split('\n').slice(1)).toEqual([
      expect.stringMatching(/^ {2}Set up {3}\S+ \(works once\)$/),
      `  Address  ${url}`,
      `  Data     ${dataDir}`,
    ]);
    // The first link was never used: it is replaced, and the old one no longer works.
    const linkIn = (output: string) => /#token=(\S+)/.exec(output)?.[1] ?? '';
    const user = { email: 'ada@example.com', password: 'a long password' };
    const open = (token: string) => client(url, null).post('/api/v1/setup', { token, ...user });
    expect((await open(linkIn(first.output))).status).toBe(403);
    expect((await open(linkIn(second.output))).status).toBe(201);
    second.child.kill('SIGINT');
    expect(await second.exited).toBe(0);
    const third = await startBare(['serve'], env, /Data .+\n/);
    expect(third.output.trimEnd().split('\n').slice(1)).toEqual([
      `  Address  ${url}`,
      `  Data     ${dataDir}`,
    ]);
  });

  it('prints one line of JSON when asked', async () => {
    const dataDir = await emptyFolder();
    const port = await freePort();
    const env = {
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: String(port),
      BASE_URL: 'https://forms.example.com',
    };
    const { output } = await startBare(['serve', '--json'], env, /\n/);
    const line = JSON.parse(output);
    expect(line).toEqual({
      address: `http://127.0.0.1:${port}`,
      base_url: 'https://forms.example.com',
      docs_url: 'https://forms.example.com/docs',
      data_dir: dataDir,
      version: expect.any(String),
      api_key: expect.stringMatching(/^inlet_/),
      setup_url: expect.stringMatching(/^https:\/\/forms\.example\.com\/dashboard\/setup#token=[\w-]{43}$/),
    });
    expect((await client(line.address, line.api_key).get('/api/v1/projects')).status).toBe(200);
  });

  it('uses no key up when the port is taken', async () => {
    const port = await takenPort();
    const dataDir = await emptyFolder();
    const env = { HOST: '127.0.0.1', LOG_LEVEL: 'silent' };
    const refused = await inlet(['serve'], { dataDir, env: { ...env, PORT: String(port) } });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(
      new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use\\. .+\\n$`),
    );
    const settings = { ...env, DATA_DIR: dataDir, PORT: '0', BASE_URL: 'http://localhost' };
    const { output } = await startBare(['serve', '--json'], settings, /\n/);
    const { address, api_key, setup_url } = JSON.parse(output);
    expect(setup_url).toContain('/dashboard/setup#token=');
    expect((await client(address, api_key).get('/api/v1/projects')).status).toBe(200);
  });

  it('shows a key that is stored although the port is taken', async () => {
    const port = await takenPort();
    const dataDir = await emptyFolder();
    // With an admin user configured, everything is created before the first request.
    const admin = { INLET_ADMIN_EMAIL: 'ada@example.com', INLET_ADMIN_PASSWORD: 'a long password' };
    const env = { HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'silent', ...admin };
    const { code, stdout } = await inlet(['serve'], { dataDir, env });
    expect(code).toBe(1);
    const key = /^API key {2}(inlet_\w+) /.exec(stdout)?.[1] ?? '';
    const server = await started({ dataDir });
    expect((await client(server.url, key).get('/api/v1/projects')).status).toBe(200);
  });
});

describe('below systemd, whose journal keeps what is printed', () => {
  /** Its output goes to a file, which it recognises the same way as a unit recognises the journal. */
  async function runInJournal(dataDir: string, words: readonly string[], more: NodeJS.ProcessEnv = {}) {
    const journal = join(await emptyFolder(), 'journal');
    const file = await open(journal, 'w');
    const { dev, ino } = await file.stat({ bigint: true });
    const child = spawn(process.execPath, [entry, 'serve', ...words], {
      env: {
        ...plainEnvironment(),
        ...{ DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', BASE_URL: 'http://localhost', ...more },
        JOURNAL_STREAM: `${dev}:${ino}`,
      },
      stdio: ['ignore', file.fd, file.fd],
    });
    const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
    cleanups.push(() => {
      child.kill('SIGKILL');
      return exited;
    });
    await file.close();
    return { child, exited, all: () => readFile(journal, 'utf8') };
  }

  async function startInJournal(dataDir: string, words: readonly string[] = []) {
    const run = await runInJournal(dataDir, words);
    const text = await until(
      run.all,
      (written) =>
        written.includes(words.includes('--json') ? 'setup_url' : '"serving"') && written.endsWith('\n'),
    );
    return { ...run, text };
  }

  it('prints log lines from the first on, and puts secrets into files of their own', async () => {
    const dataDir = await emptyFolder();
    const first = await startInJournal(dataDir);
    const keyFile = join(dataDir, 'first-api-key');
    const linkFile = join(dataDir, 'setup-link');
    const text = await until(first.all, (written) => written.includes(linkFile));
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const serving = lines.find(({ msg }) => msg === 'serving');
    expect(serving).toMatchObject({
      version: expect.any(String),
      data_dir: dataDir,
      role: 'all',
      processes: 1,
    });
    expect(lines.find(({ api_key_file }) => api_key_file === keyFile)).toBeDefined();

    const key = (await readFile(keyFile, 'utf8')).trim();
    const link = (await readFile(linkFile, 'utf8')).trim();
    expect(key).toMatch(/^inlet_/);
    const [, token = ''] = /#token=([\w-]{43})$/.exec(link) ?? [];
    expect(text).not.toContain(key);
    expect(text).not.toContain(token);
    for (const file of [keyFile, linkFile]) expect((await stat(file)).mode & 0o777).toBe(0o600);
    const address = String(serving.address);
    expect((await client(address, key).get('/api/v1/projects')).status).toBe(200);
    const user = { token, email: 'ada@example.com', password: 'a long password' };
    expect((await client(address, null).post('/api/v1/setup', user)).status).toBe(201);

    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    const second = await startInJournal(dataDir);
    second.child.kill('SIGTERM');
    expect(await second.exited).toBe(0);
    expect((await readFile(keyFile, 'utf8')).trim(), 'a key is made once').toBe(key);
    await expect(stat(linkFile), 'the link has been used').rejects.toThrow('ENOENT');
  });

  it('logs why it does not start', async () => {
    const failed = await runInJournal(await emptyFolder(), [], { DATABSE_URL: 'postgres://nowhere' });
    expect(await failed.exited).toBe(1);
    const lines = (await failed.all())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      expect.objectContaining({ level: 60, msg: expect.stringContaining('DATABASE_URL') }),
    ]);
  });

  it('prints the key after all when JSON is asked for', async () => {
    const { text } = await startInJournal(await emptyFolder(), ['--json']);
    expect(text).toContain('"api_key":"inlet_');
  });
});

describe('one server for one data folder', () => {
  it('refuses a second one, and the first goes on', async () => {
    const server = await started();
    const env = { HOST: '127.0.0.1', PORT: String(await freePort()) };
    const { code, stdout, stderr } = await inlet(['serve'], { dataDir: server.dataDir, env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`Another Inlet serves ${server.dataDir}. Stop it first, or set another DATA_DIR.\n`);
    expect((await client(server.url).get('/api/v1/projects')).status).toBe(200);
  });
});

describe('the end', () => {
  it('lets a request in flight finish, takes no new ones, and exits with 0', async () => {
    const server = await started({ env: { LOG_LEVEL: 'info' } });
    const submission = await halfSubmission(server);
    server.process.kill('SIGTERM');
    await until(
      () => refusesConnections(server.port),
      (refused) => refused,
    );
    const answer = await submission.rest();
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    // So that a proxy sends nothing more on this connection.
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(await server.exited).toBe(0);

    const made = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { submission_id: string };
    const next = await startServer({ dataDir: server.dataDir });
    cleanups.push(() => next.end());
    expect((await client(next.url).get(`/api/v1/submissions/${made.submission_id}`)).status).toBe(200);
  });

  it('drains first: it serves as before while /readyz is 503; a second signal ends that', async () => {
    const server = await started({ env: { SHUTDOWN_DRAIN: '10 m' } });
    const { endpoint } = await makeForm(server.url);
    server.process.kill('SIGTERM');
    await until(
      () => fetch(`${server.url}/readyz`),
      ({ status }) => status === 503,
    );
    const stored = await submitJson(endpoint, { name: 'Ada' });
    expect([stored.status, stored.headers.get('connection')]).toEqual([200, 'keep-alive']);
    server.process.kill('SIGTERM');
    expect(await server.exited).toBe(143);
  });

  it('answers what follows on a connection in use as it always does', async () => {
    const server = await started({ env: { LOG_LEVEL: 'info' } });
    const connection = await openRaw(server.port);
    cleanups.push(() => connection.vanish());
    const key = `Authorization: Bearer ${apiKey}`;
    const body = JSON.stringify({ name: 'Contact' });
    const headers = [key, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    connection.write(requestHead('POST', '/api/v1/projects', [...headers, 'Expect: 100-continue']));
    await until(connection.received, (text) => text.startsWith('HTTP/1.1 100'));
    server.process.kill('SIGTERM');
    await until(
      () => refusesConnections(server.port),
      (refused) => refused,
    );
    connection.write(body + requestHead('GET', '/api/v1/projects', [key]));
    expect((await connection.answer(1)).status).toBe(201);
    const second = await connection.answer(2);
    expect([second.status, second.headers.get('connection')]).toEqual([200, 'close']);
    expect(await server.exited).toBe(0);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ends at once on a second %s', async (signal, code) => {
    const server = await started({ env: { LOG_LEVEL: 'info' } });
    await halfSubmission(server);
    server.process.kill(signal);
    await until(server.output, (text) => text.includes('"stopping"'));
    server.process.kill(signal);
    expect(await server.exited).toBe(code);
  });
});

/** The Dockerfile: its steps are run, and the result is started the way the image would start it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, makeForm, request } from '../support/client.js';
import { needs } from '../support/needs.js';
import { picture } from '../support/pictures.js';
import { apiKey, freePort, plainEnvironment } from '../support/server.js';
import { canMount } from '../support/small-disk.js';
import {
  buildImage,
  type Image,
  installStep,
  isDebian,
  parseDockerfile,
  productionStep,
} from './dockerfile.js';
import { addLibraries, readOnlyRoot } from './image-root.js';

const stages = parseDockerfile(await readFile(new URL('../../Dockerfile', import.meta.url), 'utf8'));
const allOf = (name: string): string[] =>
  stages.flatMap(({ instructions }) =>
    instructions.filter((one) => one.name === name).map((one) => one.text),
  );

/** The packages of the base image, unpacked: libc6, libssl3, libgcc, libstdc++, time zones, certificates (33.8 MB on arm64). */
const baseBytes = 35e6;
/** `node` of Node 24.9 for x64, which is larger than for arm64. The tests run another version. */
const nodeBytes = 130e6;

let image: Image;
let addedBytes = 0;
let url = '';
let env: NodeJS.ProcessEnv = {};
let server: ChildProcess | null = null;
let output = '';

/** Runs a command of the image as another user, in a read-only root with nothing else in it if mounting is allowed. */
const start = (words: readonly string[]): ChildProcess => {
  if (canMount) {
    const [command = '', ...rest] = readOnlyRoot(image, words);
    return spawn(command, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }
  const [command = '', ...rest] = words.map((word) => (/^\/(app|usr)/.test(word) ? image.at(word) : word));
  return spawn(command === 'node' ? process.execPath : command, rest, {
    env,
    cwd: image.at('/app'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};
const run = async (words: readonly string[]): Promise<{ code: number | null; text: string }> => {
  const child = start(words);
  let text = '';
  child.stdout?.on('data', (chunk) => (text += chunk));
  child.stderr?.on('data', (chunk) => (text += chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, text };
};

/** The size of the files themselves, without the unused space in disk blocks. */
const bytesIn = (path: string): number =>
  Number.parseInt(spawnSync('du', ['--summarize', '--bytes', path], { encoding: 'utf8' }).stdout, 10);

beforeAll(async () => {
  if (!isDebian) return;
  image = await buildImage(stages);
  addedBytes = bytesIn(image.root) - bytesIn(image.at('/usr/local/bin/node'));
  if (canMount) addLibraries(image);
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  env = {
    ...plainEnvironment(),
    ...image.env,
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    // The image listens on its own network. A test listens on this machine only.
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: canMount ? image.env.DATA_DIR : image.at(image.env.DATA_DIR ?? ''),
    BASE_URL: url,
    INLET_API_KEY: apiKey,
  };
  // The image's own temporary folder, not that of the tests.
  if (canMount) delete env.TMPDIR;
  server = start([...image.entrypoint, ...image.command]);
  server.stdout?.on('data', (chunk) => (output += chunk));
  server.stderr?.on('data', (chunk) => (output += chunk));
}, 600_000);

afterAll(async () => {
  server?.kill('SIGKILL');
  await image?.remove();
});

const healthy = async (): Promise<boolean> => {
  const [kind, ...words] = image.healthcheck;
  expect(kind).toBe('node');
  return (await run(['node', ...words])).code === 0;
};

describe.runIf(needs('Debian', isDebian))('the image', () => {
  it('is built from a clean install, as an ordinary user, on a supported Node with glibc', () => {
    expect(allOf('RUN')).toEqual(expect.arrayContaining([installStep, productionStep]));
    // By number, and the user that owns its folder.
    expect(allOf('USER')).toEqual(['1000:1000']);
    expect(allOf('COPY').filter((text) => text.includes('--chown='))).toEqual([
      '--from=install --chown=1000:1000 /state/ /',
    ]);
    expect(allOf('VOLUME')).toEqual([image.env.DATA_DIR]);
    expect(allOf('EXPOSE')).toEqual([image.env.PORT]);
    expect(image.env).toMatchObject({ HOST: '0.0.0.0', NODE_ENV: 'production' });
  });

  it('starts, and its health check says so', async () => {
    while (!(await healthy())) {
      if (server?.exitCode !== null) throw new Error(`It ended:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });

  it('keeps a submission with a picture, and makes it smaller', async () => {
    const { endpoint } = await makeForm(url);
    const body = new FormData();
    body.set('photo', new Blob([await picture('jpeg', 640, 480)]), 'photo.jpg');
    const sent = await request(endpoint, { method: 'POST', headers: { accept: 'application/json' }, body });
    expect(sent.status).toBe(200);
    const path = `/api/v1/files/${sent.body.files[0].id}/download?w=64&f=webp`;
    const { headers } = await client(url).get(path);
    const small = await fetch(new URL(headers.get('location') ?? '', url));
    expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect((await request(`${url}/dashboard`)).status).toBe(200);
    expect((await request(`${url}/inlet.js`)).status).toBe(200);
    expect((await request(`${url}/docs`)).status).toBe(200);
  });

  it('runs the other commands beside it', async () => {
    const { code, text } = await run([...image.entrypoint, 'doctor', '--json']);
    expect([code, text]).toEqual([0, expect.stringContaining('"')]);
    // Perl and what it needs are in the image. The service is not root, so it cannot switch to another user.
    if (canMount) expect(text).toContain('on this system codecs run without: own user');
  });

  it('has at most 250 MB', () => {
    expect(baseBytes + nodeBytes + addedBytes).toBeLessThan(250e6);
  });

  it('carries neither tools of development, nor sources, nor tests, nor secrets', async () => {
    const packages = await readdir(image.at('/app/node_modules'));
    for (const name of ['vitest', 'typescript', 'vite', 'react', '@biomejs'])
      expect(packages).not.toContain(name);
    const files = await readdir(image.at('/app'));
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'dist', 'node_modules', 'package.json']));
    for (const name of ['src', 'test', 'web', 'package-lock.json', '.npmrc', '.env'])
      expect(files).not.toContain(name);
    expect((await readdir(image.root)).sort()).not.toContain('pack');
  });

  it('leaves its program to root and its data to itself', async () => {
    const { uid, mode } = await stat(image.at('/data'));
    expect([uid, mode & 0o777]).toEqual([image.user.uid, 0o700]);
    if (canMount) {
      const write = `require('fs').writeFileSync('/app/dist/bundle/x', '')`;
      expect((await run(['node', '-e', write])).text).toContain('EROFS');
    }
    expect((await run(['/usr/local/bin/inlet', '--version'])).text).toMatch(/^inlet \d/);
  });

  it('stops as the image is stopped, and the health check sees it', async () => {
    const stopping = server;
    if (!stopping) throw new Error('it was not started');
    const exited = new Promise((resolve) => stopping.once('exit', resolve));
    stopping.kill(image.stopSignal);
    expect(await exited).toBe(0);
    expect(await healthy()).toBe(false);
  });
});

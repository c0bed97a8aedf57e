/** The Dockerfile: its steps are run, and what they make is started as the image would start it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, makeForm, request } from '../support/client.js';
import { picture } from '../support/pictures.js';
import { apiKey, freePort, plainEnvironment } from '../support/server.js';
import { buildImage, type Image, installStep, parseDockerfile, pruneStep } from './dockerfile.js';

const stages = parseDockerfile(await readFile(new URL('../../Dockerfile', import.meta.url), 'utf8'));
const allOf = (name: string): string[] =>
  stages.flatMap(({ instructions }) =>
    instructions.filter((one) => one.name === name).map((one) => one.text),
  );

let image: Image;
let url = '';
let env: NodeJS.ProcessEnv = {};
let server: ChildProcess | null = null;
let output = '';

/** Words of the image, on this machine and as another user. */
const start = (words: readonly string[]): ChildProcess => {
  const [program = '', ...rest] = words.map((word) => (word.startsWith('/app') ? image.at(word) : word));
  const command = program === 'node' ? process.execPath : program;
  return spawn(command, rest, {
    env,
    cwd: image.at('/app'),
    ...image.user,
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

beforeAll(async () => {
  image = await buildImage(stages);
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  env = {
    ...plainEnvironment(),
    ...image.env,
    // The image listens to its own network; a test keeps to this machine.
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: image.at(image.env.DATA_DIR ?? ''),
    BASE_URL: url,
    INLET_API_KEY: apiKey,
  };
  server = start([...image.entrypoint, ...image.command]);
  server.stdout?.on('data', (chunk) => (output += chunk));
  server.stderr?.on('data', (chunk) => (output += chunk));
}, 120_000);

afterAll(async () => {
  server?.kill('SIGKILL');
  await image?.remove();
});

const healthy = async (): Promise<boolean> => {
  const [kind, ...words] = image.healthcheck;
  expect(kind).toBe('node');
  return (await run(['node', ...words])).code === 0;
};

it('is built from a clean install, as an ordinary user, on a supported Node with glibc', () => {
  expect(allOf('RUN')).toEqual(expect.arrayContaining([installStep, pruneStep]));
  expect(allOf('USER')).toEqual(['node']);
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
});

it('carries neither tools of development, nor sources, nor tests, nor secrets', async () => {
  const packages = await readdir(image.at('/app/node_modules'));
  for (const name of ['vitest', 'typescript', 'vite', 'react', '@biomejs'])
    expect(packages).not.toContain(name);
  expect((await readdir(image.at('/app'))).sort()).toEqual([
    'LICENSE',
    'dist',
    'node_modules',
    'package.json',
  ]);
});

it('leaves its program to root and its data to itself', async () => {
  const { uid, mode } = await stat(image.at('/data'));
  expect([uid, mode & 0o777]).toEqual([image.user.uid, 0o700]);
  if (process.getuid?.() === 0) {
    const code = `require('fs').writeFileSync(${JSON.stringify(join(image.at('/app/dist/bundle'), 'x'))}, '')`;
    expect((await run(['node', '-e', code])).text).toContain('EACCES');
  }
  expect((await run([image.at('/usr/local/bin/inlet'), '--version'])).text).toMatch(/^inlet \d/);
});

it('stops as the image is stopped, and the health check sees it', async () => {
  const stopping = server;
  if (!stopping) throw new Error('it was not started');
  const exited = new Promise((resolve) => stopping.once('exit', resolve));
  stopping.kill(image.stopSignal);
  expect(await exited).toBe(0);
  expect(await healthy()).toBe(false);
});

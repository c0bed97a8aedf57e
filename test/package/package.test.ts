/** The package as npm publishes it: packed, installed into an empty folder, and used as a newcomer would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/cli.js';
import { client, makeForm, request } from '../support/client.js';
import { picture } from '../support/pictures.js';
import { freePort, plainEnvironment, temporaryFolder } from '../support/server.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const installMs = 300_000;
/** 3 MB, of which the libraries for passkeys and single sign-on take 0.2 MB. */
const largestBytes = 3_000_000;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

interface Running {
  readonly child: ChildProcess;
  output(): string;
  /** Resolves when every process that it started has closed the output. */
  readonly ended: Promise<number | null>;
}

/** If there is a proxy in front of the registry, only this machine trusts its certificate. */
const registryTrust = (): NodeJS.ProcessEnv => {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  return NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS };
};

let folder: string;
let packed: Packed;
const running: Running[] = [];

function run(
  command: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: Record<string, string> },
): Running {
  const child = spawn(command, words, {
    cwd: options.cwd,
    env: { ...plainEnvironment(), ...registryTrust(), npm_config_update_notifier: 'false', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // npx starts a shell, which starts the program. All of them are killed at the end.
    detached: true,
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const started = { child, output: () => output, ended };
  running.push(started);
  return started;
}

async function finish(...call: Parameters<typeof run>): Promise<string> {
  const { ended, output } = run(...call);
  expect([await ended, output()]).toEqual([0, expect.anything()]);
  return output();
}

beforeAll(async () => {
  folder = await temporaryFolder();
  const words = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const text = await finish('npm', words, { cwd: root });
  [packed] = Object.values(JSON.parse(text.slice(text.search(/^[[{]/m)))) as [Packed];
});
afterAll(async () => {
  for (const { child } of running) {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has already exited.
    }
  }
  await Promise.all(running.map(({ ended }) => ended));
  await rm(folder, { recursive: true, force: true });
});

it('holds the built program only, in at most 3 MB', async () => {
  const expected = [
    /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/THIRD-PARTY-LICENSES\.txt)$/,
    /^dist\/bundle\/[\w-]+\.js$/,
    /^dist\/bundle\/migrations\/(sqlite|postgres)\/\d{4}_\w+\.sql$/,
    /^dist\/client\/inlet(-solver|-embed)?\.js$/,
    /^dist\/web\/[\w-]+\.(html|svg|ico|png)$/,
    /^dist\/web\/assets\/[\w.-]+\.((js|css|svg)\.br|png|woff2)$/,
    /^dist\/site\.br$/,
  ];
  const paths = packed.files.map(({ path }) => path);
  expect(paths.filter((path) => !expected.some((shape) => shape.test(path)))).toEqual([]);
  for (const shape of expected) expect(paths.filter((path) => shape.test(path))).not.toEqual([]);
  expect(packed.files.find(({ path }) => path === 'dist/bundle/main.js')?.mode).toBe(0o755);
  expect(packed.size).toBeLessThanOrEqual(largestBytes);
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(Object.keys(manifest.scripts).filter((name) => /install$/.test(name))).toEqual([]);
});

it('says in one sentence that Node is too old, built and from source', { timeout: installMs }, async () => {
  const old = join(folder, 'old-node');
  const name = `node-${process.platform}-${process.arch}`;
  const words = [
    'install',
    '--prefix',
    old,
    '--force',
    '--prefer-offline',
    '--loglevel=error',
    `${name}@18.20.8`,
  ];
  await finish('npm', words, { cwd: folder });
  const node = join(old, 'node_modules', name, 'bin', 'node');
  for (const entry of ['dist/bundle/main.js', 'scripts/start.mjs', 'scripts/build.mjs']) {
    const { ended, output } = run(node, [entry], { cwd: root });
    expect([entry, await ended, output()]).toEqual([
      entry,
      1,
      'Inlet needs Node 20.20 or newer, and this is Node 18.20.8. Install a newer one: https://nodejs.org/en/download\n',
    ]);
  }
});

it('installs into an empty folder, takes a submission with an image, and stops', {
  timeout: installMs,
}, async () => {
  const home = join(folder, 'home');
  const tarball = join(folder, packed.filename);
  // Strict, so that no package may require a newer Node than Inlet does.
  const words = [
    'install',
    '--prefix',
    home,
    '--prefer-offline',
    '--engine-strict',
    '--loglevel=error',
    tarball,
  ];
  await finish('npm', words, { cwd: folder });
  expect(await finish('npx', ['inlet-forms', '--version'], { cwd: home })).toMatch(/^inlet \d/m);

  const port = await freePort();
  const env = { PORT: String(port) };
  const url = `http://localhost:${port}`;
  const npx = run('npx', ['inlet'], { cwd: home, env });
  const welcome = until(npx.output, (text) => text.includes('Create your first project'));
  const early = npx.ended.then((code) => {
    throw new Error(`It ended with ${code}:\n${npx.output()}`);
  });
  await Promise.race([welcome, early]);
  early.catch(() => {});
  const key = /API key {2}(inlet_\w+)/.exec(npx.output())?.[1] ?? '';
  const { endpoint, formId } = await makeForm(url, { key });
  const body = new FormData();
  body.set('name', 'Ada');
  body.set('photo', new Blob([await picture('jpeg', 640, 480)]), 'photo.jpg');
  const sent = await request(endpoint, { method: 'POST', headers: { accept: 'application/json' }, body });
  expect(sent.status).toBe(200);
  const variant = `/api/v1/files/${sent.body.files[0].id}/download?w=64&f=webp`;
  const { headers } = await client(url, key).get(variant);
  const small = await fetch(new URL(headers.get('location') ?? '', url));
  expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp']);
  for (const path of ['/dashboard', '/docs', '/inlet.js', '/inlet-solver.js', '/inlet-embed.js']) {
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
  }

  // npm passes the signal to its shell, which may not pass it on.
  npx.child.kill('SIGTERM');
  await npx.ended;
  expect(npx.output()).toContain('"msg":"stopped"');

  const again = run(join(home, 'node_modules/.bin/inlet'), ['serve'], { cwd: home, env });
  await until(again.output, (text) => text.includes('is running'));
  const stored = await client(url, key).get(`/api/v1/forms/${formId}/submissions`);
  expect(stored.body.data).toHaveLength(1);
  again.child.kill('SIGTERM');
  expect(await again.ended).toBe(0);
});

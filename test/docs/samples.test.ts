/** Checks every code sample of the documentation that needs no browser. `ways` says how each is marked. */
import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { commands } from '../../src/cli/commands.js';
import { loadConfig } from '../../src/config/load.js';
import { settings } from '../../src/config/options.js';
import { client, makeForm } from '../support/client.js';
import { freePort } from '../support/free-port.js';
import { picture } from '../support/pictures.js';
import { allSamples, nameOf, publishedUrl, type Sample, type Way, wayOf } from '../support/samples.js';
import { apiKey, entry, node, type RunningServer, startServer, temporaryFolder } from '../support/server.js';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);
const json = async (path: string) => JSON.parse(await readFile(new URL(path, root), 'utf8'));

const samples = await allSamples();
const of = (way: Way): readonly (readonly [string, Sample])[] =>
  samples.filter((sample) => wayOf(sample) === way).map((sample) => [nameOf(sample), sample]);

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { API_RATE_LIMIT_PER_MINUTE: '1000000' } });
});
afterAll(() => server?.dispose());

it('every sample is checked somehow', () => {
  expect(samples.length).toBeGreaterThan(150);
  expect(samples.filter((sample) => wayOf(sample) === null).map(nameOf)).toEqual([]);
});

it('samples that other tests run are on the pages of these tests', () => {
  const pagesOf = (way: Way) => new Set(of(way).map(([, { page }]) => page));
  expect([...pagesOf('library')]).toEqual(['docs/guides/browser-clients.md']);
  expect([...pagesOf('webhook')]).toEqual(['docs/guides/webhooks.md']);
  for (const page of pagesOf('rival')) expect(page).toMatch(/^docs\/migrate\//);
  for (const page of pagesOf('reference')) expect(page).toMatch(/^docs\/reference\/api\//);
});

describe('shell', () => {
  /** The key, the address and the form that all other pages use. */
  const start = 'docs/guides/curl.md';
  const blocks = of('shell').map(([, sample]) => sample);
  const opening = blocks.filter(({ page }) => page === start).slice(0, 2);
  const pages = [...new Set(blocks.map(({ page }) => page))];

  /** A server in a sample runs until its page is done. */
  const written = ({ mark, code }: Sample): string =>
    mark === 'serve'
      ? `(\n${code}) & trap "kill $!" EXIT\nuntil curl -s -o /dev/null "http://localhost:8000"; do :; done`
      : code;

  const scriptOf = (page: string, port: number): string =>
    [
      'set -euo pipefail',
      `inlet() { "${node}" "${entry}" "$@"; }`,
      ...[...(page === start ? [] : opening), ...blocks.filter((block) => block.page === page)].flatMap(
        (block) => [`echo 'SAMPLE ${nameOf(block)}' >&2`, written(block)],
      ),
    ]
      .join('\n')
      .replaceAll('http://localhost:3000', server.url)
      .replaceAll(publishedUrl, server.url)
      .replaceAll('inlet_…', apiKey)
      .replaceAll('8000', String(port));

  /** The files that samples find in their folder. */
  const files = {
    // A response with an error fails the sample. Images may time out while other tests run, so curl retries.
    '.curlrc': 'fail\nshow-error\nretry = 5\nretry-all-errors\n',
    'submissions.csv': 'created_at,email\n2024-01-05 15:04:05 UTC,ada@example.com\n',
    'answers.csv': 'When,Your e-mail,Ref,Internal note\n2024-01-25,ada@example.com,7,Call back\n',
  };

  it.each(pages)('%s works from top to bottom', async (page) => {
    const folder = await temporaryFolder();
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await writeFile(join(folder, 'photo.jpg'), await picture('jpeg', 64, 48));
    const env = { PATH: process.env.PATH, HOME: folder, CURL_HOME: folder, DATA_DIR: server.dataDir };
    const script = scriptOf(page, await freePort());
    await run('bash', ['-c', script], { cwd: folder, env }).catch((error) => {
      throw new Error(`${error.stderr.slice(-1_000)}\n${error.stdout.slice(-500)}`);
    });
  });
});

describe('commands', async () => {
  const { scripts } = await json('package.json');
  const { paths } = await json('docs/reference/openapi.json');
  const patterns = Object.keys(paths).map(
    (path) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+').replaceAll('.', '\\.')}$`),
  );

  /** Without comments, and with continued lines joined. */
  const linesOf = (code: string): readonly string[] =>
    code
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => line.replace(/(^|\s)#.*$/, ''));

  function faultOfInlet(line: string): string | null {
    const words = line.trim().split(/\s+/).filter(Boolean);
    const command = commands.find((one) => one.words.every((word, place) => words[place] === word));
    if (command === undefined) return words[0]?.startsWith('-') === false ? `no command: ${line}` : null;
    const known = [...Object.keys(command.options), 'json', 'help'];
    const given = Array.from(line.matchAll(/ --([a-z-]+)/g), ([, name = '']) => name);
    return given.every((name) => known.includes(name)) ? null : `no such option: ${line}`;
  }

  const ours =
    /(?:^|[;&|(]\s*)(?:[A-Z_]+=\S+ )*(?:npx inlet-forms|npx inlet|docker exec inlet inlet|inlet)((?: [^;&|)]*)?)/g;

  const faultsOf = (line: string): readonly (string | null)[] => [
    ...Array.from(line.matchAll(ours), ([, words = '']) => faultOfInlet(` ${words}`)),
    ...Array.from(line.matchAll(/npm run ([\w:]+)/g), ([, name = '']) =>
      name in scripts ? null : `no script: ${name}`,
    ),
    ...Array.from(line.matchAll(/(?:\$API|\/api\/v1)(\/[^\s"'?]+)/g), ([, path = '']) =>
      patterns.some((pattern) => pattern.test(`/api/v1${path}`)) ? null : `no such path: ${path}`,
    ),
  ];

  it.each(of('commands'))('%s', (_, { code }) => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(
      linesOf(code)
        .flatMap(faultsOf)
        .filter((fault) => fault !== null),
    ).toEqual([]);
  });
});

const settingNames = settings.map(([, { env }]) => env);

describe('data', () => {
  const readers: Readonly<Record<string, (code: string) => unknown>> = {
    json: (code) => JSON.parse(code),
    yaml: (code) => parseYaml(code),
    ini(code) {
      const lines = code.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      for (const line of lines) expect(line).toMatch(/^(?:\[\w+\]|[A-Za-z_]\w*=.*)$/);
      return lines.map((line) => line.split(/=(.*)/, 2));
    },
  };

  const webhook = { kind: 'webhook', config: { url: 'http://localhost:8000/' } };
  /** What a sample is part of. */
  const destinations: Readonly<Record<string, (read: unknown) => unknown>> = {
    destination: (read) => read,
    filter: (filter) => ({ ...webhook, filter }),
    template: (template) => ({ ...webhook, template }),
  };

  async function accepts(mark: string, read: unknown): Promise<void> {
    const { formId } = await makeForm(server.url);
    const form = `/api/v1/forms/${formId}`;
    const destination = destinations[mark]?.(read);
    const api = client(server.url);
    const { status, text } =
      destination === undefined
        ? await api.patch(form, read)
        : await api.post(`${form}/destinations`, destination);
    expect(status, text).toBeLessThan(300);
  }

  it.each(of('data'))('%s', async (_, { language, mark, code }) => {
    const read = readers[language]?.(code);
    expect(read).toBeDefined();
    if (mark === 'settings') {
      const env = Object.fromEntries(read as readonly (readonly [string, string])[]);
      for (const name of Object.keys(env)) expect(settingNames).toContain(name);
      expect(loadConfig(env)).toMatchObject({ ok: true });
    } else if (mark !== '') await accepts(mark, read);
  });
});

describe('excerpts', () => {
  it.each(of('excerpt'))('%s', async (_, { language, code }) => {
    const file = `/excerpt.${language}`;
    const bundled = await rolldown({
      input: file,
      external: /^[^/]/,
      plugins: [{ name: 'excerpt', resolveId: (id) => (id === file ? id : null), load: () => code }],
      onLog() {},
    });
    expect((await bundled.generate({ format: 'esm' })).output[0].code).not.toBe('');
  });
});

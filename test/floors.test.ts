/** The import rules hold, and the check of them works: each rule is broken once in a small house, which is a tree of sources. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkHouse } from '../scripts/check-floors.mjs';

const script = fileURLToPath(new URL('../scripts/check-floors.mjs', import.meta.url));

type House = Readonly<Record<string, string>>;

/** Everything that is allowed, once each. */
const soundHouse: House = {
  'main.ts': "import { run } from './cli/run.js';\nrun(process.env);\n",
  'compose/service.ts':
    "import { store } from '../adapters/store.js';\nimport type { Config } from '../config/load.js';\nimport { serve } from '../http/serve.js';\nimport { work } from '../worker/work.js';\nexport const start = (config: Config) => [store, serve, work, config];\n",
  'cli/run.ts':
    "import { start } from '../compose/service.js';\nimport { load } from '../config/load.js';\nexport const run = (env: object) => start(load(env));\n",
  'transfer/copy.ts':
    "import { store } from '../adapters/store.js';\nimport { start } from '../compose/service.js';\nexport const copy = () => [store, start];\n",
  'config/load.ts': 'export interface Config {}\nexport const load = (env = process.env): Config => env;\n',
  'kernel/ids.ts': "import { v7 } from 'uuid';\nexport const id = () => v7();\n",
  'contract/form.ts':
    "import { Type } from 'typebox';\nimport { Text } from './shapes.js';\nexport const Form = Type.Object({ Text });\n",
  'contract/shapes.ts': "import { Type } from 'typebox';\nexport const Text = Type.String();\n",
  'model/form.ts': "import { id } from '../kernel/ids.js';\nexport const form = () => id();\n",
  'ports/store.ts':
    "import type { form } from '../model/form.js';\nexport interface Store { form: typeof form; fetch(id: string): void }\n",
  'domain/forms.ts':
    "/* import { x } from '../http/serve.js' in a comment, process.env too */\nimport type { Store } from '../ports/store.js';\nimport { createHash } from 'node:crypto';\nexport const find = (store: Store) => [store.fetch('a'), createHash, `await fetch(x)`, 'await fetch(y)'];\n",
  'adapters/store.ts':
    "import { Kysely } from 'kysely';\nimport type { Store } from '../ports/store.js';\nexport const store = Kysely as unknown as Store;\n",
  'domain/submissions/plan.ts':
    "import { sign } from '../webhooks/sign.js';\nexport const plan = () => sign;\n",
  'domain/webhooks/sign.ts': "import { find } from '../forms.js';\nexport const sign = find;\n",
  'adapters/blobs/disk.ts':
    "import { rows } from '../sql/tables/rows.js';\nexport const disk = () => rows;\n",
  'adapters/sql/tables/rows.ts': 'export const rows = 1;\n',
  'http/api/routes.ts': "import { problem } from '../problem.js';\nexport const routes = () => problem;\n",
  'http/problem.ts': 'export const problem = 1;\n',
  'adapters/thread.ts': "import { readFile } from 'node:fs/promises';\nexport const read = readFile;\n",
  'http/serve.ts':
    "import fastify from 'fastify';\nimport { find } from '../domain/forms.js';\nimport { routes } from './api/routes.js';\nexport const serve = [fastify, find, routes];\n",
  'http/serve.test.ts':
    "import { work } from '../worker/work.js';\nimport { store } from '../adapters/store.js';\nwork(store, process.env);\n",
  'worker/work.ts': "import { find } from '../domain/forms.js';\nexport const work = find;\n",
};

/** Creates the house in a folder, and removes it afterwards. */
function inHouse<T>(parts: Readonly<Record<string, House>>, look: (...folders: string[]) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'inlet-house-'));
  try {
    const folders = Object.entries(parts).map(([folder, files]) => {
      mkdirSync(join(root, folder));
      for (const [name, text] of Object.entries(files)) {
        const path = join(root, folder, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
      return join(root, folder);
    });
    return look(...folders);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** What is wrong with it. With `client`, the browser script is checked too; with `web`, the dashboard. */
const check = (house: House, client?: House, web?: House): readonly string[] =>
  inHouse(
    { src: house, ...(client && { client }), ...(web && { web }) },
    (...[src = '', ...others]) => checkHouse(src, ...others).faults,
  );

/** Runs the script like `npm run floors`. */
function run(
  ...folders: readonly string[]
): readonly [status: number | null, said: string, complaint: string] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...folders], { encoding: 'utf8' });
  return [status, stdout, stderr];
}

/** The violation, the file it is added to, the line that breaks the rule, and what the check must report. */
const violations: readonly (readonly [name: string, file: string, line: string, says: RegExp])[] = [
  [
    'kernel that knows the product',
    'kernel/ids.ts',
    "import { form } from '../model/form.js';",
    /kernel imports model/,
  ],
  ['kernel that knows the wire', 'kernel/ids.ts', "import '../contract/form.js';", /kernel imports contract/],
  [
    'contract that knows the product',
    'contract/form.ts',
    "import '../model/form.js';",
    /contract imports model/,
  ],
  ['contract with another library', 'contract/form.ts', "import { z } from 'zod';", /contract\/ imports zod/],
  [
    'contract with a library that is named alike',
    'contract/form.ts',
    "import 'typebox-extra';",
    /not only typebox/,
  ],
  [
    'model that knows a port',
    'model/form.ts',
    "import type { Store } from '../ports/store.js';",
    /model imports ports/,
  ],
  [
    'port that knows the domain',
    'ports/store.ts',
    "export { find } from '../domain/forms.js';",
    /ports imports domain/,
  ],
  [
    'domain that knows http',
    'domain/forms.ts',
    "import { serve } from '../http/serve.js';",
    /domain imports http/,
  ],
  ['domain that knows the worker', 'domain/forms.ts', "import '../worker/work.js';", /domain imports worker/],
  [
    'domain that knows an adapter',
    'domain/forms.ts',
    "const a = await import('../adapters/store.js');",
    /domain imports adapters/,
  ],
  [
    'domain that knows the configuration',
    'domain/forms.ts',
    "import type { Config } from '../config/load.js';",
    /domain imports config/,
  ],
  ['domain with a framework', 'domain/forms.ts', "import fastify from 'fastify';", /outside world/],
  [
    'domain with a part of a framework',
    'domain/forms.ts',
    "import x from '@fastify/static';",
    /outside world/,
  ],
  ['domain with SQL', 'domain/forms.ts', "import { sql } from 'kysely';", /outside world/],
  ['domain with the disk', 'domain/forms.ts', "import { open } from 'node:fs/promises';", /outside world/],
  ['domain with a server', 'domain/forms.ts', "import { createServer } from 'node:http';", /outside world/],
  ['domain with the network', 'domain/forms.ts', "import { request } from 'undici';", /outside world/],
  ['domain that fetches', 'domain/forms.ts', "await fetch('https://example.com');", /calls fetch/],
  [
    'http that knows the worker',
    'http/serve.ts',
    "import { work } from '../worker/work.js';",
    /http imports worker/,
  ],
  [
    'worker that knows http',
    'worker/work.ts',
    "import { serve } from '../http/serve.js';",
    /worker imports http/,
  ],
  [
    'http that knows an adapter',
    'http/serve.ts',
    "import {\n  store,\n} from '../adapters/store.js';",
    /http imports adapters/,
  ],
  [
    'http that knows the root',
    'http/serve.ts',
    "import { start } from '../compose/service.js';",
    /http imports compose/,
  ],
  [
    'adapter that knows the domain',
    'adapters/store.ts',
    "import { find } from '../domain/forms.js';",
    /adapters imports domain/,
  ],
  [
    'adapter that knows the configuration',
    'adapters/store.ts',
    "import '../config/load.js';",
    /adapters imports config/,
  ],
  [
    'configuration that is no leaf',
    'config/load.ts',
    "import '../domain/forms.js';",
    /config imports domain/,
  ],
  [
    'command that opens an adapter',
    'cli/run.ts',
    "import { store } from '../adapters/store.js';",
    /cli imports adapters/,
  ],
  [
    'composition that moves instances',
    'compose/service.ts',
    "import { copy } from '../transfer/copy.js';",
    /compose imports transfer/,
  ],
  [
    'main that opens an adapter',
    'main.ts',
    "import { store } from './adapters/store.js';",
    /main imports adapters/,
  ],
  [
    'thread of another floor',
    'http/serve.ts',
    "new URL('../adapters/thread.js', import.meta.url);",
    /http imports adapters/,
  ],
  ['source that uses a test', 'http/serve.ts', "import './serve.test.js';", /imports the test/],
  [
    'source that leaves the house',
    'http/serve.ts',
    "import '../../test/support/client.js';",
    /outside the sources/,
  ],
  ['source that uses its own build', 'http/serve.ts', "import '#inlet/kernel/ids.js';", /built program/],
  ['environment read in between', 'domain/forms.ts', 'const port = process.env.PORT;', /reads process\.env/],
  [
    'environment read by brackets',
    'http/serve.ts',
    "const port = process['env'].PORT;",
    /reads process\.env/,
  ],
  [
    'environment as an import',
    'http/serve.ts',
    "import { env } from 'node:process';",
    /imports node:process/,
  ],
  [
    'loop of two files',
    'contract/shapes.ts',
    "import type { Form } from './form.js';",
    /import cycle contract\/form\.ts -> contract\/shapes\.ts -> contract\/form\.ts/,
  ],
  [
    'folder that imports the one it is imported by',
    'domain/webhooks/attempt.ts',
    "import type { plan } from '../submissions/plan.js';",
    /folders import each other: domain\/submissions -> domain\/webhooks -> domain\/submissions/,
  ],
  [
    'folder that is imported by the folder of another of its files',
    'adapters/sql/engine.ts',
    "const disk = await import('../blobs/disk.js');",
    /folders import each other: adapters\/blobs -> adapters\/sql -> adapters\/blobs/,
  ],
  [
    'port with an optional method',
    'ports/store.ts',
    'export interface Links {\n  link?(key: string): string;\n}',
    /link is an optional method/,
  ],
  [
    'port with an optional function',
    'ports/store.ts',
    'export interface Links {\n  readonly link?: (key: string) => string;\n}',
    /link is an optional method/,
  ],
  ['room that the house does not have', 'helpers/x.ts', 'export const x = 1;', /helpers is no room/],
];

describe('the floors of the house', () => {
  it('hold in the sources', () => {
    const [status, said, complaint] = run();
    expect([status, complaint]).toEqual([0, '']);
    expect(Number.parseInt(said, 10)).toBeGreaterThan(50);
  });

  it('fail the command when they are broken, each fault a line', () => {
    const broken = { 'b.ts': "import 'altcha-lib';\n" };
    expect(inHouse({ src: soundHouse, client: {}, web: {} }, run)).toEqual([0, expect.any(String), '']);
    const [status, said, complaint] = inHouse({ src: { 'helpers/x.ts': '' }, client: broken }, run);
    expect([status, said]).toEqual([1, '']);
    expect(complaint).toMatch(
      /^\S+src\/helpers\/x\.ts: helpers is no room of the house\n\S+client\/b\.ts:1: the browser script imports altcha-lib\n$/,
    );
  });

  it('allow what the plan allows', () => {
    expect(check(soundHouse)).toEqual([]);
  });

  it('are not called sound where there is nothing to look at', () => {
    expect(check({ 'README.md': '' })).toEqual([expect.stringMatching(/ has no sources$/)]);
  });

  it.each([
    ['the service', "import { x } from '../src/model/form.js';"],
    ['a package', "import { x } from 'altcha-lib';"],
    ['Node', "const x = await import('node:fs');"],
  ])('refuse a browser script that imports %s', (_, line) => {
    const sound = { 'a.ts': "import { b } from './b.js';\n", 'b.ts': 'export const b = 1;\n' };
    expect(check(soundHouse, sound)).toEqual([]);
    expect(check(soundHouse, { ...sound, 'b.ts': `${line}\n` })).toEqual([
      expect.stringContaining('b.ts:1: the browser script imports'),
    ]);
  });

  it.each([
    ['the service', "import type { x } from '../../src/model/form.js';"],
    ['code of the contract', "import { Form } from '../../src/contract/form.js';"],
    ['Node', "const x = await import('node:fs');"],
    ['a package of the service', "import fastify from 'fastify';"],
    ['code of the schemas', "import { Type } from 'typebox';"],
  ])('refuse a dashboard that imports %s', (_, line) => {
    const sound = {
      'vite.config.ts': "import { defineConfig } from 'vite';\n",
      'src/a.tsx':
        "import { Button } from '@mantine/core';\nimport type { Static } from 'typebox';\nimport './ui/b.js';\n",
      'src/ui/b.ts': "export type { Form } from '../../../src/contract/form.js';\n",
    };
    expect(check(soundHouse, {}, sound)).toEqual([]);
    expect(check(soundHouse, {}, { ...sound, 'src/a.tsx': `${line}\n` })).toEqual([
      expect.stringContaining('src/a.tsx:1: the dashboard imports'),
    ]);
  });

  for (const [name, file, line, says] of violations) {
    it(`refuse a ${name}`, () => {
      const faults = check({ ...soundHouse, [file]: `${soundHouse[file] ?? ''}${line}\n` });
      // One planted, one found: no false alarms.
      expect(faults.filter((row) => !row.includes('import cycle') || says.source.includes('cycle'))).toEqual([
        expect.stringMatching(says),
      ]);
      expect(faults.join('\n')).toContain(file);
    });
  }
});

import { createHook } from 'node:async_hooks';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { docsRoutes } from './docs-site.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-site-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const built = async (files: Readonly<Record<string, string>>): Promise<void> => {
  const all = Object.entries({ '.script-hashes': "'sha256-x'", ...files });
  const lengths = Object.fromEntries(all.map(([name, text]) => [name, Buffer.byteLength(text)]));
  const bytes = `${JSON.stringify(lengths)}\n${all.map(([, text]) => text).join('')}`;
  await writeFile(join(folder, 'site.br'), brotliCompressSync(bytes));
};

async function visit(path: string, basePath = '', headers: Record<string, string> = {}) {
  const app = Fastify();
  docsRoutes(app, { basePath }, pathToFileURL(join(folder, 'site.br')));
  const answer = await app.inject({ url: path, headers });
  await app.close();
  return answer;
}

it('says how to build what is not there', async () => {
  const answer = await visit('/docs');
  expect([answer.statusCode, answer.body]).toEqual([
    404,
    'The documentation of this clone is not built yet. npm start does it in about a minute; npm run site does it now.\n',
  ]);
});

it('puts the path of the public address where it belongs, in a form that ends no string', async () => {
  await built({ 'index.html': '<a href="/-inlet-base-path-/docs/x">' });
  expect((await visit('/docs')).body).toBe('<a href="/docs/x">');
  expect((await visit('/docs', "/in's(&$&)")).body).toBe('<a href="/in%27s%28%26$%26%29/docs/x">');
});

it('hands out no file of the build that is not for browsers', async () => {
  await built({ 'index.html': '', '404.html': 'not here', 'x.map': '{}' });
  for (const path of ['/docs/.script-hashes', '/docs/x.map', '/docs/..%2fdocs-site.js']) {
    const answer = await visit(path);
    expect([answer.statusCode, answer.body]).toEqual([404, 'not here']);
  }
});

it('sends a page again only if it has changed', async () => {
  await built({ 'index.html': 'a page' });
  const { etag = '' } = (await visit('/docs')).headers;
  const again = await visit('/docs', '', { 'if-none-match': String(etag) });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

it('packs each page once, however many there are', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `page-${index}`);
  await built(Object.fromEntries(names.map((name) => [`${name}.html`, name])));
  const app = Fastify();
  docsRoutes(app, { basePath: '' }, pathToFileURL(join(folder, 'site.br')));
  let packed = 0;
  const hook = createHook({
    init(_, type) {
      if (type === 'ZLIB') packed += 1;
    },
  });
  const visitAll = async (): Promise<number> => {
    const before = packed;
    for (const name of names) expect((await app.inject(`/docs/${name}`)).body).toBe(name);
    return packed - before;
  };
  hook.enable();
  expect(await visitAll()).toBeGreaterThan(names.length);
  expect(await visitAll()).toBe(0);
  hook.disable();
  await app.close();
});

it('packs pages quickly, because anyone may ask for all of them', async () => {
  // Long and varied enough that each quality produces different bytes.
  const page = Array.from({ length: 3_000 }, (_, n) => `<p id="${n * 7919}">${n % 13} of ${n % 17}</p>`).join(
    '',
  );
  const as = (quality: number): Buffer =>
    brotliCompressSync(page, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  await built({ 'index.html': page });
  const { rawPayload } = await visit('/docs', '', { 'accept-encoding': 'br' });
  expect(rawPayload.equals(as(5))).toBe(true);
  expect(rawPayload.equals(as(constants.BROTLI_DEFAULT_QUALITY))).toBe(false);
});

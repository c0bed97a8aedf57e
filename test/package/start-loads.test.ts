/** What the service loads before it listens. Libraries for rare features are loaded on first use. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const bundle = fileURLToPath(new URL('../../dist/bundle', import.meta.url));

const importsOf = (file: string): readonly string[] =>
  Array.from(
    readFileSync(join(bundle, file), 'utf8').matchAll(/^(?:import|export) .*?"\.\/([^"]+)";$/gm),
    ([, name = '']) => name,
  );

/** Everything a file imports, directly or indirectly, without what it imports only on demand. */
function loadedWith(file: string): ReadonlySet<string> {
  const loaded = new Set([file]);
  for (const each of loaded) for (const next of importsOf(each)) loaded.add(next);
  return loaded;
}

const fileOfService = () =>
  readdirSync(bundle).find((name) => /^service-.*\.js$/.test(name)) ??
  expect.unreachable('there is no service');

it('loads neither undici nor nodemailer with the service', () => {
  const loaded = [...loadedWith(fileOfService())];
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((name) => /^(?:undici|nodemailer)/.test(name))).toEqual([]);
});

it('loads ASCII only: of a file with one character beyond Latin-1, V8 keeps two bytes for each', () => {
  const loaded = [...loadedWith(fileOfService())];
  const isAscii = (name: string) => /^[\0-\x7f]*$/.test(readFileSync(join(bundle, name), 'utf8'));
  expect(loaded.filter((name) => !isAscii(name))).toEqual([]);
});

/** The reference says what a setting is, and a guide says what it is for. */
import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { everySetting } from '../support/form-settings.js';

const folder = new URL('../../docs/guides/', import.meta.url);

it('names every setting of a form in a guide', async () => {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md'));
  const guides = (await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))).join('\n');
  const named = new Set(Array.from(guides.matchAll(/[`"](\w+)[`"]/g), ([, name = '']) => name));
  expect(Object.keys(everySetting).filter((name) => !named.has(name))).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { documentation } from './documents.js';

const folder = new URL('../../../docs/', import.meta.url);
const headings = (file: string): readonly string[] =>
  Array.from(readFileSync(new URL(file, folder), 'utf8').matchAll(/^#+ (.+)$/gm), ([, text = '']) => text);

/** For people who build or measure Inlet, not for those who use it. */
const notOffered = ['architecture.md', 'benchmarks.md'];

it('offers every page of the documentation by its title', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.md') && !notOffered.includes(name));
  const offered = Object.keys(documentation).filter((name) => !name.includes('#'));
  expect(offered.sort()).toEqual([...files, 'migrate/README.md'].sort());
  for (const file of offered) expect(headings(file)[0]).toBe(documentation[file]?.[0]);
});

it('leads to sections that exist', () => {
  for (const [place, [title]] of Object.entries(documentation)) {
    const [file = '', anchor] = place.split('#');
    expect(headings(file)).toContain(title);
    if (anchor !== undefined) expect(anchor).toBe(title.toLowerCase().replaceAll(' ', '-'));
  }
});

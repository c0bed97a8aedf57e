/** Every link between our pages leads to a file that exists, and to a heading in it. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const folders = ['', 'bench/', 'deploy/helm/inlet/', 'test/fuzz/'];

async function pagesIn(folder: string, recursive = false): Promise<string[]> {
  const names = await readdir(new URL(folder, root), { recursive });
  return names.filter((name) => name.endsWith('.md')).map((name) => folder + name);
}

/** Without code, where brackets are no links and # starts a comment. */
const proseOf = (text: string): string =>
  text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`\]/g, ']');

/** The anchors that GitHub gives to headings, and those that a page names itself. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set(Array.from(text.matchAll(/^<a id="(\w+)"><\/a>$/gm), ([, name = '']) => name));
  for (const [, heading = ''] of proseOf(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
    const anchor = plain.trim().replaceAll(' ', '-');
    let number = 1;
    let unique = anchor;
    while (anchors.has(unique)) unique = `${anchor}-${number++}`;
    anchors.add(unique);
  }
  return anchors;
}

async function faultOf(page: string, link: string): Promise<string | null> {
  const target = new URL(link, new URL(page, root));
  const anchor = decodeURIComponent(target.hash.slice(1));
  target.hash = '';
  const isThere = await stat(target).then(
    () => true,
    () => false,
  );
  if (!isThere) return 'no such file';
  if (anchor === '' || !target.pathname.endsWith('.md')) return null;
  return anchorsOf(await readFile(target, 'utf8')).has(anchor) ? null : 'no such heading';
}

it('every link leads somewhere', async () => {
  const listed = folders.map((folder) => pagesIn(folder));
  const pages = (await Promise.all([...listed, pagesIn('docs/', true)])).flat();
  const faults: string[] = [];
  let checked = 0;
  for (const page of pages) {
    const text = proseOf(await readFile(new URL(page, root), 'utf8'));
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      checked += 1;
      const fault = await faultOf(page, link);
      if (fault) faults.push(`${page}: ${link}: ${fault}`);
    }
  }
  expect(faults).toEqual([]);
  expect(checked).toBeGreaterThan(100);
});

/**
 * `npm run site`: builds docs/ into dist/site, the site that the program serves at /docs, and packs it into dist/site.br. Next to
 * each page is its Markdown, and llms.txt lists all pages. The path of BASE_URL is not known yet: the program writes it in place
 * of the first part of SITE_BASE. To host the site elsewhere, set SITE_BASE to its path there.
 */
import './require-node.mjs';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const site = join(root, 'dist', 'site');
const base = process.env.SITE_BASE ?? '/-inlet-base-path-/docs/';
process.env.SITE_BASE = base;
// Set here because the caller may be a test run: Vue would then be built with all its warnings.
process.env.NODE_ENV = 'production';

/** The service's Content-Security-Policy lists inline scripts by their hashes. */
function hashScripts() {
  const scripts = new Set();
  for (const name of readdirSync(site, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.html')) continue;
    const page = readFileSync(join(site, name), 'utf8');
    for (const [, script] of page.matchAll(/<script(?: id="[\w-]+")?>([\s\S]*?)<\/script>/g))
      scripts.add(script);
  }
  const hashes = [...scripts].map(
    (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  if (hashes.length === 0 || hashes.length > 4)
    throw new Error(`Pages have ${hashes.length} different scripts`);
  writeFileSync(join(site, '.script-hashes'), hashes.join(' '));
}

/** Links to other pages lead to their Markdown, links that leave docs/ to the repository. */
function writeMarkdown(pages, outsideAddress, folder) {
  for (const { file } of pages) {
    const text = readFileSync(join(folder, file), 'utf8').replace(
      /\]\(([^)\s]+)\)/g,
      (_link, target) => `](${outsideAddress(file, target) ?? target})`,
    );
    mkdirSync(dirname(join(site, file)), { recursive: true });
    writeFileSync(join(site, file), text);
  }
}

function writeIndexForMachines(sections) {
  const line = ({ file, title, description }) =>
    `- [${title}](${base}${file})${description === '' ? '' : `: ${description}`}`;
  const parts = sections.map(
    ({ title, groups }) => `## ${title}\n\n${groups.flatMap(({ pages }) => pages.map(line)).join('\n')}\n`,
  );
  const head =
    '# Inlet\n\n> The form back-end you host yourself: it receives form submissions, stores them durably with their files, and forwards them.\n\n' +
    'Every page of the documentation is Markdown too: add `.md` to its address.\n\n';
  writeFileSync(join(site, 'llms.txt'), head + parts.join('\n'));
}

/** One file for the program (src/http/docs-site.ts): a line with the length of each file, then all bytes, compressed together. */
function packSite() {
  const names = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(site, name)).isFile(),
  );
  const contents = names.map((name) => readFileSync(join(site, name)));
  const lengths = names.map((name, index) => [name.replaceAll('\\', '/'), contents[index].length]);
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(Object.fromEntries(lengths))}\n`), ...contents]);
  const params = {
    // Compresses 10 MB to 0.73 MB, in 2.3 s.
    [constants.BROTLI_PARAM_QUALITY]: 9,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync(join(root, 'dist', 'site.br'), brotliCompressSync(bytes, { params }));
}

const { build } = await import('vitepress');
const { allPages, docsFolder, sections } = await import('../docs/.vitepress/pages.mjs');
const { outsideAddress } = await import('../docs/.vitepress/markdown.mjs');
await build(docsFolder);
cpSync(join(root, 'web', 'src', 'icon.svg'), join(site, 'icon.svg'));
hashScripts();
writeMarkdown(allPages(), outsideAddress, docsFolder);
writeIndexForMachines(sections());
packSite();
writeFileSync(join(root, 'dist', '.site-built'), '');

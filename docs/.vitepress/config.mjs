/**
 * The site of the documentation: docs/ as pages, built by scripts/build-site.mjs and served by the program at /docs. Everything that a
 * page loads is part of the build, and nothing is written into style attributes, so that the strict policy of the service holds.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { collectPackages } from '../../scripts/bundled-packages.mjs';
import { codeTheme, styleless } from './code-colors.mjs';
import { addPageRules, anchorOf, renderForSearch } from './markdown.mjs';
import { sidebar } from './pages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** For the licences (scripts/build.mjs): whose code and files are in the site. */
function listPackages() {
  const folders = new Set();
  return {
    name: 'list-packages',
    writeBundle(_, bundle) {
      collectPackages(folders, { output: Object.values(bundle) }, join(root, 'docs'));
      writeFileSync(join(root, 'dist', '.site-packages.json'), JSON.stringify([...folders]));
    },
  };
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const base = process.env.SITE_BASE ?? '/docs/';

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default defineConfig({
  base,
  lang: 'en',
  title: 'Inlet',
  titleTemplate: ':title · Inlet',
  description: 'The form back-end you host yourself.',
  outDir: '../dist/site',
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: true,
  // Otherwise every page has the list of all pages in it.
  metaChunk: true,
  // A page loads itself, not also what it links to.
  router: { prefetchLinks: false },
  // Without the style element that it would write while it switches.
  appearance: { disableTransition: false },
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  transformHead: ({ assets, pageData }) => [
    ...assets
      .filter((name) => /geist-latin-wght-normal.*\.woff2$/.test(name))
      .map((href) => ['link', { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href }]),
    ...(pageData.isNotFound
      ? []
      : [['link', { rel: 'alternate', type: 'text/markdown', href: base + pageData.relativePath }]]),
  ],
  // The theme gives two elements a style that scripts set again. Written into the page, the policy of the service would refuse it.
  // No page uses the icons that the style sheet of that name is for: it is empty.
  transformHtml: (html) =>
    html.replace(/(<[^<>]*) style="[^"]*"/g, '$1').replace(/<link[^>]*vp-icons\.css[^>]*>/, ''),
  markdown: {
    theme: codeTheme,
    codeTransformers: [styleless],
    // `/f/{form_id}` in a heading is a path.
    attrs: { disable: true },
    anchor: { slugify: anchorOf },
    config: addPageRules,
  },
  vite: {
    logLevel: 'warn',
    // A small picture as a data: address would be in every page that shows it.
    // The theme's own says less, and has no landmark for screen readers.
    resolve: {
      alias: [{ find: /^.*\/NotFound\.vue$/, replacement: join(root, 'docs/.vitepress/theme/NotFound.vue') }],
    },
    plugins: [listPackages()],
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 5000 },
  },
  themeConfig: {
    logo: '/icon.svg',
    outline: { level: [2, 3], label: 'On this page' },
    search: { provider: 'local', options: { _render: renderForSearch } },
    externalLinkIcon: true,
    nav: [
      { text: 'Tutorial', link: '/tutorial/first-form', activeMatch: '^/tutorial/' },
      { text: 'Guides', link: '/guides/html', activeMatch: '^/(guides|migrate|runbooks)/' },
      { text: 'Reference', link: '/reference/api/', activeMatch: '^/reference/' },
      { text: 'Explanation', link: '/explanation/durability', activeMatch: '^/(explanation|adr)/' },
      { text: `v${version}`, link: 'https://github.com/inlet-forms/inlet/blob/main/CHANGELOG.md' },
    ],
    sidebar: sidebar(),
  },
});

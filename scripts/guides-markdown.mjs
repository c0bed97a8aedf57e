/** The generated parts of docs/guides: the snippets of a form, the same as in the dashboard and the API. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldsFor } from '../dist/domain/forms/snippets/fields.js';
import { snippetsOf } from '../dist/domain/forms/snippets/snippets.js';

const subject = {
  form: { publicId: 'PUBLIC_ID', captchaEnabled: false, captchaProvider: 'altcha', captchaSiteKey: null },
  endpoint: 'https://forms.example.com/f/PUBLIC_ID',
  scriptUrl: 'https://forms.example.com/inlet.js',
  fields: fieldsFor([], [], false),
};

/** The info string of each snippet, by which test/docs runs it. */
const infos = {
  html: 'html form',
  react: 'jsx react',
  next: 'jsx react',
  vue: 'vue',
  svelte: 'svelte',
  astro: 'astro',
};

const block = ({ name, code }) => `\`\`\`${infos[name]}\n${code}\`\`\``;
const snippets = Object.fromEntries(
  (await snippetsOf(subject))
    .filter(({ name }) => name in infos)
    .map((snippet) => [snippet.name, block(snippet)]),
);

const marker = /<!-- snippet (\w+):start -->[\s\S]*?<!-- snippet \1:end -->/g;

const withSnippets = (text) =>
  text.replaceAll(marker, (_, name) => {
    const snippet = snippets[name];
    if (snippet === undefined) throw new Error(`There is no snippet called ${name}`);
    return `<!-- snippet ${name}:start -->\n\n${snippet}\n\n<!-- snippet ${name}:end -->`;
  });

/** The guides with snippets, by path. */
export async function guidePages(root) {
  const names = await readdir(join(root, 'docs/guides'));
  const pages = {};
  for (const name of names.filter((one) => one.endsWith('.md'))) {
    const path = `docs/guides/${name}`;
    const text = await readFile(join(root, path), 'utf8');
    if (text.search(marker) !== -1) pages[path] = withSnippets(text);
  }
  return pages;
}

/**
 * Checks what people read against scripts/prose/rules.mjs: the documentation, the README, the texts of the dashboard, of e-mail
 * and of visitors' pages, and the words of comments. The texts of errors, settings and commands are in the generated pages. Run
 * by `npm run prose`; files as arguments are checked instead.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mostWords, phrases, properNames } from './prose/rules.mjs';
import { commentTexts, markdownTexts, sourceTexts } from './prose/texts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const forbidden = phrases.map(([phrase, instead]) => ({
  pattern: new RegExp(`(?<![\\w.@/-])(?:${phrase})(?![\\w@/-]|\\.\\w)`, 'i'),
  instead,
}));
const names = new RegExp(`\\b(?:${properNames.join('|')})\\b`, 'g');

const sentencesOf = (text) => text.split(/(?<=[.?!:;])\s+(?=[\p{Lu}\p{N}"“(])/u);
const wordsOf = (text) =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word) && !/^\W*CODE\W*$/.test(word));

/** A second capital, as in GitHub or API, marks a name. */
const isCapitalised = (word) => /^\p{Lu}[\p{Ll}'’-]*$/u.test(word);

/** Checks all words of a heading but the first; a colon starts again. `404 Not Found` is the name of a status. */
function* headingFaults(text) {
  if (/^\d{3} /.test(text)) return;
  for (const part of text.replace(names, 'name').split(/[:.?] /)) {
    const words = part.replace(/[()",?“”]/g, '').split(/\s+/);
    const wrong = words.slice(1).filter(isCapitalised);
    if (wrong.length > 0) yield `"${wrong.join(' ')}" in a heading: use sentence case`;
  }
}

function* wordFaults({ text }) {
  for (const { pattern, instead } of forbidden) {
    const found = pattern.exec(text);
    if (found) yield `"${found[0]}": write ${instead}`;
  }
}

function* faultsOf({ text, isHeading }) {
  yield* wordFaults({ text });
  if (/[\p{L}\p{N})]!(?=\s|$)/u.test(text)) yield 'an exclamation mark';
  if (isHeading) yield* headingFaults(text);
  for (const sentence of sentencesOf(text)) {
    const count = wordsOf(sentence).length;
    if (count > mostWords)
      yield `a sentence of ${count} words, at most ${mostWords}: ${sentence.slice(0, 60)}…`;
  }
}

const reported = (name, texts, faults) =>
  texts.flatMap((text) => [...faults(text)].map((fault) => `${name}:${text.line}: ${fault}`));

export const checkText = (name, content) =>
  reported(name, name.endsWith('.md') ? markdownTexts(content) : sourceTexts(content), faultsOf);

export const checkComments = (name, content) => reported(name, commentTexts(content), wordFaults);

/** Decision records and the page of a benchmark run stay as written, so they are not checked. */
const isRead = (name) => /\.md$/.test(name) && !/^(?:adr\/|\.vitepress\/|explanation\/benchmarks)/.test(name);

const isWords = (name) => /(?:^|[/-])words\.ts$|^web\/src\/words\/(?!.*\.test\.)/.test(name);

const list = (folder) =>
  readdirSync(root + folder, { encoding: 'utf8', recursive: true }).map((name) => `${folder}/${name}`);

const sourcesOfProject = () =>
  ['src', 'web/src', 'client'].flatMap(list).filter((name) => /\.tsx?$/.test(name));

function filesOfProject() {
  const pages = list('docs').filter((name) => isRead(name.slice('docs/'.length)));
  const words = [...list('src'), ...list('web/src/words')].filter(
    (name) => isWords(name) && name.endsWith('.ts'),
  );
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pages, ...words].sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2).map((file) => relative(root, file));
  const files = named.length > 0 ? named : filesOfProject();
  const sources = named.length > 0 ? [] : sourcesOfProject();
  const checked = (names, check) => names.flatMap((file) => check(file, readFileSync(root + file, 'utf8')));
  const faults = [...checked(files, checkText), ...checked(sources, checkComments)];
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  process.stdout.write(
    `prose: ${files.length} files and the comments of ${sources.length}, ${faults.length} faults\n`,
  );
  process.exitCode = faults.length > 0 ? 1 : 0;
}

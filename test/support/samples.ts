/** The code samples of the documentation: every fenced block in docs/ and README.md, by page and line. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Sample {
  readonly page: string;
  /** The number of its first line of code. */
  readonly line: number;
  readonly language: string;
  /** The info string after the language: how the sample is checked. */
  readonly mark: string;
  readonly code: string;
}

/** Its name in the output of a test. */
export const nameOf = ({ page, line, language, mark }: Sample): string =>
  `${page}:${line} (${`${language} ${mark}`.trim()})`;

/** The form endpoint on all pages, and the URL of the Inlet that it belongs to. */
export const publishedEndpoint = 'https://forms.example.com/f/PUBLIC_ID';
export const publishedUrl = 'https://forms.example.com';

function samplesOf(page: string, text: string): readonly Sample[] {
  const fences = text.matchAll(/^( *)(`{3,})([^\n`]*)\n([\s\S]*?)^\1\2 *$/gm);
  return Array.from(fences, ({ index, 1: indent = '', 3: info = '', 4: code = '' }) => {
    const [language = '', ...marks] = info.trim().split(/\s+/);
    return {
      page,
      line: text.slice(0, index).split('\n').length + 1,
      language,
      mark: marks.join(' '),
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    };
  });
}

async function pages(): Promise<readonly string[]> {
  const names = await readdir(`${root}docs`, { recursive: true });
  const ours = names.filter((name) => name.endsWith('.md') && !name.startsWith('.vitepress'));
  return ['README.md', ...ours.map((name) => `docs/${name}`).sort()];
}

export async function allSamples(): Promise<readonly Sample[]> {
  const found = (await pages()).map(async (page) => samplesOf(page, await readFile(root + page, 'utf8')));
  return (await Promise.all(found)).flat();
}

/** How a sample is checked, by its info string. */
const ways = {
  /** Run by bash, page by page, on a real instance: test/docs/samples.test.ts. */
  shell: ['sh run', 'sh serve'],
  /** Parsed by bash, and the commands, options, scripts and paths in it exist: the same file. */
  commands: ['sh'],
  /** Read by a parser, and accepted by a real instance where the mark says what it is for: the same file. */
  data: [
    ...['json', 'json form', 'json destination', 'json filter', 'json template'],
    ...['yaml', 'ini', 'ini settings'],
  ],
  /** Only parsed by its compiler, because it is a part of a program that is not here: the same file. */
  excerpt: ['js excerpt', 'jsx excerpt'],
  /** Filled in and submitted in Chromium, and found in the store: test/docs/samples-browser.test.ts. */
  browser: [
    ...['html form', 'html part', 'html head', 'html embed', 'js browser', 'css'],
    ...['jsx react', 'vue', 'svelte', 'astro', 'html hugo'],
  ],
  /** An endpoint that gets real webhooks, genuine and forged: test/docs/webhooks.test.ts and receivers.test.ts. */
  webhook: ['js', 'python', 'php', 'go', 'ruby'].flatMap((language) => [
    `${language} verify`,
    `${language} receiver`,
  ]),
  /** Checked by the tests of these pages: test/browser/libraries.test.ts and rivals.test.ts. */
  library: ['html library', 'js library', 'jsx library'],
  rival: ['diff', 'js plugin'],
  /** The same request three times, recorded and run by test/docs/reference-samples.test.ts. */
  reference: ['sh [curl]', 'js [JavaScript]', 'python [Python]'],
  /** How another product was set up. bench/peers runs it. */
  peer: ['js peer', 'ini peer', 'sh peer'],
  /** Text that no program reads. */
  text: ['text'],
} as const satisfies Record<string, readonly string[]>;

export type Way = keyof typeof ways;

const wayNames = Object.keys(ways) as readonly Way[];

/** Returns null when nothing checks it. */
export const wayOf = ({ language, mark }: Sample): Way | null =>
  wayNames.find((way) => (ways[way] as readonly string[]).includes(`${language} ${mark}`.trim())) ?? null;

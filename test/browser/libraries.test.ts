/**
 * The examples of docs/guides/browser-clients.md, verbatim, and the defaults of more libraries: each sends a form from another origin in a
 * real browser, with the library as published on npm.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, openPage, sharedBrowser } from '../support/chromium.js';
import { client, type MadeForm, makeForm } from '../support/client.js';
import { getSubmission, keptSubmissions } from '../support/kept.js';
import { type RunningServer, startServer } from '../support/server.js';
import { startWebsite, type Website } from '../support/website.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = await readFile(join(root, 'docs/guides/browser-clients.md'), 'utf8');
const endpointInGuide = 'https://forms.example.com/f/PUBLIC_ID';

interface Example {
  readonly language: string;
  readonly code: string;
}

function exampleOf(heading: string): Example {
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const [, language, code] = /^```(\w+) library\n([\s\S]+?)\n```$/m.exec(section) ?? [];
  if (language === undefined || code === undefined) throw new Error(`No example for ${heading}`);
  return { language, code };
}

/** An example with one replacement. */
function variantOf(heading: string, from: string, to: string): Example {
  const { language, code } = exampleOf(heading);
  if (!code.includes(from)) throw new Error(`The example of ${heading} has no ${from}`);
  return { language, code: code.replace(from, () => to) };
}

/** What the page shows after a stored submission, a rejected one, and one from an origin that is not allowed. */
interface Case {
  readonly example: Example;
  readonly stored: string;
  /** Left out for variants of an example. */
  readonly failed?: { readonly rejected: string; readonly foreign: string };
}

const thanks = 'Thank you';
const notSent = 'Not sent. Please try again.';
const failed = { rejected: 'A file is larger than 102400 bytes', foreign: notSent };
const inWords = { rejected: 'The file is larger than 100 kB.', foreign: notSent };
const dropzoneShows = {
  stored: 'dz-success',
  failed: { ...failed, foreign: 'Server responded with 0 code.' },
};
const dropzone5 = `<form action="${endpointInGuide}" class="dropzone"><input name="email"></form>
  <script src="https://cdn.jsdelivr.net/npm/dropzone@5/dist/min/dropzone.min.js"></script>`;
const inLaravel = `import axios from 'axios';
  axios.defaults.headers.common['X-Requested-With'] = 'XMLHttpRequest';`;
const withFiles =
  "$.ajax({ url: this.action, method: 'POST', data: new FormData(this), processData: false, contentType: false })";
/** What Sentry's SDK does to fetch when it traces requests. */
const traced = `const plainFetch = window.fetch;
  const trace = { 'sentry-trace': '0123456789abcdef0123456789abcdef-0123456789abcdef-1', baggage: 'sentry-environment=test' };
  window.fetch = (url, init) => plainFetch(url, { ...init, headers: { ...init.headers, ...trace } });
  const form =`;

const cases: Readonly<Record<string, Case>> = {
  fetch: { example: exampleOf('fetch'), stored: thanks, failed },
  'fetch-sentry': { example: variantOf('fetch', 'const form =', traced), stored: thanks },
  xhr: { example: exampleOf('XMLHttpRequest with upload progress'), stored: thanks, failed },
  axios: { example: exampleOf('axios'), stored: thanks, failed },
  'axios-laravel': { example: variantOf('axios', "import axios from 'axios';", inLaravel), stored: thanks },
  jquery: {
    example: exampleOf('jQuery'),
    stored: thanks,
    failed: { ...failed, rejected: 'Form is not active' },
  },
  'jquery-ajax': {
    example: variantOf('jQuery', '$.post(this.action, $(this).serialize())', withFiles),
    stored: thanks,
  },
  'jquery-form': { example: exampleOf('jQuery Form Plugin'), stored: thanks, failed },
  'htmx-4': { example: exampleOf('htmx 4'), stored: thanks, failed: inWords },
  'htmx-2': { example: exampleOf('htmx 2'), stored: thanks, failed: inWords },
  turbo: {
    example: exampleOf('Turbo'),
    stored: thanks,
    failed: { ...inWords, foreign: 'Origin not allowed' },
  },
  alpine: { example: exampleOf('Alpine'), stored: thanks, failed },
  'react-hook-form': { example: exampleOf('React Hook Form'), stored: thanks, failed },
  uppy: { example: exampleOf('Uppy'), stored: thanks, failed: { rejected: notSent, foreign: notSent } },
  'dropzone-6': { example: exampleOf('Dropzone'), ...dropzoneShows },
  'dropzone-5': { example: { language: 'html', code: dropzone5 }, ...dropzoneShows },
  filepond: {
    example: exampleOf('FilePond'),
    stored: 'processing-complete',
    failed: { rejected: 'processing-error', foreign: 'processing-error' },
  },
  'filepond-url': {
    example: variantOf('FilePond', `{ process: '${endpointInGuide}', revert: null }`, `'${endpointInGuide}'`),
    stored: 'processing-complete',
  },
};

const names = Object.keys(cases);
const manifest: { readonly devDependencies: Readonly<Record<string, string>> } = JSON.parse(
  await readFile(join(root, 'package.json'), 'utf8'),
);

/** The folder in node_modules. Two versions of a library have two names. */
function folderOf(library: string, major: string): string {
  const versions = Object.entries(manifest.devDependencies);
  const found = versions.find(
    ([name, version]) =>
      version.startsWith(`npm:${library}@${major}.`) || (name === library && version.startsWith(`${major}.`)),
  );
  if (found === undefined) throw new Error(`${library} ${major} is not installed`);
  return found[0];
}

const published = /https:\/\/cdn\.jsdelivr\.net\/npm\/((?:@[\w-]+\/)?[\w.-]+)@(\d+)\/([\w./-]+)/g;

/** The files that the examples load from jsDelivr, by their path on the website. */
async function libraries(): Promise<Record<string, string>> {
  const files = Object.values(cases).flatMap(({ example }) => [...example.code.matchAll(published)]);
  const texts = files.map(async ([address, library = '', major = '', file = '']) => {
    const path = join(root, 'node_modules', folderOf(library, major), file);
    return [new URL(address).pathname, await readFile(path, 'utf8')];
  });
  return Object.fromEntries(await Promise.all(texts));
}

const mount = `
import { createRoot } from 'react-dom/client';
createRoot(document.body.appendChild(document.createElement('main'))).render(<Contact />);`;

/** Bundles an example the way a website would. */
async function bundle({ language, code }: Example): Promise<string> {
  const entry = join(root, 'example.jsx');
  const bundled = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'example',
        resolveId: (id) => (id === entry ? entry : null),
        load: (id) => (id === entry ? code + (language === 'jsx' ? mount : '') : null),
      },
    ],
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'warn',
  });
  const { output } = await bundled.generate({ format: 'esm' });
  return output[0].code;
}

let browser: Browser;
let server: RunningServer;
let website: Website;
const open = new Map<string, MadeForm>();
let listed: MadeForm;
let inactive: MadeForm;
let foreign: MadeForm;
let thankful: MadeForm;

/** The website runs on loopback, which live mode rejects. */
const local = { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'] };
const hasFile = (name: string): boolean => !/^jquery(-ajax)?$/.test(name);
const endpointsOf = (name: string): Record<string, string | undefined> => ({
  stored: open.get(name)?.endpoint,
  rejected: (hasFile(name) ? listed : inactive).endpoint,
  foreign: foreign.endpoint,
  thankful: thankful.endpoint,
});

beforeAll(async () => {
  const env = { MAX_FILE_BYTES: '100 KiB' };
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env })]);
  listed = await makeForm(server.url, { form: { ...local, allowed_origins: ['127.0.0.1'] } });
  inactive = await makeForm(server.url, { form: { ...local, is_active: false } });
  foreign = await makeForm(server.url, { form: { ...local, allowed_origins: ['example.com'] } });
  thankful = await makeForm(server.url, { form: local });
  for (const name of names) open.set(name, await makeForm(server.url, { form: local }));

  const pages: Record<string, string> = { '/thanks': '<h1>Our own thanks</h1>' };
  const scripts = await libraries();
  for (const [name, { example }] of Object.entries(cases)) {
    const isPage = example.language === 'html';
    const code = isPage ? example.code.replaceAll('https://cdn.jsdelivr.net', '') : await bundle(example);
    const form = example.language === 'js' ? exampleOf('The form').code : '';
    for (const [end, endpoint = ''] of Object.entries(endpointsOf(name))) {
      const path = `/${name}/${end}`;
      const page = isPage ? code : `${form}<script type="module" src="${path}.js"></script>`;
      pages[path] = page.replaceAll(endpointInGuide, endpoint);
      if (!isPage) scripts[`${path}.js`] = code.replaceAll(endpointInGuide, endpoint);
    }
  }
  website = await startWebsite(pages, scripts);
  const thanksPage = { success_redirect: `${website.origin}/thanks` };
  await client(server.url).patch(`/api/v1/forms/${thankful.formId}`, thanksPage);
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), website?.close(), server?.dispose()]);
});

/** What the page, the library or Inlet's own page shows in the end. */
const shown = `(() => {
  const text = (selector) => document.querySelector(selector)?.textContent.trim();
  const item = document.querySelector('[data-filepond-item-state$=-complete], [data-filepond-item-state$=-error]');
  return text('output') || text('.dz-error .dz-error-message') || (text('.dz-success') !== undefined && 'dz-success')
    || item?.dataset.filepondItemState || (location.pathname.startsWith('/f/') && text('main'));
})()`;

/** Submits like a visitor. The file libraries send on their own once a file is chosen. */
async function submit(page: Page, path: string, size: number): Promise<void> {
  await page.goto(`${website.origin}${path}`);
  const email = page.locator('[name=email]');
  const file = page.locator('input[type=file]');
  const button = page.getByRole('button', { name: 'Send' });
  await email.or(file).first().waitFor({ state: 'attached' });
  if ((await email.count()) > 0) await email.fill('ada@example.com');
  if ((await file.count()) > 0)
    await file.setInputFiles({ name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.alloc(size, 'a') });
  if ((await button.count()) > 0) await button.click();
}

async function expectShown(page: Page, path: string, size: number, words: string): Promise<void> {
  await submit(page, path, size);
  await expect.poll(() => page.evaluate<string | false>(shown)).toContain(words);
}

it.each(names)('%s: the page shows whether the form was stored, and it is stored once', async (name) => {
  const { page, errors } = await openPage(browser);
  const { stored, failed: shows } = cases[name] as Case;
  await expectShown(page, `/${name}/stored`, 7, stored);
  if (name === 'xhr') expect(await page.locator('form').getAttribute('data-progress')).toBe('100 %');
  expect(errors).toEqual([]);
  const submissions = await keptSubmissions(server, open.get(name)?.formId ?? '');
  expect(submissions).toHaveLength(1);
  const { body } = await getSubmission(server, submissions[0]?.id ?? '');
  if (!name.startsWith('filepond')) expect(body.data).toMatchObject({ email: 'ada@example.com' });
  expect(body.files).toMatchObject(hasFile(name) ? [{ filename: 'cv.txt', size: 7 }] : []);

  if (shows !== undefined) {
    await expectShown(page, `/${name}/rejected`, 200 * 1024, shows.rejected);
    await expectShown(page, `/${name}/foreign`, 7, shows.foreign);
  }
  await page.close();
});

it.each(['htmx-4', 'htmx-2'])('%s opens the page that the owner chose', async (name) => {
  const { page, errors } = await openPage(browser);
  await submit(page, `/${name}/thankful`, 7);
  await page.waitForURL(`${website.origin}/thanks?*`);
  expect(errors).toEqual([]);
  await page.close();
});

it('nothing of what was rejected or not allowed is stored', async () => {
  for (const { formId } of [listed, inactive, foreign])
    expect(await keptSubmissions(server, formId)).toEqual([]);
});

/** The samples of the documentation that run in a browser: pasted into a website, filled in, submitted, and found in the store. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, openPage, sharedBrowser } from '../support/chromium.js';
import { type MadeForm, makeForm } from '../support/client.js';
import { keptSubmissions } from '../support/kept.js';
import {
  allSamples,
  nameOf,
  publishedEndpoint,
  publishedUrl,
  type Sample,
  wayOf,
} from '../support/samples.js';
import { type RunningServer, startServer } from '../support/server.js';
import { bundle, frameworks, renderedByAstro } from '../support/snippet-frameworks.js';
import { startWebsite } from '../support/website.js';

const samples = (await allSamples()).filter((sample) => wayOf(sample) === 'browser');
const marked = (...marks: readonly string[]): readonly (readonly [string, Sample])[] =>
  samples
    .filter(({ language, mark }) => marks.includes(`${language} ${mark}`.trim()))
    .map((sample) => [nameOf(sample), sample]);

let server: RunningServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), sharedBrowser()]);
});
afterAll(() => Promise.all([server.dispose(), leaveBrowser(browser)]));

/** For pages on this machine. */
const local = { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'] };

const placed = (code: string, form: MadeForm): string =>
  code
    .replaceAll(publishedEndpoint, form.endpoint)
    .replaceAll(`${publishedUrl}/f/{public_id}`, form.endpoint)
    .replaceAll(publishedUrl, server.url)
    .replaceAll('http://localhost:3000', server.url);

/** What a visitor types, by the type of the input. */
const values: Readonly<Record<string, string>> = {
  email: 'grace@example.com',
  url: 'https://example.com',
  tel: '+43 1 234567',
  number: '42',
  date: '2026-01-31',
};

async function fill(input: Locator): Promise<void> {
  const tag = await input.evaluate((element) => element.tagName);
  const type = (await input.getAttribute('type')) ?? 'text';
  if (tag === 'SELECT') await input.selectOption({ index: 1 });
  else if (type === 'checkbox' || type === 'radio') await input.check();
  else if (type === 'file')
    await input.setInputFiles({ name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('CV') });
  else await input.fill(values[type] ?? 'Grace');
}

async function send(page: Page): Promise<void> {
  const form = page.locator('form').first();
  await form.waitFor();
  // Skips what visitors never see.
  const inputs = form.locator('input:not([type=hidden], [tabindex="-1"]), textarea, select');
  for (const input of await inputs.all()) await fill(input);
  await form.locator('button').click();
}

interface Visited {
  readonly html: string;
  readonly script?: string;
}

/** Submits the form of a page once. The visitor sees the thanks on the same page or on the thank-you page. */
async function arrives({ html, script = '' }: Visited, form: MadeForm): Promise<void> {
  const { page, errors } = await openPage(browser);
  const module = script === '' ? '' : '<script type="module" src="/bundle.js"></script>';
  const website = await startWebsite({ '/contact': html + module }, { '/bundle.js': script });
  await page.goto(`${website.origin}/contact`);
  await send(page);
  await expect.poll(async () => (await keptSubmissions(server, form.formId)).length).toBe(1);
  await expect.poll(() => page.locator('body').innerText()).toMatch(/Thank you/);
  expect(errors).toEqual([]);
  await page.close();
  await website.close();
}

/** The line for the head of the page, if the guide has one. Samples work with and without it. */
const headOf = (page: string): string =>
  samples.find((sample) => sample.page === page && sample.mark === 'head')?.code ?? '';

const headsOf = (page: string): readonly string[] => [...new Set(['', headOf(page)])];

describe('forms', () => {
  it.each(marked('html form', 'html hugo'))('%s', async (_, { code, page }) => {
    for (const head of headsOf(page)) {
      const form = await makeForm(server.url, { form: local });
      const html = placed(`${head}\n${code}`, form).replaceAll(/\{\{ \.(?:Rel)?Permalink \}\}/g, '/contact');
      expect(html).not.toMatch(/\{\{/);
      await arrives({ html }, form);
    }
  });

  it.each(marked('html part'))('%s, inside a form', async (_, { code }) => {
    const form = await makeForm(server.url, { form: local });
    const html = `<form action="${form.endpoint}" method="post">${placed(code, form)}<button>Send</button></form>`;
    await arrives({ html }, form);
  });

  it.each(marked('js browser'))('%s, beside the form before it', async (_, { code, page, line }) => {
    const before = samples.filter(
      (sample) => sample.page === page && sample.mark === 'form' && sample.line < line,
    );
    const form = await makeForm(server.url, { form: local });
    await arrives({ html: placed(before.at(-1)?.code ?? '', form), script: placed(code, form) }, form);
  });

  it.each(marked('astro'))('%s', async (_, { code }) => {
    const form = await makeForm(server.url, { form: local });
    await arrives({ html: renderedByAstro(placed(code, form), '/contact') }, form);
  });
});

describe('components', () => {
  const frameworkOf = ({ language }: Sample) => frameworks[language === 'jsx' ? 'react' : language];

  it.each(marked('jsx react', 'vue', 'svelte'))('%s', async (_, sample) => {
    const framework = frameworkOf(sample);
    if (framework === undefined) throw new Error(`There is no ${sample.language} here`);
    for (const head of headsOf(sample.page)) {
      const form = await makeForm(server.url, { form: local });
      const script = await bundle(framework, placed(sample.code, form));
      await arrives({ html: placed(head, form), script }, form);
    }
  });
});

describe('parts of pages', () => {
  it.each(marked('html head'))('%s loads what it names', async (_, { code }) => {
    const { page, errors, origins } = await openPage(browser);
    const form = await makeForm(server.url);
    const website = await startWebsite({ '/': placed(code, form) });
    await page.goto(website.origin);
    expect(errors).toEqual([]);
    expect(origins()).toContain(server.url);
    await page.close();
    await website.close();
  });

  it.each(marked('html embed'))('%s shows the form', async (_, { code }) => {
    const { page, errors } = await openPage(browser);
    const fields = [{ name: 'email', type: 'email', label: 'E-mail' }];
    const form = await makeForm(server.url, { form: { hosted_page: true, fields } });
    const website = await startWebsite({ '/': placed(code, form) });
    await page.goto(website.origin);
    await page.frameLocator('iframe').getByLabel('E-mail').waitFor();
    expect(errors).toEqual([]);
    await page.close();
    await website.close();
  });

  it.each(marked('css'))('%s is read by a browser', async (_, { code }) => {
    const { page } = await openPage(browser);
    const rules = await page.evaluate<readonly number[]>(`(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(${JSON.stringify(code)});
      return Array.from(sheet.cssRules, ({ style }) => style.length);
    })()`);
    expect(rules).toHaveLength(code.split('{').length - 1);
    expect(Math.min(...rules)).toBeGreaterThan(0);
    await page.close();
  });
});

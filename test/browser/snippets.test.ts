/** The snippets of a form, pasted as they are: components bundled as a website would, programs run by their interpreters. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { type Plugin, rolldown } from 'rolldown';
import { compile } from 'svelte/compiler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileScript, parse } from 'vue/compiler-sfc';
import { leaveBrowser, openPage, sharedBrowser } from '../support/chromium.js';
import { client, type MadeForm, makeForm } from '../support/client.js';
import { keptSubmissions } from '../support/kept.js';
import { canRun } from '../support/needs.js';
import { type RunningServer, startServer } from '../support/server.js';
import { startWebsite } from '../support/website.js';

const run = promisify(execFile);

let server: RunningServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), sharedBrowser()]);
});
afterAll(async () => {
  await Promise.all([server.dispose(), leaveBrowser(browser)]);
});

/** For pages of this machine. */
const local = { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'] };

async function snippetOf(form: MadeForm, name: string): Promise<string> {
  const { body } = await client(server.url).get(`/api/v1/forms/${form.formId}/snippets`);
  return body.data.find((snippet: { readonly name: string }) => snippet.name === name).code;
}

interface Framework {
  /** The module that the framework's own compiler makes of the snippet. */
  readonly compiled: (code: string) => string;
  readonly file: string;
  /** Shows the component on the page. */
  readonly start: string;
}

const reactStart = `import { createRoot } from 'react-dom/client';
import { createElement } from 'react';
import { ContactForm } from './component';
createRoot(document.body.appendChild(document.createElement('main'))).render(createElement(ContactForm));`;

const frameworks: Readonly<Record<string, Framework>> = {
  react: { compiled: (code) => code, file: 'component.jsx', start: reactStart },
  next: { compiled: (code) => code, file: 'component.jsx', start: reactStart },
  vue: {
    compiled(code) {
      const { descriptor, errors } = parse(code);
      expect(errors).toEqual([]);
      return compileScript(descriptor, { id: 'contact', inlineTemplate: true }).content;
    },
    file: 'component.js',
    start: `import { createApp } from 'vue';
import ContactForm from './component';
createApp(ContactForm).mount(document.body.appendChild(document.createElement('main')));`,
  },
  svelte: {
    compiled(code) {
      const { js, warnings } = compile(code, { generate: 'client' });
      expect(warnings.map(({ message }) => message)).toEqual([]);
      return js.code;
    },
    file: 'component.js',
    start: `import { mount } from 'svelte';
import ContactForm from './component';
mount(ContactForm, { target: document.body.appendChild(document.createElement('main')) });`,
  },
};

/** As a bundler of a website makes it. */
async function bundle({ compiled, file, start }: Framework, code: string): Promise<string> {
  const sources: Plugin = {
    name: 'sources',
    resolveId: (id, from) => {
      if (id === './component') return `${import.meta.dirname}/${file}`;
      return from === undefined ? `${import.meta.dirname}/start.js` : null;
    },
    load(id) {
      if (id.endsWith(`/${file}`)) return compiled(code);
      return id.endsWith('/start.js') ? start : null;
    },
  };
  const bundled = await rolldown({
    input: 'start',
    plugins: [sources],
    platform: 'browser',
    resolve: { conditionNames: ['browser', 'import', 'default'] },
    transform: {
      define: {
        'process.env.NODE_ENV': '"production"',
        __VUE_OPTIONS_API__: 'false',
        __VUE_PROD_DEVTOOLS__: 'false',
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
      },
    },
    onLog() {},
  });
  const { output } = await bundled.generate({ format: 'esm' });
  return output[0].code;
}

interface Outcome {
  /** What the page says afterwards. */
  readonly words: string;
  /** What the browser complained about. */
  readonly errors: readonly string[];
}

/** Fills in the form of a page and sends it. */
async function submitOn(origin: string): Promise<Outcome> {
  const { page, errors } = await openPage(browser);
  await page.goto(`${origin}/contact`);
  const trap = page.locator('[name=_gotcha]');
  await trap.waitFor({ state: 'attached' });
  expect(((await trap.boundingBox())?.x ?? 0) + 500).toBeLessThan(0);
  expect(await trap.getAttribute('tabindex')).toBe('-1');
  await page.fill('[name=name]', 'Grace');
  await page.fill('[name=email]', 'grace@example.com');
  await page.fill('[name=message]', 'Hello');
  await page.getByRole('button', { name: 'Send' }).click();
  const said = page.getByRole('status').or(page.getByRole('alert')).first();
  await expect.poll(() => said.innerText()).not.toMatch(/^(Sending…)?$/);
  const words = await said.innerText();
  await page.close();
  return { words, errors };
}

const thanks = 'Thank you. Your message has been received.';

describe.each(Object.entries(frameworks))('%s, in a browser', (name, framework) => {
  it('arrives, with the page that it came from, and says so', async () => {
    const form = await makeForm(server.url, { form: local });
    const script = await bundle(framework, await snippetOf(form, name));
    const website = await startWebsite(
      { '/contact': '<script type="module" src="/bundle.js"></script>' },
      { '/bundle.js': script },
    );
    expect(await submitOn(website.origin)).toEqual({ words: thanks, errors: [] });
    expect(await keptSubmissions(server, form.formId)).toMatchObject([
      {
        data: { name: 'Grace', email: 'grace@example.com', message: 'Hello' },
        metadata: { submitted_from: `${website.origin}/contact` },
      },
    ]);
    await website.close();
  });

  it('says so when the submission is rejected', async () => {
    const form = await makeForm(server.url, { form: { ...local, is_active: false } });
    const website = await startWebsite(
      { '/contact': '<script type="module" src="/bundle.js"></script>' },
      { '/bundle.js': await bundle(framework, await snippetOf(form, name)) },
    );
    expect((await submitOn(website.origin)).words).toBe('That did not work. Please try again.');
    await website.close();
  });
});

it('astro: what it renders arrives, with the page that it came from', async () => {
  const form = await makeForm(server.url, { form: local });
  const code = await snippetOf(form, 'astro');
  // The compiler needs all of Astro; here it would put in one value and take one word away.
  const [, frontMatter = '', template = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(code) ?? [];
  expect(frontMatter).toBe('// src/components/ContactForm.astro');
  const rendered = template.replace('{Astro.url.pathname}', '"/contact"').replaceAll(' is:inline', '');
  expect(rendered).not.toMatch(/[{}]/);
  const website = await startWebsite({ '/contact': rendered });
  expect((await submitOn(website.origin)).words).toContain('Thank you');
  expect(await keptSubmissions(server, form.formId)).toMatchObject([
    { data: { name: 'Grace' }, metadata: { submitted_from: `${website.origin}/contact` } },
  ]);
  await website.close();
});

const programs = [
  { name: 'php', command: 'php', words: (code: string) => ['-r', code.replace(/^<\?php\n/, '')] },
  { name: 'python', command: 'python3', words: (code: string) => ['-c', code] },
];
for (const { name, command, words } of programs) {
  describe.runIf(canRun(command))(`${name}, run by ${command}`, () => {
    it('arrives, and prints its id', async () => {
      const form = await makeForm(server.url);
      const { stdout, stderr } = await run(command, words(await snippetOf(form, name)));
      expect(stderr).toBe('');
      expect(await keptSubmissions(server, form.formId)).toMatchObject([
        {
          id: stdout.trim(),
          data: { name: 'Ada Lovelace', email: 'ada@example.com', message: 'Hello' },
        },
      ]);
    });

    it('fails when the submission is rejected', async () => {
      const form = await makeForm(server.url, { form: { is_active: false } });
      await expect(run(command, words(await snippetOf(form, name)))).rejects.toThrow(/not active|403/);
    });
  });
}

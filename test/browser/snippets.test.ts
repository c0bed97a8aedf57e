/** A form's snippets, pasted verbatim: components bundled as a website would, programs run by their interpreters. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, openPage, sharedBrowser } from '../support/chromium.js';
import { client, type MadeForm, makeForm } from '../support/client.js';
import { keptSubmissions } from '../support/kept.js';
import { canRun } from '../support/needs.js';
import { type RunningServer, startServer } from '../support/server.js';
import { bundle, frameworks, renderedByAstro } from '../support/snippet-frameworks.js';
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

/** Accepts submissions from pages on this machine. */
const local = { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'] };

async function snippetOf(form: MadeForm, name: string): Promise<string> {
  const { body } = await client(server.url).get(`/api/v1/forms/${form.formId}/snippets`);
  return body.data.find((snippet: { readonly name: string }) => snippet.name === name).code;
}

interface Outcome {
  /** The page's text afterwards. */
  readonly words: string;
  /** Errors that the browser reported. */
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
  const website = await startWebsite({ '/contact': renderedByAstro(code, '/contact') });
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

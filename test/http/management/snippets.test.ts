/** Code to copy: whatever a shell or a browser can run verbatim is run. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, openPage, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, makeForm } from '../../support/client.js';
import { keptSubmissions } from '../../support/kept.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { startWebsite } from '../../support/website.js';

const run = promisify(execFile);

interface Snippet {
  readonly name: string;
  readonly title: string;
  readonly language: string;
  readonly code: string;
}

let server: RunningServer;
let starter: RunningServer;
let api: Client;
let browser: Browser;
beforeAll(async () => {
  [server, starter, browser] = await Promise.all([
    startServer(),
    startServer({ env: { DEFAULT_PLAN: 'starter' } }),
    sharedBrowser(),
  ]);
  api = client(server.url);
});
afterAll(async () => {
  await Promise.all([server.dispose(), starter.dispose(), leaveBrowser(browser)]);
});

const local = { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'] };

const snippetsFor = async (formId: string, of = api): Promise<ReadonlyMap<string, Snippet>> => {
  const { body } = await of.get(`/api/v1/forms/${formId}/snippets`);
  return new Map((body.data as Snippet[]).map((snippet) => [snippet.name, snippet]));
};

it('are ten, with the real address in each', async () => {
  const form = await makeForm(server.url);
  const { status, body } = await api.get(`/api/v1/forms/${form.publicId}/snippets`);
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['endpoint', 'script_url', 'data']);
  expect(body.endpoint).toBe(form.endpoint);
  expect(body.script_url).toBe(`${server.url}/inlet.js`);
  expect(body.data.map(({ name, title, language }: Snippet) => [name, title, language])).toEqual([
    ['html', 'HTML', 'html'],
    ['fetch', 'JavaScript (fetch)', 'javascript'],
    ['react', 'React', 'jsx'],
    ['next', 'Next.js', 'jsx'],
    ['vue', 'Vue', 'vue'],
    ['svelte', 'Svelte', 'svelte'],
    ['astro', 'Astro', 'astro'],
    ['php', 'PHP', 'php'],
    ['python', 'Python', 'python'],
    ['curl', 'curl', 'bash'],
  ]);
  for (const { code } of body.data as Snippet[]) expect(code).toContain(form.endpoint);
});

it('curl: pasted into a shell, it arrives', async () => {
  const form = await makeForm(server.url);
  const code = (await snippetsFor(form.formId)).get('curl')?.code ?? '';
  const { stdout } = await run('sh', ['-c', code]);
  expect(JSON.parse(stdout)).toMatchObject({ success: true });
  expect(await keptSubmissions(server, form.formId)).toMatchObject([
    { data: { name: 'Ada Lovelace', email: 'ada@example.com', message: 'Hello' } },
  ]);
});

describe('HTML, in a browser', () => {
  it.each([true, false])('arrives, script: %s, and the honeypot stays out of sight', async (hasScript) => {
    const form = await makeForm(server.url, { form: local });
    const code = (await snippetsFor(form.formId)).get('html')?.code ?? '';
    const website = await startWebsite({ '/': code });
    const context = await browser.newContext({ javaScriptEnabled: hasScript });
    const page = await context.newPage();
    await page.goto(website.origin);
    const trap = await page.locator('[name=_gotcha]').boundingBox();
    expect((trap?.x ?? 0) + (trap?.width ?? 0)).toBeLessThan(0);
    expect(await page.locator('[name=_gotcha]').getAttribute('tabindex')).toBe('-1');
    await page.fill('[name=name]', 'Grace');
    await page.fill('[name=email]', 'grace@example.com');
    await page.fill('[name=message]', 'Hello');
    await page.click('button');
    if (hasScript) await page.locator('[data-inlet-status="success"]').waitFor();
    else await page.waitForURL(/\/success/);
    expect(await keptSubmissions(server, form.formId)).toMatchObject([
      { data: { name: 'Grace', email: 'grace@example.com', message: 'Hello' } },
    ]);
    await context.close();
    await website.close();
  });

  it('solves the built-in challenge where the form asks for it', async () => {
    const form = await makeForm(server.url, {
      form: { ...local, captcha_enabled: true, captcha_provider: 'altcha' },
    });
    const code = (await snippetsFor(form.formId)).get('html')?.code ?? '';
    const website = await startWebsite({ '/': code });
    const { page, errors } = await openPage(browser);
    await page.goto(website.origin);
    for (const name of ['name', 'message']) await page.fill(`[name=${name}]`, 'x');
    await page.fill('[name=email]', 'x@example.com');
    await page.click('button');
    await page.locator('[data-inlet-status="success"]').waitFor();
    expect(errors).toEqual([]);
    expect(await keptSubmissions(server, form.formId)).toHaveLength(1);
    await page.close();
    await website.close();
  });
});

it('fetch: run in a page of an allowed origin, it arrives', async () => {
  const form = await makeForm(server.url, { form: { ...local, allowed_origins: ['127.0.0.1'] } });
  const code = (await snippetsFor(form.formId)).get('fetch')?.code ?? '';
  const website = await startWebsite({ '/contact': '<p>Hello</p>' });
  const { page } = await openPage(browser);
  await page.goto(`${website.origin}/contact`);
  await page.evaluate(`(async () => { ${code} })()`);
  expect(await keptSubmissions(server, form.formId)).toMatchObject([
    { metadata: { submitted_from: `${website.origin}/contact` } },
  ]);
  await page.close();
  await website.close();
});

it('name the page that the form is on, each as its framework knows it', async () => {
  const snippets = await snippetsFor((await makeForm(server.url)).formId);
  expect(snippets.get('react')?.code).toContain("data.set('_page', location.href);");
  expect(snippets.get('astro')?.code).toContain(
    '<input type="hidden" name="_page" value={Astro.url.pathname}>',
  );
  expect(snippets.get('html')?.code).not.toContain('_page');
});

it('ask for no file where the plan takes none', async () => {
  const form = await makeForm(starter.url);
  const snippets = await snippetsFor(form.formId, client(starter.url));
  for (const name of ['html', 'react', 'next', 'vue', 'svelte', 'astro']) {
    expect(snippets.get(name)?.code).not.toMatch(/type="file"|multipart/);
  }
});

it.each([
  ['turnstile', 'cf-turnstile'],
  ['hcaptcha', 'h-captcha'],
  ['recaptcha', 'g-recaptcha'],
])('bring the widget of %s with the site key of the form, safely', async (provider, mark) => {
  const form = await makeForm(server.url, {
    form: { captcha_enabled: true, captcha_provider: provider, captcha_site_key: '"><script>x' },
  });
  const snippets = await snippetsFor(form.formId);
  expect(snippets.get('html')?.code).toContain(
    `<div class="${mark}" data-sitekey="&quot;&gt;&lt;script&gt;x"></div>`,
  );
  expect(snippets.get('fetch')?.code).toContain('_challengeToken');
});

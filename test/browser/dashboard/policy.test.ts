/** The dashboard in a real browser: it renders under its own content security policy, and below a path of BASE_URL. */
import { createServer, request, type Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { freePort, type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let server: RunningServer;
let proxy: Server;
let address: string;

beforeAll(async () => {
  const port = await freePort();
  address = `http://127.0.0.1:${port}/forms`;
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: { BASE_URL: address } })]);
  // Like a reverse proxy: passes on what begins with /forms, without that prefix.
  proxy = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith('/forms/')) return void outgoing.writeHead(404).end();
    const passed = request(
      `${server.url}${incoming.url.slice('/forms'.length)}`,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    // When one side ends, the other is ended, too: an error here would fail a test that has passed.
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
});
afterAll(async () => {
  await leaveBrowser(browser);
  proxy.closeAllConnections();
  proxy.close();
  await server.dispose();
});

/** Opens a page. `refused` returns what the browser blocked, as `directive: address`. */
async function open(
  path: string,
): Promise<{ page: Page; refused: () => Promise<string[]>; missing: string[] }> {
  const page = await browser.newPage();
  const missing: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() === 404 && !answer.url().includes('/api/')) missing.push(answer.url());
  });
  await page.addInitScript(`
    globalThis.refusedByPolicy = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      refusedByPolicy.push(event.effectiveDirective + ': ' + event.blockedURI);
    });
  `);
  await page.goto(`${address}${path}`);
  const refused = () => page.evaluate<string[]>('refusedByPolicy');
  return { page, refused, missing };
}

it('draws the set-up page without asking for anything that its policy refuses', async () => {
  const { page, refused, missing } = await open('/dashboard/setup#token=some-token');
  await page.getByLabel('E-mail address').waitFor();
  await expect.poll(() => page.title()).toBe('Set up Inlet · Inlet');
  // The component library's own style elements apply: the accent is ours.
  const colour = () =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('button[type=submit]')).backgroundColor`);
  await expect.poll(colour).toMatch(/^rgb\((11, 107, 107|21, 127, 123)\)$/);
  // The token does not stay in the history.
  await page.waitForURL(`${address}/dashboard/setup`);
  expect([await refused(), missing]).toEqual([[], []]);
  await page.close();
});

it('refuses a script and a style that somebody managed to put into the page', async () => {
  const { page, refused } = await open('/dashboard/setup');
  await page.getByText('The link is incomplete').waitFor();
  await page.evaluate(`
    for (const [name, text] of [
      ['script', 'document.title = "taken over"'],
      ['style', 'body { display: none }'],
    ]) {
      const element = document.createElement(name);
      element.textContent = text;
      document.body.append(element);
    }
  `);
  // The browser reports it asynchronously.
  await expect
    .poll(async () => (await refused()).map((text) => text.split(':')[0]).sort())
    .toEqual(['script-src-elem', 'style-src-elem']);
  await expect.poll(() => page.title()).toBe('The link is incomplete · Inlet');
  expect(await page.locator('body').isVisible()).toBe(true);
  await page.close();
});

/** /docs: the documentation of this version as a site, served by Inlet itself with a strict content security policy. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, networkName, openPage, sharedBrowser } from '../support/chromium.js';
import { type RunningServer, startServer } from '../support/server.js';
import { visit } from '../support/visitor.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.dispose());

const get = (path: string, headers: Record<string, string> = {}, from = server) =>
  visit(`${from.url}${path}`, { method: 'GET', headers });

const partsOf = (html: string): readonly string[] =>
  [...html.matchAll(/<(?:script|link)\b[^>]*?\b(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);

describe('a page', () => {
  it.each([
    '/docs',
    '/docs/',
    '/docs/guides/webhooks',
    '/docs/guides/webhooks/',
    '/docs/guides/destinations',
    '/docs/guides/destinations/',
  ])('is at %s', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    });
    expect(answer.text).toContain('<div id="app">');
  });

  it('runs its own scripts alone, and takes no style from within', async () => {
    const { headers, text } = await get('/docs/guides/webhooks');
    const policy = String(headers['content-security-policy']);
    expect(Object.fromEntries(policy.split('; ').map((part) => part.split(/ (.*)/).slice(0, 2)))).toEqual({
      'default-src': "'self'",
      'script-src': expect.stringMatching(/^'self'( 'sha256-[\w+/=]{44}')+$/),
      'style-src': "'self'",
      'img-src': "'self' data:",
      'font-src': "'self'",
      'connect-src': "'self'",
      'object-src': "'none'",
      'base-uri': "'none'",
      'form-action': "'self'",
      'frame-ancestors': "'none'",
    });
    expect(text).not.toMatch(/<style|<[^<>]* style="/);
    // Links may lead to other sites, sources may not.
    expect(text).not.toMatch(/\bsrc="(?:https?:)?\/\//);
  });

  it('is sent again only if it has changed', async () => {
    const first = await get('/docs/guides/webhooks');
    const again = await get('/docs/guides/webhooks', { 'if-none-match': String(first.headers.etag) });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('has its Markdown at the same address', async () => {
    for (const path of ['/docs/guides/webhooks.md', '/docs/guides/destinations.md', '/docs/index.md']) {
      const answer = await get(path);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
      expect(answer.text).toMatch(/^# |^---\n/m);
    }
    const { text } = await get('/docs/guides/webhooks');
    expect(text).toContain('rel="alternate" type="text/markdown" href="/docs/guides/webhooks.md"');
  });

  it.each([
    '/docs/nothing',
    '/docs/guides',
    '/docs/static/%00',
    '/docs/..%2fbundle%2fmain.js',
    '/docs/.script-hashes',
  ])('says that %s is not there', async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(answer.text).toContain('<div id="app">');
  });
});

describe('its files', () => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', undefined],
  ])('come to who accepts %s as %s, and stay in the browser', async (accepted, coding) => {
    const parts = partsOf((await get('/docs')).text).filter((address) => address.includes('/assets/'));
    expect(parts.some((address) => address.endsWith('.js'))).toBe(true);
    for (const address of parts) {
      const answer = await fetch(`${server.url}${address}`, { headers: { 'accept-encoding': accepted } });
      expect(answer.status).toBe(200);
      // Fonts are already compressed.
      if (!address.endsWith('.woff2'))
        expect(answer.headers.get('content-encoding') ?? undefined).toBe(coding);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
    }
  });

  // A page in place of a script that no longer exists would break a tab that is open during an update.
  it('are only those that were built', async () => {
    const answer = await get('/docs/assets/app.00000000.js');
    expect([answer.status, answer.body]).toEqual([404, { error: 'Not found', code: 'path_not_found' }]);
  });
});

it('llms.txt lists every page with its Markdown', async () => {
  const { text, headers } = await get('/docs/llms.txt');
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  const links = [...text.matchAll(/^- \[[^\]]+\]\((\S+)\)/gm)].map(([, address = '']) => address);
  expect(links.length).toBeGreaterThan(50);
  expect(new Set(links).size).toBe(links.length);
  for (const address of links) expect([address, (await get(address)).status]).toEqual([address, 200]);
});

it('is whole below a path of BASE_URL', async () => {
  const below = await startServer({ env: { BASE_URL: 'https://example.com/forms' } });
  try {
    const { text } = await get('/docs/guides/webhooks', {}, below);
    const parts = partsOf(text);
    expect(parts.length).toBeGreaterThan(4);
    for (const address of parts) {
      expect(address).toMatch(/^\/forms\/docs\//);
      const part = await get(address.slice('/forms'.length), {}, below);
      expect(part.status).toBe(200);
      expect(part.text).not.toContain('inlet-base-path');
    }
  } finally {
    await below.dispose();
  }
});

describe('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedBrowser();
  });
  afterAll(() => leaveBrowser(browser));

  const search = async (page: Page, words: string): Promise<void> => {
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill(words);
  };

  it('opens, searches without any other server, and goes on to what it found', async () => {
    const { page, errors, origins } = await openPage(browser);
    await page.goto(`${server.url}/docs`);
    await search(page, 'verify webhook php');
    const first = page.getByRole('option').first().getByRole('link');
    await first.waitFor();
    expect(await first.getAttribute('href')).toMatch(/^\/docs\/guides\/webhooks#/);
    await first.click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    expect(errors).toEqual([]);
    expect(origins()).toEqual([server.url]);
  });

  it('is light or dark as the system says, until somebody chooses', async () => {
    const { page } = await openPage(browser);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${server.url}/docs/guides/webhooks`);
    const scheme = () => page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme');
    expect(await scheme()).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(scheme).toBe('dark');
    await page.getByRole('switch', { name: /light theme/ }).click();
    await expect.poll(scheme).toBe('light');
    await page.reload();
    expect(await scheme()).toBe('light');
  });

  it('works over plain HTTP in a network too, where a browser trusts nothing', async () => {
    const { page, errors, origins } = await openPage(browser);
    const origin = `http://${networkName}:${server.port}`;
    await page.goto(`${origin}/docs/guides/webhooks`);
    await search(page, 'backup');
    await page.getByRole('option').first().waitFor();
    expect([errors, origins()]).toEqual([[], [origin]]);
  });
});

/** Accessibility of every dashboard page: axe finds nothing at all, and everything fits a phone. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findingsOn } from '../../support/axe.js';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { client } from '../../support/client.js';
import { cookieName, signedIn, withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { fillInstance, pageNames, type RichInstance } from '../../support/rich-instance.js';
import { type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let server: RunningServer;
let instance: RichInstance;
let open: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: withAdmin })]);
  instance = await fillInstance(server);
  open = await openDashboard(browser, server);
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const desk = { width: 1280, height: 900 };
const handset = { width: 390, height: 844 };

/** Problems of a page in both color schemes and sizes, for the user with this cookie. */
async function faultsAt(path: string, cookie?: string): Promise<readonly string[]> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  if (cookie !== undefined)
    await context.addCookies([{ name: cookieName, value: cookie.split('=')[1] ?? '', url: server.url }]);
  const page = await context.newPage();
  await page.goto(`${server.url}/dashboard${path}`);
  await page.locator('main h1').first().waitFor();
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    for (const viewport of [desk, handset]) {
      await page.setViewportSize(viewport);
      faults.push(...(await findingsOn(page, colorScheme)));
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (width > viewport.width) faults.push(`${width} wide at ${viewport.width}`);
    }
  }
  await context.close();
  return faults;
}

/** Pages before sign-in, opened without a session. */
it.each([
  '/sign-in-asked-for',
  '/setup',
  '/setup#token=some-token',
  '/forgot-password',
  '/reset-password',
  '/reset-password#token=some-token',
  '/accept-invitation#token=some-token',
  '/confirm-email#token=some-token',
])('the entrance %s has no finding of axe either, and fits a phone', async (path) => {
  expect(await faultsAt(path)).toEqual([]);
});

it('the page that asks for a second factor has none either', async () => {
  const { cookie } = await signedIn(server);
  const require = (two_factors_required: boolean) =>
    client(server.url).patch('/api/v1/account', { two_factors_required });
  expect((await require(true)).status).toBe(200);
  try {
    expect(await faultsAt('/', cookie)).toEqual([]);
  } finally {
    await require(false);
  }
});

it.each(['light', 'dark'] as const)('the palette has no serious finding of axe, %s', async (colorScheme) => {
  await open.page.emulateMedia({ colorScheme });
  await open.go('');
  for (const words of ['', 'a', 'zzzqqq']) {
    await open.page.keyboard.press('Control+k');
    await open.page.getByRole('combobox', { name: 'Search and commands' }).fill(words);
    await open.settled();
    expect(await findingsOn(open.page, colorScheme)).toEqual([]);
    await open.page.keyboard.press('Escape');
    await open.page.getByRole('combobox', { name: 'Search and commands' }).waitFor({ state: 'detached' });
  }
});

/** Content that does not fit the width of the window. */
async function cutOnPhone(): Promise<readonly string[]> {
  const [content, window] = await open.page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  // A table in its own frame would be cut off there without making the page wider.
  const tables = await open.page.evaluate<string[]>(
    `[...document.querySelectorAll('main table')]
      .filter((table) => table.getBoundingClientRect().right > document.documentElement.clientWidth)
      .map((table) => table.innerText)`,
  );
  expect(window).toBe(handset.width);
  return content > window ? [`the page, ${content} wide`, ...tables] : tables;
}

/** Each page is loaded once: it follows changes of scheme and size, and a load takes 0.6 s of processor time. */
describe.each(pageNames)('%s', (name) => {
  beforeAll(async () => {
    await open.page.emulateMedia({ colorScheme: 'light' });
    await open.page.setViewportSize(desk);
    await open.go(instance.paths[name] ?? '');
    await open.settled();
  });

  it.each(['light', 'dark'] as const)('has no finding of axe, %s', async (colorScheme) => {
    await open.page.emulateMedia({ colorScheme });
    await open.page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    expect(await findingsOn(open.page, colorScheme)).toEqual([]);
  });

  it('fits a phone: nothing has to be pushed sideways', async () => {
    await open.page.setViewportSize(handset);
    // Charts adapt to the size of their frame a moment later.
    await expect.poll(cutOnPhone).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('has no finding of axe on a phone, %s', async (colorScheme) => {
    await open.page.emulateMedia({ colorScheme });
    await open.page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    expect(await findingsOn(open.page, colorScheme)).toEqual([]);
  });

  it('draws its icons in two sizes with one stroke', async () => {
    const drawn = await open.page.evaluate<string[]>(`[...document.querySelectorAll('.tabler-icon')]
      .filter((icon) => icon.getClientRects().length > 0)
      .map((icon) => getComputedStyle(icon))
      .map(({ width, height, strokeWidth }) => [width, height, strokeWidth].join(' '))`);
    expect(drawn.length).toBeGreaterThan(4);
    const allowed = ['16px 16px 1.6px', '24px 24px 1.6px'];
    expect(drawn.filter((look) => !allowed.includes(look))).toEqual([]);
  });
});

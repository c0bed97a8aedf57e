/** The pages for visitors in a real browser: styled under their policy, in light and dark, at every screen width. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, look, networkName, sharedBrowser } from '../support/chromium.js';
import { type MadeForm, makeForm } from '../support/client.js';
import { type RunningServer, startServer } from '../support/server.js';

let browser: Browser;
let server: RunningServer;
let form: MadeForm;

beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer()]);
  form = await makeForm(server.url, { form: { name: `Contact ${'W'.repeat(60)}` } });
});
afterAll(() => Promise.all([leaveBrowser(browser), server.dispose()]));

/** Opens a success page. `refused` collects violations of the content security policy. */
async function openNotice(
  options: BrowserContextOptions,
  origin = server.url,
): Promise<{ page: Page; refused: string[] }> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) refused.push(message.text());
  });
  await page.goto(`${origin}/f/${form.publicId}/success`, { referer: 'https://example.com/contact' });
  return { page, refused };
}

const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector('${selector}'))['${property}']`);

describe('the card', () => {
  it.each(['light', 'dark'] as const)('is %s as the system is', async (colorScheme) => {
    const { page, refused } = await openNotice({ colorScheme });
    expect(await styleOf(page, 'main', 'backgroundColor')).toBe(
      colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(26, 32, 33)',
    );
    expect(refused).toEqual([]);
    await look(page, `success-${colorScheme}`);
    await page.context().close();
  });

  it('is styled also when it is asked for under another name than the base address', async () => {
    const { page, refused } = await openNotice({}, `http://${networkName}:${server.port}`);
    expect(await styleOf(page, 'main', 'backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(refused).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['320 px wide', 1],
    ['320 px wide with text twice as large', 2],
  ])('fits a screen %s', async (_, scale) => {
    const { page } = await openNotice({ viewport: { width: 320, height: 480 } });
    await page.locator('html').evaluate((root, times) => {
      root.style.fontSize = `${times * 100}%`;
    }, scale);
    expect(await page.locator('html').evaluate((root) => root.scrollWidth)).toBe(320);
    const link = await page.locator('a').boundingBox();
    expect(link?.height).toBeGreaterThanOrEqual(40);
    await page.context().close();
  });

  it('shows where the keyboard is', async () => {
    const { page } = await openNotice({});
    await page.keyboard.press('Tab');
    await page.locator('a:focus').waitFor();
    expect(await styleOf(page, 'a:focus', 'outline')).toContain('solid 3px');
    await page.context().close();
  });

  it('reads as one heading, its text and one link', async () => {
    const { page } = await openNotice({ locale: 'de-AT' });
    expect(await page.locator('main').ariaSnapshot()).toBe(
      [
        '- main:',
        `  - paragraph: Contact ${'W'.repeat(60)}`,
        '  - heading "Vielen Dank" [level=1]',
        '  - paragraph: Ihre Nachricht ist angekommen.',
        '  - link "Zurück zur Seite":',
        '    - /url: https://example.com/contact',
      ].join('\n'),
    );
    await page.context().close();
  });
});

it('shows the look that the owner chose, under its policy', async () => {
  const logo = 'https://cdn.example.com/logo.png';
  const own = await makeForm(server.url, {
    form: { page_title: 'Got it', page_text: 'One\nTwo', page_logo_url: logo, page_color: '#ffcc00' },
  });
  const { page, refused } = await openNotice({});
  // One white pixel.
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=';
  await page.route(logo, (route) =>
    route.fulfill({ contentType: 'image/png', body: Buffer.from(pixel, 'base64') }),
  );
  await page.goto(`${server.url}/f/${own.publicId}/success`, { referer: 'https://example.com/contact' });
  expect(await page.textContent('h1')).toBe('Got it');
  expect(await styleOf(page, 'a', 'backgroundColor')).toBe('rgb(255, 204, 0)');
  expect(await styleOf(page, 'a', 'color')).toBe('rgb(0, 0, 0)');
  await expect.poll(() => page.evaluate('document.images[0].naturalWidth')).toBe(1);
  expect(refused).toEqual([]);
  await look(page, 'success-owner');
  await page.context().close();
});

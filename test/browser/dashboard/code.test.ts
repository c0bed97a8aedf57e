/** Code to copy: highlighted, never cut off, and copied exactly as shown. */
import { readFile } from 'node:fs/promises';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let server: RunningServer;
let open: OpenDashboard;
let form: MadeForm;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: withAdmin })]);
  form = await makeForm(server.url);
  open = await openDashboard(browser, server, { permissions: ['clipboard-read', 'clipboard-write'] });
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

/** Pixels of code beyond the right edge of its frame. */
const hidden = (code: Locator): Promise<number> =>
  code.evaluate((element) => element.scrollWidth - element.clientWidth);

async function isWholeAndColoured(code: Locator, text: string): Promise<void> {
  await code.waitFor();
  expect(await code.locator('pre').textContent()).toBe(text);
  await expect.poll(() => hidden(code)).toBe(0);
  const colours = await code
    .locator('span')
    .evaluateAll((pieces) => [
      ...new Set(pieces.map((piece) => piece.ownerDocument.defaultView?.getComputedStyle(piece).color)),
    ]);
  expect(colours.length).toBeGreaterThan(1);
}

describe.each([390, 1280])('at a width of %i', (width) => {
  beforeAll(() => open.page.setViewportSize({ width, height: 900 }));

  it('every snippet of a form is whole', async () => {
    const { data } = (await client(server.url).get(`/api/v1/forms/${form.formId}/snippets`)).body;
    await open.go(`/forms/${form.formId}/snippets`);
    for (const { title, code } of data) {
      await open.page.getByRole('tab', { name: title, exact: true }).click();
      await isWholeAndColoured(open.page.getByRole('region', { name: `Snippet: ${title}` }), code);
    }
    const copied = await open.copiedBy(open.page.getByRole('button', { name: 'Copy', exact: true }));
    expect(copied).toBe(data.at(-1).code);
  });

  it.each([
    ['the settings of a form', () => `/forms/${form.formId}/settings`],
    ['the settings of a project', () => `/projects/${form.projectId}/settings`],
    ['a webhook destination', () => `/forms/${form.formId}/destinations/new?kind=webhook`],
  ])('the verification code is beside the secret in %s', async (_place, path) => {
    await open.go(path());
    const button = open.page.getByRole('button', { name: 'Verification code' });
    expect(await button.getAttribute('aria-expanded')).toBe('false');
    await button.click();
    for (const [title, ending] of [
      ['Node', 'mjs'],
      ['Python', 'py'],
      ['PHP', 'php'],
      ['Go', 'go'],
      ['Ruby', 'rb'],
    ] as const) {
      await open.page.getByRole('tab', { name: title, exact: true }).click();
      const file = new URL(`../../../web/src/verification/verify.${ending}`, import.meta.url);
      await isWholeAndColoured(
        open.page.getByRole('region', { name: `Verification code: ${title}` }),
        await readFile(file, 'utf8'),
      );
    }
    await button.click();
    await open.page.getByRole('region', { name: /^Verification code/ }).waitFor({ state: 'detached' });
  });
});

it('shows the snippets in one place only', async () => {
  await open.page.setViewportSize({ width: 1280, height: 900 });
  await open.go(`/forms/${form.formId}`);
  await open.page.getByRole('tab', { name: 'Snippets' }).waitFor();
  expect(await open.page.getByRole('main').getByRole('link', { name: 'Snippets' }).count()).toBe(0);
});

/** Contextual help: for a page, a section of settings, an error, and an empty list. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type MadeForm, makeForm } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let server: RunningServer;
let form: MadeForm;
let open: OpenDashboard;
let page: Page;

beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: withAdmin })]);
  form = await makeForm(server.url);
  open = await openDashboard(browser, server);
  page = open.page;
});
afterAll(async () => {
  await open?.close();
  await leaveBrowser(browser);
  await server?.dispose();
});

const linkOf = (name: string | RegExp, within: ReturnType<Page['locator']> = page.locator('main')) =>
  within.getByRole('link', { name, exact: true }).first().getAttribute('href');

describe('help', () => {
  it('explains the current page, and shows the keys', async () => {
    await open.go(`/forms/${form.formId}/fields`);
    await page.getByRole('button', { name: 'Help' }).click();
    const help = page.getByRole('dialog', { name: 'Help' });
    await help.getByText('Fields shows what arrived and the rules').waitFor();
    expect(await linkOf('Fields', help)).toBe('/docs/guides/fields');
    await help.getByText('Next and previous in a list').waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });

    await open.go('/quarantine');
    await page.getByRole('heading', { name: 'Quarantine', level: 1 }).waitFor();
    await page.keyboard.press('?');
    await help.getByText('The quarantine has what looks like spam').waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
  });

  it('leads from a section of settings to the page about it', async () => {
    await open.go(`/forms/${form.formId}/settings`);
    const section = page.getByRole('region', { name: 'Who may submit' });
    await section.getByRole('link', { name: 'Learn more about Who may submit' }).waitFor();
    expect(await linkOf('Learn more about Who may submit', section)).toBe('/docs/guides/allowed-origins');
  });

  it('leads from an empty list to how it is filled', async () => {
    await open.go(`/forms/${form.formId}/destinations`);
    await page.getByRole('link', { name: 'Learn more', exact: true }).waitFor();
    expect(await linkOf('Learn more')).toBe('/docs/guides/destinations/');
  });

  it('leads from an error to its code', async () => {
    await page.goto(`${server.url}/dashboard/forms/00000000-0000-4000-8000-000000000000`);
    await page.getByRole('alert').getByRole('link', { name: 'About this error' }).waitFor();
    expect(await linkOf('About this error')).toBe('/docs/reference/errors#form_not_found');
  });
});

/** From an empty instance to the first received submission, as a new user experiences it. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { client } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { openDashboard } from '../../support/dashboard-pages.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson } from '../../support/visitor.js';
import { startWebsite } from '../../support/website.js';

let browser: Browser;
let server: RunningServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: withAdmin })]);
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

it('makes a project and a form, and turns green when the first submission comes', async () => {
  const { page, faults, go, close } = await openDashboard(browser, server);
  await go('/inbox');
  await page.getByRole('link', { name: 'Create your first form' }).click();
  await page.getByRole('heading', { name: 'Your first form' }).waitFor();
  await go('');
  await page.getByRole('heading', { name: 'Your first form' }).waitFor();
  await page.getByRole('textbox', { name: 'Name a project' }).fill('Bakery');
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('textbox', { name: 'Name a form' }).fill('Orders');
  await page.keyboard.press('Enter');
  await page.getByText('Waiting for your first submission…').waitFor();
  const snippet = page.getByRole('region', { name: 'Snippet: HTML' });
  const code = (await snippet.innerText()).trim();
  const api = client(server.url);
  const [project] = (await api.get('/api/v1/projects')).body.data;
  const [form] = (await api.get(`/api/v1/projects/${project.id}/forms`)).body.data;
  expect([project.name, form.name]).toEqual(['Bakery', 'Orders']);
  expect(code).toContain(`action="${form.endpoint}"`);

  // The button does not cover the code at any width.
  for (const width of [390, 760, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const isClear = async () => {
      const [text, button] = await Promise.all([
        snippet.boundingBox(),
        page.getByRole('button', { name: 'Copy', exact: true }).boundingBox(),
      ]);
      if (text === null || button === null) return 'not shown';
      return button.x >= text.x + text.width || button.y + button.height <= text.y;
    };
    await expect.poll(isClear, { message: `${width} px wide` }).toBe(true);
  }

  // The code exactly as shown, on a page on the user's own machine.
  const website = await startWebsite({ '/': code });
  const visitor = await browser.newPage();
  const order = async (words: string): Promise<void> => {
    await visitor.goto(website.origin);
    for (const name of ['name', 'message']) await visitor.fill(`[name=${name}]`, words);
    await visitor.fill('[name=email]', 'visitor@example.com');
    await visitor.click('button');
    await visitor.locator('[data-inlet-status=success]').waitFor();
  };
  await order('Two loaves');
  await page.getByText('Your first submission has arrived').waitFor();
  // All three steps are ticked.
  await expect.poll(() => page.getByLabel('Done', { exact: true }).count()).toBe(3);
  // The second submission is counted as well.
  await order('A cake');
  await page.getByRole('navigation').getByTitle('2 unread').last().waitFor();
  await page.getByRole('link', { name: 'See it' }).click();
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
  await page.getByText('visitor@example.com').filter({ visible: true }).first().waitFor();
  expect(await faults()).toEqual([]);
  await Promise.all([close(), visitor.close(), website.close()]);
});

it('sends one itself when there is no page yet', async () => {
  const api = client(server.url);
  const [project] = (await api.get('/api/v1/projects')).body.data;
  const { page, go, close } = await openDashboard(browser, server);
  await go(`/first-run?project=${project.id}`);
  await page.getByRole('textbox', { name: 'Name a form' }).fill('Second');
  await page.getByRole('button', { name: 'Create form' }).click();
  await page.getByRole('button', { name: 'Send one for me' }).click();
  await page.getByText('Your first submission has arrived').waitFor();
  await close();
});

it('tells who waits that the first submission came and was not let through, and why', async () => {
  const api = client(server.url);
  const [project] = (await api.get('/api/v1/projects')).body.data;
  const { page, go, close } = await openDashboard(browser, server);
  await go(`/first-run?project=${project.id}`);
  await page.getByRole('textbox', { name: 'Name a form' }).fill('Third');
  await page.getByRole('button', { name: 'Create form' }).click();
  await page.getByText('Waiting for your first submission…').waitFor();
  const forms = (await api.get(`/api/v1/projects/${project.id}/forms`)).body.data;
  const form = forms.find(({ name }: { name: string }) => name === 'Third');
  await api.patch(`/api/v1/forms/${form.id}`, { validation_mode: 'live', allowed_origins: ['example.com'] });
  await postJson(form.endpoint, { name: 'Ada' }, { origin: 'https://example.org' });
  await page.getByText('One arrived, but was rejected: Origin not allowed', { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'See why' }).getAttribute('href')).toContain(
    `/forms/${form.id}/rejections`,
  );
  await postJson(form.endpoint, { name: 'Ada', _gotcha: 'x' }, { origin: 'https://example.com' });
  await page.getByText('One arrived, but went to quarantine', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Open quarantine' }).click();
  await page.getByRole('tab', { name: 'Quarantine', selected: true }).waitFor();
  await close();
});

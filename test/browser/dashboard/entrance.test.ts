/** Ways into and out of the dashboard. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { client } from '../../support/client.js';
import { admin, behindProxy, withAdmin } from '../../support/dashboard.js';
import { watched } from '../../support/dashboard-pages.js';
import { type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let fresh: RunningServer;
let server: RunningServer;
beforeAll(async () => {
  [browser, fresh, server] = await Promise.all([
    sharedBrowser(),
    startServer(),
    startServer({ env: { ...withAdmin, ...behindProxy } }),
  ]);
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), fresh.dispose(), server.dispose()]);
});

const setupLink = (): string => {
  const [link] = /http:\/\/\S+\/dashboard\/setup#token=[\w-]+/.exec(fresh.output()) ?? [];
  if (link === undefined) throw new Error(`no set-up link in ${fresh.output()}`);
  return link;
};

it('begins with the link that the first start printed, which works once', async () => {
  const page = await browser.newPage();
  const faults = await watched(page);
  await page.goto(`${fresh.url}/`);
  await page.getByRole('heading', { name: 'Finish setting up Inlet' }).waitFor();
  await page.goto(`${fresh.url}/dashboard/setup`);
  await page.getByRole('heading', { name: 'The link is incomplete' }).waitFor();
  // Pasted into the address bar of the open page: the browser loads nothing.
  await page.goto(setupLink());
  await page.getByRole('heading', { name: 'Set up Inlet' }).waitFor();
  await expect.poll(() => page.url(), { message: 'the token stays in no history' }).not.toContain('token');
  await page.reload();
  await page.getByRole('heading', { name: 'Set up Inlet' }).waitFor();
  await page.getByLabel('E-mail address').fill('grace@example.com');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('At least 10 characters', { exact: true }).waitFor();
  await page.getByLabel('Password', { exact: true }).fill('long enough now');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Your first form' }).waitFor();
  const kept = await page.evaluate<string>('JSON.stringify(sessionStorage)');
  expect(kept, 'the token was used').not.toContain(setupLink().split('=')[1]);
  expect((await client(fresh.url).get('/api/v1/users')).body.data).toMatchObject([
    { email: 'grace@example.com' },
  ]);
  const another = await (await browser.newContext()).newPage();
  await another.goto(setupLink());
  await another.getByRole('heading', { name: 'Already set up' }).waitFor();
  expect(await faults()).toEqual([]);
  await another.context().close();
  await page.close();
});

describe('signing in', () => {
  const open = async (path: string) => {
    const page = await (await browser.newContext()).newPage();
    const faults = await watched(page);
    await page.goto(`${server.url}${path}`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    return { page, faults };
  };

  it('says that it was wrong, leads to the page that was asked for, and ends when one signs out', async () => {
    const { page, faults } = await open('/dashboard/api-keys');
    await page.getByLabel('E-mail address').fill(admin.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Invalid e-mail address or password').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/api-keys');
    await page.reload();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    const cookies = await page.context().cookies();
    await page.getByRole('button', { name: /^Account / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // The session ends on the server, too: the old cookie no longer works.
    await page.context().addCookies(cookies);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await faults()).toEqual([]);
    await page.context().close();
  });

  it('says that it takes a while when it does, and goes on by itself', async () => {
    const { page, faults } = await open('/dashboard/api-keys');
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route('**/api/v1/session', async (route) => {
      if (route.request().method() === 'POST') await held;
      await route.continue();
    });
    await page.getByLabel('E-mail address').fill(admin.email);
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Still signing in.').waitFor();
    goOn();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    expect(await faults()).toEqual([]);
    await page.context().close();
  });

  it('is refused for a while after a few wrong tries, and says for how long', async () => {
    const { page } = await open('/dashboard');
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.77' });
    await page.getByLabel('E-mail address').fill('nobody@example.com');
    for (let tries = 0; tries < 6; tries += 1) {
      await page.getByLabel('Password', { exact: true }).fill(`wrong password ${tries}`);
      await Promise.all([
        page.waitForResponse((answer) => answer.request().method() === 'POST'),
        page.getByRole('button', { name: 'Sign in' }).click(),
      ]);
    }
    await page.getByText(/^Too many attempts\. Try again in \d+ seconds\.$/).waitFor();
    await page.context().close();
  });
});

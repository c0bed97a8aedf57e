/** An owner connects an identity provider, and a user signs in with it. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { client } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import {
  clientId,
  clientSecret,
  type RealProvider,
  startRealProvider,
} from '../../support/identity-provider.js';
import { type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let server: RunningServer;
let provider: RealProvider;
let open: OpenDashboard;

beforeAll(async () => {
  browser = await sharedBrowser();
  server = await startServer({ env: withAdmin });
  provider = await startRealProvider();
  open = await openDashboard(browser, server);
});
afterAll(async () => {
  await open.close();
  await leaveBrowser(browser);
  await server.dispose();
  await provider.close();
});

const press = (name: string) => open.page.getByRole('button', { name, exact: true }).click();

it('an owner adds a provider, copies the redirect URI and tests it', async () => {
  await open.go('/users');
  await open.page.getByRole('link', { name: 'Single sign-on', exact: true }).click();
  await open.says('No identity provider yet');
  await press('Add provider');
  const dialog = open.page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Acme');
  await dialog.getByLabel('Issuer URL', { exact: true }).fill('acme');
  await dialog.getByLabel('Client ID', { exact: true }).fill(clientId);
  await dialog.getByLabel('Client secret', { exact: true }).fill(clientSecret);
  await press('Save provider');
  // The error is shown at its input.
  await dialog
    .getByLabel('Issuer URL', { exact: true })
    .and(open.page.locator('[aria-invalid=true]'))
    .waitFor();
  await dialog.getByLabel('Issuer URL', { exact: true }).fill(provider.issuer);
  await press('Save provider');
  await open.says('The provider was saved');
  await press('Edit Acme');
  const [made] = (await client(server.url).get('/api/v1/identity-providers')).body.data;
  await open.page.getByRole('dialog').getByText(made.callback_url).waitFor();
  provider.allow(made.callback_url);
  await press('Cancel');
  await press('Test Acme');
  await open.says('The provider was found and can be used');
  expect(await open.faults()).toEqual([]);
});

it('somebody signs in with it, without a password, and signs out there too', async () => {
  provider.people.grace = { email: 'grace@acme.example', email_verified: true };
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}/dashboard/users`);
  await page.getByRole('link', { name: 'Continue with Acme', exact: true }).click();
  await page.getByLabel('Name').fill('grace');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Users', exact: true, level: 1 }).waitFor();
  await page.getByText('grace@acme.example', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: /^Account / }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.waitForURL((url) => url.origin === provider.issuer);
  await page.goto(`${server.url}/dashboard/`);
  await page.getByRole('link', { name: 'Continue with Acme', exact: true }).waitFor();
  await context.close();
});

it('shows that the user declined at the provider', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}/dashboard/`);
  await page.getByRole('link', { name: 'Continue with Acme', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('You were not signed in: the sign-in was cancelled at the provider.').waitFor();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  await context.close();
});

/** An owner requires two factors: a member with only a password sets one up before seeing anything else. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { behindProxy, madePerson, nextAddress, signedIn, withAdmin } from '../../support/dashboard.js';
import { watched } from '../../support/dashboard-pages.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { codeOf } from '../../support/sign-in.js';

let browser: Browser;
let server: RunningServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([
    sharedBrowser(),
    startServer({ env: { ...withAdmin, ...behindProxy } }),
  ]);
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

async function openAs(person: { email: string; password: string }, path: string) {
  const { cookie } = await signedIn(server, person);
  const [name = '', value = ''] = cookie.split('=');
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'x-forwarded-for': nextAddress() },
  });
  await context.addCookies([{ name, value, url: server.url }]);
  const page = await context.newPage();
  const faults = await watched(page);
  await page.goto(`${server.url}/dashboard${path}`);
  return {
    page,
    close: async () => {
      expect(await faults()).toEqual([]);
      await context.close();
    },
  };
}

it('shows recovery codes, then the dashboard', async () => {
  const [owner, member] = [await madePerson(server, apiKey), await madePerson(server, apiKey)];
  // The owner has an authenticator app, so the requirement does not affect them.
  const person = await signedIn(server, owner);
  const { secret } = (await person.ask('POST', '/session/totp', { current_password: owner.password })).body;
  const first = await openAs(owner, '/users');
  await person.ask('PUT', '/session/totp', { code: codeOf(secret) });
  await first.page.getByRole('switch', { name: 'Require two factors' }).click();
  await first.page.getByText('Two factors are required now').waitFor();
  await first.close();

  const { page, close } = await openAs(member, '/users');
  await page.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor();
  const goOn = page.getByRole('button', { name: 'Go to the dashboard' });
  expect(await goOn.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Current password').fill(member.password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const key = await dialog.getByLabel('Key', { exact: true }).innerText();
  await dialog.getByLabel('Code from the app').fill(codeOf(key.trim()));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  await goOn.click();
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  await close();
});

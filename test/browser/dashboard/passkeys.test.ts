/** Passkeys, with Chromium's virtual authenticator. Browsers support them only on a domain, so the server is localhost here. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { behindProxy, madePerson, nextAddress, send, withAdmin } from '../../support/dashboard.js';
import { watched } from '../../support/dashboard-pages.js';
import { apiKey, freePort, type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let server: RunningServer;
let base: string;
beforeAll(async () => {
  const port = await freePort();
  base = `http://localhost:${port}`;
  [browser, server] = await Promise.all([
    sharedBrowser(),
    startServer({ port, env: { ...withAdmin, ...behindProxy, BASE_URL: base } }),
  ]);
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

/** A browser whose authenticator confirms at once, without a prompt, that the user was verified. */
async function visitor() {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'x-forwarded-for': nextAddress() },
  });
  const page = await context.newPage();
  const faults = await watched(page);
  const device = await context.newCDPSession(page);
  await device.send('WebAuthn.enable');
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${base}/dashboard/your-account`);
  return {
    page,
    close: async () => {
      expect(await faults()).toEqual([]);
      await context.close();
    },
  };
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** A signed-in user with a passkey on this device. */
async function withPasskey(person: { email: string; password: string }) {
  const them = await visitor();
  const { page } = them;
  await fillSignIn(page, person.email, person.password);
  await heading(page, 'Your account');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name of the passkey').fill('My laptop');
  await dialog.getByLabel('Current password').fill(person.password);
  await dialog.getByRole('button', { name: 'Add a passkey' }).click();
  const codes = await dialog.getByRole('region', { name: 'Recovery codes' }).innerText();
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: 'My laptop' }).getByText('Never used').waitFor();
  return { ...them, codes: codes.trim().split(/\s+/) };
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account Default' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

it('a passkey signs in alone', async () => {
  const person = await madePerson(server, apiKey);
  const { page, close } = await withPasskey(person);
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('button', { name: 'Account Default' }).click();
  await page.getByText(`Signed in as ${person.email}`).waitFor();
  await close();
});

it('a passkey is a second factor, beside recovery codes; it is renamed and removed', async () => {
  const person = await madePerson(server, apiKey);
  const { page, codes, close } = await withPasskey(person);
  await signOut(page);
  await fillSignIn(page, person.email, person.password);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await heading(page, 'Your account');
  const elsewhere = await visitor();
  await fillSignIn(elsewhere.page, person.email, person.password);
  await elsewhere.page.getByLabel('Recovery code').fill(codes[0] ?? '');
  await elsewhere.page.getByRole('button', { name: 'Continue' }).click();
  await heading(elsewhere.page, 'Your account');
  await elsewhere.close();

  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Rename My laptop' }).click();
  await dialog.getByLabel('Name of the passkey').fill('Old laptop');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove Old laptop' }).click();
  await dialog.getByLabel('Current password').fill(person.password);
  await dialog.getByRole('button', { name: 'Remove the passkey' }).click();
  await page.getByText('The passkey was removed').waitFor();
  await page.getByRole('row').filter({ hasText: 'Old laptop' }).waitFor({ state: 'detached' });
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('alert').getByText('This passkey was not accepted').waitFor();
  await fillSignIn(page, person.email, person.password);
  await heading(page, 'Your account');
  await close();
});

it('an answer counts once, and only for the challenge it was made for', async () => {
  const person = await madePerson(server, apiKey);
  const { page, close } = await withPasskey(person);
  await signOut(page);
  const sent = page.waitForRequest((request) => request.url().endsWith('/api/v1/session/passkey'));
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  const answer = (await sent).postDataJSON();
  await heading(page, 'Your account');
  const again = (body: unknown) =>
    send(server.url, 'POST', '/session/passkey', { 'x-forwarded-for': nextAddress() }, body);
  const used = await again(answer);
  expect([used.status, used.body.code]).toEqual([401, 'sign_in_expired']);
  const { token } = (await send(server.url, 'POST', '/session/passkey/challenge')).body;
  const other = await again({ ...answer, token });
  expect([other.status, other.body.code]).toEqual([403, 'wrong_passkey']);
  const unknown = (await send(server.url, 'POST', '/session/passkey/challenge')).body.token;
  const unknownPasskey = await again({ ...answer, token: unknown, id: 'AAAA' });
  expect([unknownPasskey.status, unknownPasskey.body.code]).toEqual([403, 'wrong_passkey']);
  await close();
});

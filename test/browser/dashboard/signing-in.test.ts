/** Signing in beyond a password: invitations, password reset, two factors, another e-mail address. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { behindProxy, madePerson, nextAddress, withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard, watched } from '../../support/dashboard-pages.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { codeOf, mailing, mailsAbout } from '../../support/sign-in.js';

let browser: Browser;
let server: RunningServer;
let mails: MailServer;
let open: OpenDashboard;
beforeAll(async () => {
  mails = await startMailServer();
  [browser, server] = await Promise.all([
    sharedBrowser(),
    startServer({ env: { ...withAdmin, ...behindProxy, ...mailing(mails) } }),
  ]);
  open = await openDashboard(browser, server);
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
  await mails.close();
});

/** Another user's browser, with its own IP address. */
async function elsewhere(url: string) {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'x-forwarded-for': nextAddress() },
  });
  const page = await context.newPage();
  const faults = await watched(page);
  await page.goto(url);
  return {
    page,
    close: async () => {
      expect(await faults()).toEqual([]);
      await context.close();
    },
  };
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const linkIn = (text: string | undefined): string => {
  const [link] = /http:\S+#token=[\w-]+/.exec(text ?? '') ?? [];
  if (link === undefined) throw new Error(`no link in ${text}`);
  return link;
};

async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function invited(email: string): Promise<string> {
  const { page } = open;
  const dialog = page.getByRole('dialog');
  await open.go('/users');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await dialog.getByLabel('E-mail address').fill(email);
  await dialog.getByLabel('Role').selectOption('viewer');
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  await dialog.getByText('A mail with the link is on its way').waitFor();
  const link = await dialog.getByRole('region', { name: 'Invitation link' }).innerText();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  return link.trim();
}

describe('an invitation', () => {
  it('is shown once, mailed, and accepted with a new password', async () => {
    const email = 'new@example.com';
    const link = await invited(email);
    const [mail] = await mailsAbout(mails, email, 'You are invited to Default');
    expect(linkIn(mail?.text)).toBe(link);
    const row = open.page.getByRole('row').filter({ hasText: email });
    await row.getByText('Viewer').waitFor();
    const them = await elsewhere(link);
    await heading(them.page, 'Accept the invitation');
    await expect.poll(() => them.page.url(), { message: 'in no history' }).not.toContain('token');
    await them.page.getByText('You are invited to Default as new@example.com.').waitFor();
    await them.page.getByLabel('Choose a password').fill('short');
    await them.page.getByRole('button', { name: 'Accept and sign in' }).click();
    await them.page.getByText('At least 10 characters', { exact: true }).waitFor();
    await them.page.getByLabel('Choose a password').fill('chosen by myself');
    await them.page.getByRole('button', { name: 'Accept and sign in' }).click();
    await them.page.getByRole('button', { name: 'Account Default' }).waitFor();
    await them.close();
    const late = await elsewhere(link);
    await late.page.getByText('This invitation is not valid any more').waitFor();
    await late.close();
  });

  it('is shown to a session of another address, and accepted by a login that signs in', async () => {
    const account = await makeAccount(server, 'pro', 'Elsewhere');
    const known = await madePerson(server, account.api_key);
    const other = await madePerson(server, apiKey);
    const link = await invited(known.email);
    const them = await elsewhere(`${server.url}/dashboard/your-account`);
    await fillSignIn(them.page, other.email, other.password);
    await heading(them.page, 'Your account');
    await them.page.goto(link);
    await them.page.getByText(`You are signed in as ${other.email}`).waitFor();
    await them.page.getByRole('button', { name: 'Sign out' }).click();
    await them.page.getByRole('button', { name: 'I already have a login with this address' }).click();
    await fillSignIn(them.page, known.email, known.password);
    await them.page.getByRole('button', { name: 'Accept', exact: true }).click();
    await them.page.getByRole('button', { name: 'Account Default' }).waitFor();
    await them.close();
  });

  it('names the account, which an owner renames', async () => {
    const { page } = open;
    await open.go('/users');
    const name = page.getByRole('region', { name: 'Account', exact: true }).getByLabel('Name');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    expect(await save.isDisabled()).toBe(true);
    await name.fill(' ');
    await save.click();
    await page.getByText('Give it a name').waitFor();
    await name.fill('Our websites');
    await save.click();
    await open.says('The account was renamed');
    await page.getByRole('button', { name: 'Account Our websites' }).waitFor();
    const them = await elsewhere(await invited('named@example.com'));
    await them.page.getByText('You are invited to Our websites as named@example.com.').waitFor();
    await them.close();
    await name.fill('Default');
    await save.click();
    await page.getByRole('button', { name: 'Account Default' }).waitFor();
  });

  it('is revoked', async () => {
    const link = await invited('unwanted@example.com');
    const row = open.page.getByRole('row').filter({ hasText: 'unwanted@example.com' });
    await row.getByRole('button', { name: 'Revoke the invitation to unwanted@example.com' }).click();
    await open.says('The invitation was revoked');
    await row.waitFor({ state: 'detached' });
    const them = await elsewhere(link);
    await heading(them.page, 'This invitation cannot be used');
    await them.close();
  });
});

it('a forgotten password is set anew with a link by mail', async () => {
  const { email } = await madePerson(server, apiKey);
  const them = await elsewhere(`${server.url}/dashboard/`);
  await them.page.getByRole('link', { name: 'Forgot your password?' }).click();
  await heading(them.page, 'Forgot your password?');
  await them.page.getByLabel('E-mail address').fill(email);
  await them.page.getByRole('button', { name: 'Send the link' }).click();
  await heading(them.page, 'Check your e-mail');
  const [mail] = await mailsAbout(mails, email, 'Set a new password');
  await them.page.goto(linkIn(mail?.text));
  await heading(them.page, 'Set a new password');
  await them.page.getByLabel('New password').fill('remembered this time');
  await them.page.getByRole('button', { name: 'Set password' }).click();
  await heading(them.page, 'Your password was changed');
  await them.page.getByRole('link', { name: 'Sign in' }).click();
  await fillSignIn(them.page, email, 'remembered this time');
  await them.page.getByRole('button', { name: 'Account Default' }).waitFor();
  await them.page.goto(linkIn(mail?.text));
  await them.page.getByLabel('New password').fill('once more, please');
  await them.page.getByRole('button', { name: 'Set password' }).click();
  await them.page.getByRole('alert').getByText('This link is not valid any more').waitFor();
  await them.close();
});

it('two factors are set up, asked for, replaced by a recovery code, and removed', async () => {
  const { email, password } = await madePerson(server, apiKey);
  const them = await elsewhere(`${server.url}/dashboard/your-account`);
  const { page } = them;
  await fillSignIn(page, email, password);
  await heading(page, 'Your account');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  await dialog.getByLabel('Current password').fill('not my password');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('The current password is wrong').waitFor();
  await dialog.getByLabel('Current password').fill(password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  const secret = await dialog.getByLabel('Key', { exact: true }).innerText();
  await dialog.getByLabel('Code from the app').fill('000000');
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await dialog.getByText('The code is wrong or was used before').waitFor();
  await dialog.getByLabel('Code from the app').fill(codeOf(secret));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const codes = await dialog.getByRole('region', { name: 'Recovery codes' }).innerText();
  const [recovery = ''] = codes.trim().split(/\s+/);
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('10 recovery codes left').waitFor();

  const again = await elsewhere(`${server.url}/dashboard/your-account`);
  await fillSignIn(again.page, email, password);
  await again.page.getByLabel('Code', { exact: true }).fill('000000');
  await again.page.getByRole('button', { name: 'Continue' }).click();
  await again.page.getByText('The code is wrong or was used before').waitFor();
  await again.page.getByRole('button', { name: 'Use a recovery code' }).click();
  await again.page.getByLabel('Recovery code').fill(recovery);
  await again.page.getByRole('button', { name: 'Continue' }).click();
  await again.page.getByText('9 recovery codes left').waitFor();
  await again.page.getByRole('button', { name: 'Remove the app' }).click();
  await again.page.getByRole('dialog').getByLabel('Current password').fill(password);
  await again.page.getByRole('dialog').getByRole('button', { name: 'Remove the app' }).click();
  await again.page.getByText('The authenticator app was removed').waitFor();
  await again.page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor();
  await again.close();
  await them.close();
});

it('sessions are listed and ended', async () => {
  const { email, password } = await madePerson(server, apiKey);
  const [here, there] = await Promise.all([
    elsewhere(`${server.url}/dashboard/your-account`),
    elsewhere(`${server.url}/dashboard/your-account`),
  ]);
  for (const { page } of [there, here]) {
    await fillSignIn(page, email, password);
    await heading(page, 'Your account');
  }
  const list = here.page.getByRole('region', { name: 'Where you are signed in' });
  await list.getByText('This browser').waitFor();
  await list.getByRole('button', { name: /^Sign out Chrome/ }).click();
  await here.page.getByText('The session was ended').waitFor();
  await list.getByRole('button', { name: /^Sign out Chrome/ }).waitFor({ state: 'detached' });
  await there.page.reload();
  await there.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await fillSignIn(there.page, email, password);
  await heading(there.page, 'Your account');
  await here.page.reload();
  await list.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await here.page.getByText('You are signed out everywhere else').waitFor();
  await there.page.reload();
  await there.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await Promise.all([here.close(), there.close()]);
});

it('another address counts once its link was opened', async () => {
  const { email, password } = await madePerson(server, apiKey);
  const them = await elsewhere(`${server.url}/dashboard/your-account`);
  await fillSignIn(them.page, email, password);
  const form = them.page.getByRole('region', { name: 'E-mail address' });
  await form.getByLabel('New e-mail address').fill('moved@example.com');
  await form.getByLabel('Current password').fill(password);
  await form.getByRole('button', { name: 'Change address' }).click();
  await them.page.getByText('A link is on its way to moved@example.com').waitFor();
  const [mail] = await mailsAbout(mails, 'moved@example.com', 'Confirm your new e-mail address');
  await them.page.goto(linkIn(mail?.text));
  await them.page.getByRole('button', { name: 'Confirm' }).click();
  await heading(them.page, 'Your address was changed');
  await them.page.getByRole('link', { name: 'Go to the dashboard' }).click();
  await them.page.getByRole('button', { name: 'Account Default' }).click();
  await them.page.getByText('Signed in as moved@example.com').waitFor();
  await them.close();
});

it('without a mail server, the page says what the operator can do', async () => {
  const plain = await startServer({ env: { ...withAdmin, ...behindProxy } });
  try {
    const them = await elsewhere(`${plain.url}/dashboard/`);
    await them.page.getByText('inlet users reset-password').waitFor();
    expect(await them.page.getByRole('link', { name: 'Forgot your password?' }).count()).toBe(0);
    await them.page.goto(`${plain.url}/dashboard/forgot-password`);
    await heading(them.page, 'This instance can’t send e-mail');
    await them.close();
  } finally {
    await plain.dispose();
  }
});

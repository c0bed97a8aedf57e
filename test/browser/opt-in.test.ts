/** From the form to the inbox through the link in the mail, in a real browser, without scripts. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, look, sharedBrowser } from '../support/chromium.js';
import { client } from '../support/client.js';
import { withAdmin } from '../support/dashboard.js';
import { openDashboard } from '../support/dashboard-pages.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import {
  asked,
  confirm,
  confirmationOf,
  idsIn,
  linkFor,
  mailing,
  mailsTo,
  makeOptInForm,
} from '../support/opt-in.js';
import { type RunningServer, startServer } from '../support/server.js';

let browser: Browser;
let server: RunningServer;
let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer();
  [browser, server] = await Promise.all([
    sharedBrowser(),
    startServer({ env: { ...withAdmin, ...mailing(mails) } }),
  ]);
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), server.dispose()]);
  await mails.close();
});

it.each([
  ['light', 1280, 'en-US', 'Confirm', 'Please check your e-mail', 'Confirmed', 'Already confirmed'],
  ['dark', 390, 'de-DE', 'Bestätigen', 'Bitte sehen Sie in Ihr Postfach', 'Bestätigt', 'Bereits bestätigt'],
] as const)(
  'a visitor confirms (%s, %i px, %s)',
  async (colorScheme, width, locale, button, onItsWay, done, already) => {
    const form = await makeOptInForm(server.url, {
      hosted_page: true,
      fields: [{ name: 'email', type: 'email', label: 'E-mail', required: true }],
      page_color: colorScheme === 'dark' ? '#ffcc00' : null,
    });
    const address = `${colorScheme}@example.org`;
    const context = await browser.newContext({
      ...{ colorScheme, locale, javaScriptEnabled: false },
      viewport: { width, height: 900 },
    });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
    });
    await page.goto(form.endpoint);
    await page.getByLabel('E-mail').fill(address);
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: onItsWay }).waitFor();
    await look(page, `opt-in-sent-${colorScheme}`);
    const link = await linkFor(mails, address);
    const [mail] = await mailsTo(mails, address);
    const reader = await context.newPage();
    await reader.setContent(mail?.parsed.html ?? '');
    await look(reader, `opt-in-mail-${colorScheme}`);
    expect(await reader.getByRole('link').getAttribute('href')).toBe(link);
    await page.goto(link);
    await look(page, `opt-in-waiting-${colorScheme}`);
    expect(await idsIn(client(server.url), `/api/v1/forms/${form.formId}/submissions`)).toEqual([]);
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('heading', { name: done, exact: true }).waitFor();
    await look(page, `opt-in-confirmed-${colorScheme}`);
    const [id = ''] = await idsIn(client(server.url), `/api/v1/forms/${form.formId}/submissions`);
    expect((await confirmationOf(server.url, id)).user_agent).toContain('Mozilla');
    await page.goto(link);
    await page.getByRole('heading', { name: already, exact: true }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  },
);

it('tells the owner who has not confirmed yet, and who has, when and from where', async () => {
  const form = await makeOptInForm(server.url);
  const { id, link } = await asked(form, mails, 'owner-looks@example.org');
  const open = await openDashboard(browser, server);
  await open.go(`/submissions/${id}`);
  await open.page.getByText('Not confirmed yet', { exact: true }).waitFor();
  await open.page
    .getByText('It is counted and sent on when owner-looks@example.org confirms the link in the mail.')
    .waitFor();
  await confirm(link);
  await open.go(`/submissions/${id}`);
  await open.page.getByText('owner-looks@example.org confirmed the link in the mail').waitFor();
  const { ip } = await confirmationOf(server.url, id);
  const confirmed = open.page.locator('.mantine-Timeline-item').filter({ hasText: 'confirmed the link' });
  await confirmed.getByText('Confirmed', { exact: true }).waitFor();
  await confirmed.getByText(`from ${ip}`).waitFor();
  expect(await open.faults()).toEqual([]);
});

/** An address that bounced: from the mail server to the page that lists it, and unsuppressed again. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { client, makeForm } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { answer, type MailServer, startMailServer } from '../../support/mail-server.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { becomes, deliveriesOf, submit } from '../../support/webhooks.js';

const gone = 'gone@example.org';

let mails: MailServer;
let browser: Browser;
let server: RunningServer;
let open: OpenDashboard;
beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo: ({ address }, _session, callback) =>
      callback(address === gone ? answer(550, '5.1.1 No such user here') : null),
  });
  const env = { ...withAdmin, SMTP_URL: mails.url, MAIL_FROM: 'inlet@forms.example.com' };
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env })]);
  open = await openDashboard(browser, server);
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
  await mails.close();
});

it('lists an address that bounced with what the mail server said, and sends to it again', async () => {
  await open.go('/suppressed-addresses');
  await open.page.getByText('No address is suppressed', { exact: true }).waitFor();
  const autoresponder = { field: 'email', subject: 'Thanks', text: 'We write back.' };
  const form = await makeForm(server.url, { form: { autoresponder } });
  const id = await submit(form.endpoint, { email: gone });
  await becomes(
    () => deliveriesOf(client(server.url), id),
    (all) => all.length > 0 && all.every(({ state }) => state === 'suppressed'),
  );
  await open.go(`/forms/${form.formId}/settings`);
  await open.page.getByRole('link', { name: 'suppressed addresses', exact: true }).click();
  await open.page.getByRole('heading', { name: 'Suppressed addresses', level: 1 }).waitFor();
  const row = open.page.getByRole('row').filter({ hasText: gone });
  for (const words of ['Bounced', 'All e-mail']) await row.getByText(words, { exact: true }).waitFor();
  await row.getByText('5.1.1 No such user here').waitFor();
  await row.getByRole('button', { name: `Send again to ${gone}` }).click();
  await open.says(`${gone} gets e-mail again`);
  await open.page.getByText('No address is suppressed', { exact: true }).waitFor();
  expect((await client(server.url).get('/api/v1/suppressed-addresses')).body.data).toEqual([]);
});

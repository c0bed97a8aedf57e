/** Mails that owners write: templates with placeholders, the preview beside them, a test mail to oneself, and what was not sent. */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, makeForm, submitJson } from '../../support/client.js';
import { admin, withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { becomes } from '../../support/webhooks.js';

let mails: MailServer;
let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
beforeAll(async () => {
  mails = await startMailServer();
  const env = { ...withAdmin, SMTP_URL: mails.url, MAIL_FROM: 'Inlet <inlet@forms.example.com>' };
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env })]);
  api = client(server.url);
});
// Unsaved changes at the end of a test must not block the next test's page.
beforeEach(async () => {
  open = await openDashboard(browser, server);
});
afterEach(async () => {
  expect(await open.faults()).toEqual([]);
  await open.close();
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), server.dispose()]);
  await mails.close();
});

const section = (title: string) => open.page.getByRole('region', { name: title, exact: true });
const input = (within: Locator, name: string) => within.getByRole('textbox', { name, exact: true });
/** Limited to inputs and selects: a list of options has the same label. */
const field = (label: string) =>
  open.page.getByLabel(label, { exact: true }).and(open.page.locator('input, select'));
const preview = (within: Locator) => within.getByRole('group', { name: 'Preview', exact: true });
const frame = (within: Locator) => within.frameLocator('iframe');
const look = (within: Locator, name: string) => preview(within).getByText(name, { exact: true }).click();

/** Waits for visible text in the mail. Its first words are also in the hidden preheader. */
const shows = (within: Locator, text: string) =>
  frame(within).getByText(text, { exact: true }).filter({ visible: true }).waitFor();

describe('the automatic reply', () => {
  it('is shown as it is written, on a submission that is chosen', async () => {
    const form = await makeForm(server.url);
    for (const name of ['Ada', 'Grace <b>'])
      await submitJson(form.endpoint, { name, email: `${name.slice(0, 3)}@visitor.example` });
    await open.go(`/forms/${form.formId}/settings`);
    const reply = section('Automatic reply');
    await reply.getByLabel('Reply to visitors automatically').click();
    await input(reply, 'Subject').fill('Thanks, ');
    await reply.getByRole('button', { name: 'Insert fields.name' }).click();
    expect(await input(reply, 'Subject').inputValue()).toBe('Thanks, {{fields.name}}');
    await input(reply, 'Text').fill('Dear {{fields.name}}, we write back.');
    await shows(reply, 'Dear Grace <b>, we write back.');
    await preview(reply).getByText('Thanks, Grace <b>', { exact: true }).waitFor();
    await preview(reply).getByText('Gra@visitor.example', { exact: true }).waitFor();
    const choice = preview(reply).getByRole('combobox', { name: 'Submission shown' });
    const ada = await choice.getByRole('option').filter({ hasText: 'Ada' }).getAttribute('value');
    await choice.selectOption(ada);
    await shows(reply, 'Dear Ada, we write back.');
    await look(reply, 'Plain text');
    await preview(reply)
      .getByText(/^Dear Ada, we write back\.$/m)
      .waitFor();
  });

  it('keeps the last good preview while a template is wrong, and says where it is wrong', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/settings`);
    const reply = section('Automatic reply');
    await reply.getByLabel('Reply to visitors automatically').click();
    await preview(reply)
      .getByText('A sample, because there is no submission yet.', { exact: true })
      .waitFor();
    await input(reply, 'Text').fill('We write back.');
    await shows(reply, 'We write back.');
    await input(reply, 'Text').fill('We write {{#back');
    await preview(reply)
      .getByText('The preview shows the last version without errors.', { exact: true })
      .waitFor();
    expect(await input(reply, 'Text').getAttribute('aria-invalid')).toBe('true');
    await shows(reply, 'We write back.');
    await input(reply, 'Text').fill('We write soon.');
    await shows(reply, 'We write soon.');
    await expect.poll(() => input(reply, 'Text').getAttribute('aria-invalid')).not.toBe('true');
  });

  it('shows HTML with its styles, in light and dark, and runs nothing in it', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/settings`);
    const reply = section('Automatic reply');
    await reply.getByLabel('Reply to visitors automatically').click();
    const html =
      '<p id="styled" style="color: rgb(1, 2, 3)">Styled</p><script>document.title = "ran"</script>' +
      '<img src="x" onerror="document.title = \'ran\'"><p id="end">The end</p>';
    await input(reply, 'HTML').fill(html);
    const shown = frame(reply);
    await shows(reply, 'The end');
    const inFrame = <Value>(expression: string) =>
      shown.locator('html').evaluate<Value, undefined>(expression, undefined);
    const colorOf = (id: string) =>
      inFrame<string>(`getComputedStyle(document.getElementById('${id}')).color`);
    expect(await colorOf('styled')).toBe('rgb(1, 2, 3)');
    expect(await colorOf('end')).toBe('rgb(0, 0, 0)');
    expect(await inFrame('document.title')).not.toBe('ran');
    expect(await inFrame('origin')).toBe('null');
    await look(reply, 'Dark');
    await expect.poll(() => colorOf('end')).toBe('rgb(255, 255, 255)');
    await look(reply, 'Phone');
    await expect.poll(() => inFrame<number>('innerWidth')).toBeLessThanOrEqual(390);
  });

  it('is sent to the person who tests it', async () => {
    const form = await makeForm(server.url);
    await submitJson(form.endpoint, { name: 'Ada', email: 'ada@visitor.example' });
    await open.go(`/forms/${form.formId}/settings`);
    const reply = section('Automatic reply');
    await reply.getByLabel('Reply to visitors automatically').click();
    await input(reply, 'Subject').fill('For {{fields.name}}');
    await preview(reply).getByRole('button', { name: 'Send me a test' }).click();
    await reply.getByText(`The mail server accepted the test to ${admin.email}.`, { exact: true }).waitFor();
    expect(mails.mails.map(({ to }) => to)).toEqual([[admin.email]]);
    expect(mails.mails[0]?.raw).toContain('Subject: For Ada');
    // The result no longer applies after an edit.
    await input(reply, 'Subject').fill('For you');
    await reply.getByText(/^The mail server accepted the test/).waitFor({ state: 'detached' });
  });

  it('says how many were not sent, and why', async () => {
    const autoresponder = { field: 'email', subject: 'S', text: 'T', per_address_per_day: 1 };
    const form = await makeForm(server.url, { form: { autoresponder } });
    for (let sent = 0; sent < 3; sent += 1)
      await submitJson(form.endpoint, { email: 'often@visitor.example' });
    await submitJson(form.endpoint, { email: 'no-reply@visitor.example' });
    await becomes(
      async () =>
        (await api.get(`/api/v1/forms/${form.formId}/suppressed-replies?days=1`)).body.days[0].total,
      (total) => total === 3,
    );
    await open.go(`/forms/${form.formId}/settings`);
    const table = open.page.getByRole('table', { name: '3 replies were not sent in the last 30 days' });
    const row = (words: string) => table.getByRole('row').filter({ hasText: words });
    await row('Limit of replies to one address per day reached (now 1)')
      .getByText('2', { exact: true })
      .waitFor();
    await row('Address of a program, such as no-reply').getByText('1', { exact: true }).waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
  });
});

it('shows the confirmation mail with its link, and asks for the link', async () => {
  const form = await makeForm(server.url);
  await open.go(`/forms/${form.formId}/settings`);
  const optIn = section('Double opt-in');
  await optIn.getByLabel('Ask visitors to confirm their address').click();
  await frame(optIn).getByRole('link', { name: 'Confirm address' }).waitFor();
  await input(optIn, 'Text').fill('Please confirm.');
  await optIn.getByText('must have {{confirm_url}} in it', { exact: true }).waitFor();
  await optIn.getByRole('button', { name: 'Insert confirm_url' }).click();
  await shows(optIn, `Please confirm.${server.url}/confirm/preview`);
  expect(await optIn.getByRole('button', { name: /^Insert fields/ }).count()).toBe(0);
});

describe('an e-mail destination', () => {
  const message = () => section('Message');

  it('is previewed before it is added, and keeps route, replies, language and digest', async () => {
    const form = await makeForm(server.url, { form: { name: 'Contact' } });
    await submitJson(form.endpoint, { name: 'Ada', email: 'ada@visitor.example', department: 'Sales' });
    await open.go(`/forms/${form.formId}/destinations/new?kind=email`);
    await preview(message()).getByText('Ada: Contact', { exact: true }).waitFor();
    await field('To').fill('team@example.com');
    await open.page.keyboard.press('Enter');
    await input(message(), 'Subject').fill('{{fields.department}} asked');
    await preview(message()).getByText('Sales asked', { exact: true }).waitFor();
    await open.page.getByLabel('Route by a field').click();
    await field('Field').fill('department');
    await field('Value 1').fill('sales');
    await field('Addresses for value 1').fill('sales@example.com');
    await open.page.keyboard.press('Enter');
    await preview(message()).getByText('team@example.com, sales@example.com', { exact: true }).waitFor();
    await message().getByText('An address', { exact: true }).click();
    await message().getByLabel('Address for replies', { exact: true }).fill('office@example.com');
    await preview(message()).getByText('office@example.com', { exact: true }).waitFor();
    await message().getByLabel('Language', { exact: true }).selectOption('de');
    await frame(message()).getByRole('link', { name: 'Einsendung öffnen' }).waitFor();
    await open.page.getByRole('button', { name: 'Add destination', exact: true }).click();
    await open.page.waitForURL(/\/destinations\/[0-9a-f-]{36}$/);
    const [stored] = (await api.get(`/api/v1/forms/${form.formId}/destinations`)).body.data;
    expect(stored.config).toMatchObject({
      ...{ to: ['team@example.com'], subject: '{{fields.department}} asked', reply_to: 'office@example.com' },
      ...{ language: 'de', html: null, digest: null },
      route: { field: 'department', map: { sales: ['sales@example.com'] }, otherwise: [] },
    });
  });

  it('becomes a digest', async () => {
    const form = await makeForm(server.url, { form: { name: 'Contact' } });
    await api.post(`/api/v1/forms/${form.formId}/destinations`, {
      ...{ kind: 'email', name: 'Team', config: { to: ['team@example.com'] } },
    });
    const [{ id }] = (await api.get(`/api/v1/forms/${form.formId}/destinations`)).body.data;
    await open.go(`/destinations/${id}`);
    await open.page.getByText('Weekly', { exact: true }).click();
    await preview(message()).getByText('1 new submission: Contact', { exact: true }).waitFor();
    await field('Day').selectOption({ label: 'Friday' });
    await field('Hour').selectOption('17');
    await field('Time zone').fill('Europe/Berlin');
    await section('Unsaved changes').getByRole('button', { name: 'Save', exact: true }).click();
    await section('Unsaved changes').waitFor({ state: 'detached' });
    const digest = { every: 'week', weekday: 5, hour: 17, time_zone: 'Europe/Berlin' };
    expect((await api.get(`/api/v1/destinations/${id}`)).body.config.digest).toEqual(digest);
  });
});

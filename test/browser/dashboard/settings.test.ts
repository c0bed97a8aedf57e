/** Every setting of a form and of a project, changed in the dashboard and read back over the API. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, makeForm } from '../../support/client.js';
import {
  descriptionOf,
  type OpenDashboard,
  type OwnDashboard,
  startDashboard,
} from '../../support/dashboard-pages.js';
import { everySetting } from '../../support/form-settings.js';
import { startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';

let own: OwnDashboard;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
beforeAll(async () => {
  own = await startDashboard();
  ({ server, open } = own);
  api = client(server.url);
});
afterAll(() => own.stop());

const section = (title: string) => open.page.getByRole('region', { name: title, exact: true });

const saveBar = () => section('Unsaved changes');

/** Saves the page with its only save bar and waits until nothing is unsaved. Returns the request body. */
async function save(): Promise<Record<string, unknown>> {
  const answered = open.page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await saveBar().getByRole('button', { name: 'Save', exact: true }).click();
  const answer = await answered;
  expect(answer.status()).toBe(200);
  await saveBar().waitFor({ state: 'detached' });
  return answer.request().postDataJSON();
}

/** A local time in the browser's time zone, as UTC. */
const momentIn = (page: Page, local: string): Promise<string> =>
  page.evaluate<string>(`new Date('${local}').toISOString()`);

async function addTo(title: string, label: string, text: string): Promise<void> {
  await section(title).getByLabel(label, { exact: true }).first().fill(text);
  await open.page.keyboard.press('Enter');
}

describe('a form', () => {
  it('keeps every field that is changed, of all sections at once', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/settings`);
    await section('General').getByLabel('Name').fill('Orders');
    await section('General').getByLabel('Accept submissions').click();
    await section('After submitting').getByLabel('Redirect to').fill('https://example.com/thanks');
    await section('After submitting').getByLabel('Wait for the webhook').click();
    await addTo('Who may submit', 'Allowed origins', 'example.com, *.example.org');
    await section('Who may submit').getByLabel('Sandbox', { exact: true }).click();
    await section('Who may submit').getByRole('button', { name: 'Register my address 127.0.0.1' }).click();
    await section('Who may submit').getByRole('button', { name: 'Generate' }).click();
    await addTo('Who may submit', 'Blocked addresses', '198.51.100.0/24');
    await section('Spam').getByLabel('Ask for a CAPTCHA').click();
    await section('Spam').getByRole('combobox', { name: 'Provider' }).click();
    await open.page.getByRole('option', { name: 'hCaptcha' }).click();
    await section('Spam').getByLabel('Site key').fill('site-key');
    await section('Spam').getByLabel('Secret key').fill('secret-key');
    await section('Notifications').getByText('This instance can’t send e-mail yet').waitFor();
    await addTo('Notifications', 'E-mail addresses', 'owner@example.com');
    await addTo('Notifications', 'Addresses that pages can copy', 'copy@example.com');
    await section('Limits and retention').getByLabel('Delete submissions after').fill('90');
    await section('Limits and retention').getByLabel('Delete files after').fill('30');
    await addTo('Limits and retention', 'Redact after delivery', 'iban');
    await section('Privacy').getByLabel('Store the IP address').click();
    await section('Privacy').getByLabel('Store the browser').click();
    await section('Opening times').getByLabel('Opens at').fill('2030-01-31T09:05');
    await section('Opening times').getByLabel('Closes at').fill('2030-02-28T18:00');
    await section('Opening times').getByLabel('Close after').fill('250');
    await section('Thank-you page').getByLabel('Title').fill('Got it');
    await section('Thank-you page').getByLabel('Text').fill('We write back.');
    await section('Thank-you page').getByLabel('Logo URL').fill('https://example.com/logo.svg');
    await section('Thank-you page').getByLabel('Colour').fill('#ff8800');
    await section('Hosted page').getByText('Visitors find it at').waitFor();
    await section('Hosted page').getByLabel('Show the form on a page of its own').click();
    await section('Hosted page').getByText('This form has no field rules yet.').waitFor();
    await section('Hosted page').getByLabel('Page title').fill('Write to us');
    await section('Hosted page').getByLabel('Introduction').fill('We reply within a day.');
    await section('Hosted page').getByLabel('Let search engines list it').click();
    const reply = section('Automatic reply');
    await reply.getByLabel('Reply to visitors automatically').click();
    await reply.getByLabel('Field with the address').fill('mail');
    await reply.getByRole('textbox', { name: 'Subject', exact: true }).fill('Thank you, {{fields.name}}');
    await reply.getByRole('textbox', { name: 'Text', exact: true }).fill('We write back.');
    await reply.getByRole('textbox', { name: 'HTML', exact: true }).fill('<p>We write back.</p>');
    await reply.getByLabel('Language').selectOption('fr');
    await reply.getByLabel('Sender name').fill('The shop');
    await reply.getByLabel('Replies go to').fill('shop@example.com');
    await reply.getByLabel('Replies to one address per day').fill('2');
    await reply.getByLabel('Replies of this form per day').fill('50');
    const optIn = section('Double opt-in');
    await optIn.getByLabel('Ask visitors to confirm their address').click();
    await optIn.getByLabel('Field with the address').fill('mail');
    await optIn.getByRole('textbox', { name: 'Subject', exact: true }).fill('Please confirm');
    await optIn.getByRole('textbox', { name: 'Text', exact: true }).fill('Open {{confirm_url}}');
    await optIn.getByLabel('Sender name').fill('The shop');
    await optIn.getByLabel('Replies go to').fill('shop@example.com');
    await optIn.getByLabel('The link works for').fill('14');
    const elsewhere = ['is_archived', 'fields', 'unknown_fields', 'webhook_url'];
    const here = Object.keys(everySetting).filter((name) => !elsewhere.includes(name));
    expect(Object.keys(await save()).sort()).toEqual([...here, 'captcha_secret_key'].sort());
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body).toMatchObject({
      name: 'Orders',
      autoresponder: {
        ...{ enabled: true, field: 'mail', subject: 'Thank you, {{fields.name}}', text: 'We write back.' },
        ...{ from_name: 'The shop', reply_to: 'shop@example.com', per_address_per_day: 2, per_day: 50 },
        ...{ html: '<p>We write back.</p>', language: 'fr' },
      },
      double_opt_in: {
        ...{ field: 'mail', subject: 'Please confirm', text: 'Open {{confirm_url}}', html: null },
        ...{ from_name: 'The shop', reply_to: 'shop@example.com', expires_days: 14 },
      },
      is_active: false,
      success_redirect: 'https://example.com/thanks',
      wait_for_webhook: true,
      allowed_origins: ['example.com', '*.example.org'],
      validation_mode: 'sandbox',
      sandbox_ips: ['127.0.0.1'],
      sandbox_api_key: expect.stringMatching(/^[\w-]{32}$/),
      blocked_ips: ['198.51.100.0/24'],
      captcha_enabled: true,
      captcha_provider: 'hcaptcha',
      captcha_site_key: 'site-key',
      notify_emails: ['owner@example.com'],
      allowed_cc_emails: ['copy@example.com'],
      retention_days: 90,
      file_retention_days: 30,
      redact_fields: ['iban'],
      store_ip: false,
      store_user_agent: false,
      page_title: 'Got it',
      page_text: 'We write back.',
      page_logo_url: 'https://example.com/logo.svg',
      page_color: '#ff8800',
      hosted_page: true,
      hosted_page_title: 'Write to us',
      hosted_page_text: 'We reply within a day.',
      hosted_page_indexed: true,
      opens_at: await momentIn(open.page, '2030-01-31T09:05'),
      closes_at: await momentIn(open.page, '2030-02-28T18:00'),
      max_submissions: 250,
    });
  });

  it('links to its hosted page once that is saved, and has the code that embeds it', async () => {
    const form = await makeForm(server.url, {
      form: { name: 'Say "hi"', fields: [{ name: 'note', type: 'text' }] },
    });
    await open.go(`/forms/${form.formId}/settings`);
    await section('Hosted page').getByLabel('Show the form on a page of its own').click();
    await section('Hosted page').getByText('Save to see the page.', { exact: true }).waitFor();
    expect(await save()).toEqual({ hosted_page: true });
    const link = section('Hosted page').getByRole('link', { name: 'Open the page' });
    expect(await link.getAttribute('href')).toBe(form.endpoint);
    const code = await section('Hosted page').getByRole('region', { name: 'Embed it' }).textContent();
    expect(code).toContain(`<iframe src="${form.endpoint}" title="Say &quot;hi&quot;"`);
    expect(code).toContain(`<script src="${server.url}/inlet-embed.js" defer>`);
  });

  it('says at the field what is wrong with it, and keeps what was', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/settings`);
    await section('After submitting').getByLabel('Redirect to').fill('javascript:alert(1)');
    await addTo('Who may submit', 'Blocked addresses', 'nonsense');
    await addTo('Notifications', 'E-mail addresses', 'x@');
    await saveBar().getByRole('button', { name: 'Save', exact: true }).click();
    await saveBar().getByRole('alert').getByText('Not saved. Check the marked fields.').waitFor();
    for (const title of ['After submitting', 'Who may submit'])
      await section(title)
        .getByText(/must be|is not/i)
        .waitFor();
    await section('Notifications').getByText('x@: must be an e-mail address', { exact: true }).waitFor();
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body).toMatchObject({
      success_redirect: null,
      blocked_ips: [],
    });
    await saveBar().getByRole('button', { name: 'Discard changes' }).click();
    await saveBar().waitFor({ state: 'detached' });
    expect(await section('After submitting').getByLabel('Redirect to').inputValue()).toBe('');
    expect(await section('Who may submit').getByText('nonsense').count()).toBe(0);
  });

  it('says at the template of a mail where it is wrong', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/settings`);
    const reply = section('Automatic reply');
    await reply.getByLabel('Reply to visitors automatically').click();
    await reply.getByRole('textbox', { name: 'Text', exact: true }).fill('Hello {{fields.name');
    await saveBar().getByRole('button', { name: 'Save', exact: true }).click();
    await reply.getByText('Is not valid Mustache: Unclosed tag (character 7)', { exact: true }).waitFor();
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body).toMatchObject({ autoresponder: null });
    await saveBar().getByRole('button', { name: 'Discard changes' }).click();
    await saveBar().waitFor({ state: 'detached' });
    expect(await reply.getByLabel('Text').count()).toBe(0);
  });

  it('says no longer what is wrong with a mail once it was corrected', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/settings`);
    const [reply, optIn] = [section('Automatic reply'), section('Double opt-in')];
    await reply.getByLabel('Reply to visitors automatically').click();
    await optIn.getByLabel('Ask visitors to confirm their address').click();
    const fields = [reply, optIn].map((part) => part.getByLabel('Field with the address'));
    const wrong = [reply, optIn].map((part) => part.locator('input[aria-invalid=true]'));
    for (const field of fields) await field.fill('');
    await saveBar().getByRole('button', { name: 'Save', exact: true }).click();
    for (const one of wrong) await one.waitFor();
    for (const field of fields) await field.fill('mail');
    for (const one of wrong) await one.waitFor({ state: 'detached' });
    await saveBar().getByRole('button', { name: 'Discard changes' }).click();
    await saveBar().waitFor({ state: 'detached' });
  });

  it('counts days as they are typed', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/settings`);
    const days = section('Limits and retention').getByLabel('Delete submissions after');
    await days.focus();
    // The field places its caret in a timer of its own, after the focus.
    await open.page.evaluate('new Promise((resolve) => setTimeout(resolve, 10))');
    await days.press('1');
    await expect.poll(() => days.inputValue()).toBe('1 day');
    await days.press('4');
    await expect.poll(() => days.inputValue()).toBe('14 days');
    await saveBar().getByRole('button', { name: 'Discard changes' }).click();
    await saveBar().waitFor({ state: 'detached' });
  });

  it('sends only what was changed, so that what others change meanwhile stays', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/settings`);
    await section('General').getByLabel('Name').fill('Orders');
    await api.patch(`/api/v1/forms/${form.formId}`, { retention_days: 30 });
    expect(await save()).toEqual({ name: 'Orders' });
    // Shown without reloading the page.
    await expect
      .poll(() => section('Limits and retention').getByLabel('Delete submissions after').inputValue())
      .toBe('30 days');
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body).toMatchObject({
      name: 'Orders',
      retention_days: 30,
    });
  });

  it('says at the address of the webhook what is wrong with it, also to who cannot see it', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/settings`);
    const url = section('Delivery').getByLabel('Webhook URL');
    await url.fill('ftp://example.com/');
    await saveBar().getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true');
    expect(await descriptionOf(url)).toMatch(/must be/i);
    await expect.poll(() => url.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await saveBar().getByRole('button', { name: 'Discard changes' }).click();
    await saveBar().waitFor({ state: 'detached' });
  });

  it('sends a test to its webhook and says what came of it', async () => {
    const receiver = await startAnswering({ status: 503, body: '<b>closed</b>' });
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/settings`);
    await section('Delivery').getByLabel('Webhook URL').fill(receiver.url);
    await section('Delivery').getByRole('button', { name: 'Send a test' }).click();
    await section('Delivery')
      .getByText(/^Your endpoint returned 503 in /)
      .waitFor();
    await section('Delivery').getByText('<b>closed</b>').waitFor();
    await save();
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.webhook_url).toBe(receiver.url);
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  });

  it('gets aliases and loses them, and says at the field what is wrong with one', async () => {
    const form = await makeForm(server.url);
    const listed = async () => (await api.get(`/api/v1/forms/${form.formId}/aliases`)).body.data;
    const other = await makeForm(server.url);
    await api.post(`/api/v1/forms/${other.formId}/aliases`, { alias: 'taken' });
    await open.go(`/forms/${form.formId}/settings`);
    const add = async (alias: string): Promise<void> => {
      await section('Aliases').getByLabel('Alias', { exact: true }).fill(alias);
      await section('Aliases').getByRole('button', { name: 'Add alias' }).click();
    };
    await add('taken');
    await section('Aliases').getByText('This alias is already in use.').waitFor();
    await add('submit');
    await section('Aliases').getByText('Is a path of this service; choose another alias').waitFor();
    await add('  ');
    await section('Aliases').getByText('Enter an alias').waitFor();
    expect(await listed()).toEqual([]);
    await add('Old contact form');
    await section('Aliases').getByText('Old contact form', { exact: true }).waitFor();
    await add('Ada@Example.com');
    await section('Aliases').getByText('ada@example.com', { exact: true }).waitFor();
    expect(await listed()).toMatchObject([{ alias: 'Old contact form' }, { alias: 'ada@example.com' }]);
    await section('Aliases').getByRole('button', { name: 'Remove Old contact form' }).click();
    await open.page.getByText('The alias Old contact form was removed').waitFor();
    await section('Aliases').getByText('Old contact form', { exact: true }).waitFor({ state: 'detached' });
    expect(await listed()).toMatchObject([{ alias: 'ada@example.com' }]);
  });

  it('shows many aliases in pages', async () => {
    const form = await makeForm(server.url);
    for (let i = 1; i <= 21; i += 1)
      await api.post(`/api/v1/forms/${form.formId}/aliases`, { alias: `page-alias-${i}` });
    await open.go(`/forms/${form.formId}/settings`);
    const shown = section('Aliases').getByRole('row');
    await section('Aliases').getByText('page-alias-20', { exact: true }).waitFor();
    expect(await shown.count()).toBe(20);
    await section('Aliases').getByRole('button', { name: 'Show more' }).click();
    await section('Aliases').getByText('page-alias-21', { exact: true }).waitFor();
    expect(await shown.count()).toBe(21);
    await section('Aliases').getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  });

  it('is deleted only when its name is typed, and its views with it', async () => {
    const form = await makeForm(server.url, { form: { name: 'Old orders' } });
    const view = { name: 'Stars of old', form_id: form.formId, query: { is_starred: true } };
    expect((await api.post('/api/v1/views', view)).status).toBe(201);
    const sidebar = open.page.getByRole('navigation', { name: 'All pages' });
    const openInbox = () => sidebar.getByRole('link', { name: /^Inbox/ }).click();
    await open.go(`/forms/${form.formId}/settings`);
    await openInbox();
    await sidebar.getByRole('link', { name: 'Stars of old' }).waitFor();
    await open.page.goBack();
    await open.page.getByRole('button', { name: 'Delete form' }).click();
    const dialog = open.page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('Old order');
    expect(await dialog.getByRole('button', { name: 'Delete form' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Old orders');
    await dialog.getByRole('button', { name: 'Delete form' }).click();
    await open.page.getByText('The form was deleted').waitFor();
    await openInbox();
    await sidebar.getByRole('link', { name: 'Starred', exact: true }).waitFor();
    await sidebar.getByRole('link', { name: 'Stars of old' }).waitFor({ state: 'detached' });
    expect((await api.get(`/api/v1/forms/${form.formId}`)).status).toBe(404);
  });
});

describe('a project', () => {
  it('keeps every field that is changed, and its secret can be seen and rotated', async () => {
    const { projectId } = await makeForm(server.url);
    const before = (await api.get(`/api/v1/projects/${projectId}`)).body;
    await open.go(`/projects/${projectId}/settings`);
    await section('General').getByLabel('Name').fill('Shop');
    await addTo('Who may submit', 'Allowed origins', 'shop.example.com');
    await section('Who may submit').getByLabel('Submissions per minute').fill('120');
    await section('Delivery').getByLabel('Webhook URL').fill('https://hooks.example.com/in');
    await section('Notifications').getByText('This instance can’t send e-mail yet').waitFor();
    await addTo('Notifications', 'E-mail addresses', 'all@example.com');
    await save();
    expect((await api.get(`/api/v1/projects/${projectId}`)).body).toMatchObject({
      name: 'Shop',
      allowed_origins: ['shop.example.com'],
      rate_limit_per_minute: 120,
      webhook_url: 'https://hooks.example.com/in',
      notify_emails: ['all@example.com'],
    });
    await section('Delivery').getByRole('button', { name: 'Rotate' }).click();
    await open.page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await open.page.getByText('The secret was rotated.').waitFor();
    const after = (await api.get(`/api/v1/projects/${projectId}`)).body;
    expect(after.webhook_secret).not.toBe(before.webhook_secret);
    await section('Delivery').getByRole('button', { name: /^Show/ }).click();
    await section('Delivery').getByText(after.webhook_secret).waitFor();
  });

  it('gets forms and is deleted with them when its name is typed', async () => {
    const { projectId } = await makeForm(server.url, { project: { name: 'Old shop' } });
    await open.go(`/projects/${projectId}`);
    await open.page.getByRole('button', { name: 'Create form' }).click();
    const dialog = open.page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('Returns');
    await dialog.getByRole('button', { name: 'Create form' }).click();
    await open.page.getByRole('heading', { name: 'Returns', level: 1 }).waitFor();
    await open.go(`/projects/${projectId}/settings`);
    await open.page.getByRole('button', { name: 'Delete project' }).click();
    await dialog.getByRole('textbox').fill('Old shop');
    await dialog.getByRole('button', { name: 'Delete project' }).click();
    await open.page.getByText('The project was deleted').waitFor();
    expect((await api.get(`/api/v1/projects/${projectId}`)).status).toBe(404);
  });
});

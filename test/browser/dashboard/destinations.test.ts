/** Destinations in the dashboard: added, tested, filtered, changed and disabled. */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { descriptionOf, type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { type Receiver, startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { postJson } from '../../support/visitor.js';
import { startHookServer } from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startHookServer(withAdmin)]);
  api = client(server.url);
  open = await openDashboard(browser, server);
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const button = (name: string): Locator => open.page.getByRole('button', { name, exact: true });
const field = (label: string): Locator => open.page.getByLabel(label, { exact: true });
const toggle = (name: string): Promise<void> => open.page.getByRole('switch', { name }).click();
const says = (words: string): Promise<void> => open.says(words);
const row = (name: string): Locator => open.page.getByRole('listitem').filter({ hasText: name });
/** Picks an entry from the destination's menu. */
const act = async (name: string): Promise<void> => {
  await button('Destination actions').click();
  await open.page.getByRole('menuitem', { name, exact: true }).click();
};
const choose = async (label: string, option: string): Promise<void> => {
  await open.page.getByRole('combobox', { name: label }).click();
  await open.page.getByRole('option', { name: option, exact: true }).click();
};

async function sent(form: MadeForm, data: unknown): Promise<string> {
  const answer = await postJson(form.endpoint, data);
  expect(answer.status).toBe(200);
  return answer.body.submission_id as string;
}

const stored = async (form: MadeForm) => {
  const answer = await api.get(`/api/v1/forms/${form.formId}/destinations`);
  expect(answer.status).toBe(200);
  return answer.body.data;
};

/** Opens the page for adding a destination of this kind, starting from the form's tab. */
async function begin(form: MadeForm, kind: string): Promise<void> {
  await open.go(`/forms/${form.formId}/destinations`);
  await open.page.getByRole('link', { name: 'Add destination' }).click();
  await open.page.getByRole('link', { name: kind }).click();
  await open.page.getByRole('heading', { name: `Add destination: ${kind}` }).waitFor();
}

describe('a webhook with a filter', () => {
  let form: MadeForm;
  let receiver: Receiver;
  beforeAll(async () => {
    [form, receiver] = await Promise.all([makeForm(server.url), startAnswering()]);
    await sent(form, { name: 'Ada', topic: 'sales' });
    await sent(form, { name: 'Alan', topic: 'support' });
  });
  afterAll(() => receiver.close());

  it('is added with conditions on fields that the form has seen', async () => {
    await begin(form, 'Webhook');
    await field('Name').fill('Sales');
    await field('URL').fill(receiver.url);
    await button('Add header').click();
    await field('Name of header 1').fill('X-Api-Key');
    await field('Value of header 1').fill('letmein');
    await button('Add condition').click();
    await open.page.getByRole('combobox', { name: 'Field' }).click();
    await open.page.getByRole('option', { name: 'topic', exact: true }).click();
    await field('Value').fill('sales');
    await button('Add destination').click();
    await says('Sales was added. Send a test to see that it works.');
    await says('Not used yet');
    expect(await stored(form)).toMatchObject([
      {
        kind: 'webhook',
        name: 'Sales',
        config: { url: receiver.url, method: 'POST', headers: { 'X-Api-Key': null } },
        filter: { submission: { data: { topic: 'sales' } } },
      },
    ]);
  });

  it('says how many of the last submissions match, and what is sent', async () => {
    await says('Matches 1 of the last 2 submissions');
    await field('Value').fill('nothing');
    await says('Matches 0 of the last 2 submissions');
    await button('Discard changes').click();
    await toggle('Write my own message');
    await field('Template (JSON)').fill('{"from": "{{fields.name}}"}');
    await open.page.locator('main pre', { hasText: '"from": "Ada"' }).waitFor();
    await field('Template (JSON)').fill('{"from": "{{#fields.name}}"}');
    await open.page.getByRole('alert').filter({ hasText: 'is not valid Mustache' }).waitFor();
    expect(await descriptionOf(field('Template (JSON)'))).toContain('is not valid Mustache');
    await button('Edit as JSON').click();
    await field('Filter as JSON').fill('{');
    await expect.poll(() => descriptionOf(field('Filter as JSON'))).toContain('not valid JSON');
    await open.page.getByRole('alert').filter({ hasText: 'not valid JSON' }).waitFor();
    await button('Discard changes').click();
  });

  it('is tried out, and shows the whole exchange', async () => {
    await button('Send a test').click();
    const dialog = open.page.getByRole('dialog');
    await dialog.getByText('The test was delivered').waitFor();
    await dialog.getByText(`POST ${receiver.url}`).waitFor();
    expect(await dialog.getByText('letmein').count()).toBe(0);
    expect(receiver.requests.at(-1)?.headers.get('x-api-key')).toBe('letmein');
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  it('gets what matches, and the timeline of the rest says that it was skipped', async () => {
    await open.go(`/submissions/${await sent(form, { name: 'Grace', topic: 'sales' })}`);
    await open.page.getByText('Delivered', { exact: true }).waitFor();
    await open.page.getByLabel('Webhook').waitFor();
    await open.go(`/submissions/${await sent(form, { name: 'Edsger', topic: 'support' })}`);
    await says('Skipped by filter');
    await says('Sales');
    expect(await open.page.getByText('Delivered', { exact: true }).count()).toBe(0);
  });

  it('gets past submissions', async () => {
    const before = receiver.requests.length;
    await open.go(`/forms/${form.formId}/destinations`);
    await row('Sales').getByRole('link', { name: 'Sales' }).click();
    await act('Send past submissions');
    const dialog = open.page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Send \d+ submission/ }).click();
    await dialog.getByText(/^(1 delivery|All \d+ deliveries) queued$/).waitFor();
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(before);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
  });

  it('is changed without losing what is not shown', async () => {
    await open.go(`/forms/${form.formId}/destinations`);
    await row('Sales').getByText('OK', { exact: true }).waitFor();
    await row('Sales').getByRole('link', { name: 'Sales' }).click();
    await field('Name').fill('Sales team');
    await choose('Operator', 'starts with');
    await toggle('Use my own schedule');
    await field('Delays between attempts').fill('30 s, soon');
    await button('Save').click();
    await says('"soon" is not a time. Write it like 30 s, 5 min, 2 h or 1 d');
    await field('Delays between attempts').fill('30 s, 5 min');
    await button('Save').click();
    await open.page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored(form)).toMatchObject([
      {
        name: 'Sales team',
        config: { headers: { 'X-Api-Key': null } },
        filter: { submission: { data: { topic: { $startsWith: 'sales' } } } },
        retry: { delays: [30, 300] },
      },
    ]);
  });

  it('is disabled, and enabled with an offer to send what it missed', async () => {
    await act('Disable');
    await says('Nothing is sent there');
    await open.go(`/forms/${form.formId}/destinations`);
    await row('Sales team').getByText('Disabled', { exact: true }).waitFor();
    await row('Sales team').getByRole('link', { name: 'Sales team' }).click();
    await act('Enable');
    const dialog = open.page.getByRole('dialog', { name: 'Send what was missed' });
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await open.page.getByText('Nothing is sent there', { exact: true }).waitFor({ state: 'detached' });
    expect(await stored(form)).toMatchObject([{ is_active: true }]);
  });

  it('is deleted', async () => {
    await act('Delete');
    await open.page.getByRole('dialog').getByRole('button', { name: 'Delete destination' }).click();
    await says('No destinations yet');
    expect(await stored(form)).toEqual([]);
  });
});

it('says at the field what is wrong with the URL of a chat', async () => {
  const form = await makeForm(server.url);
  await begin(form, 'Slack');
  await says('Select the channel, then copy the webhook URL.');
  await field('Webhook URL').fill('hooks.slack.com/services');
  await button('Add destination').click();
  await says('Not saved. Check the marked fields.');
  await field('Webhook URL').and(open.page.locator('[aria-invalid=true]:focus')).waitFor();
  await field('Webhook URL').fill('https://hooks.slack.com/services/T0/B0/secret');
  await button('Add destination').click();
  await says('Slack was added. Send a test to see that it works.');
  await says('Set (https://hooks.slack.com/services/…). Leave it empty to keep it.');
  expect(await open.page.getByText('B0/secret').count()).toBe(0);
});

it('shows those of the project in its forms, and leads to what the settings say', async () => {
  const form = await makeForm(server.url, {
    project: { webhook_url: 'https://example.com/all' },
    form: { webhook_url: 'https://example.com/one' },
  });
  await open.go(`/forms/${form.formId}/destinations`);
  const project = open.page.getByRole('region', { name: 'From the project' });
  await project.getByText('example.com/all').waitFor();
  await row('example.com/one').getByRole('link', { name: 'From the form’s settings' }).click();
  await open.page.getByRole('region', { name: 'Delivery', exact: true }).waitFor();
  await open.go(`/forms/${form.formId}/destinations`);
  await project.getByRole('link', { name: 'project', exact: true }).click();
  await open.page.waitForURL(`**/projects/${form.projectId}/destinations`);
  await open.page.getByRole('link', { name: 'Add destination' }).waitFor();
});

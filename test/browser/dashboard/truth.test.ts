/** What the dashboard claims is true: a dead endpoint shows at once, all numbers agree, and one click sends again. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import type { RunningServer } from '../../support/server.js';
import {
  deliveriesOf,
  deliveryBecomes,
  hasState,
  isWaiting,
  startHookServer,
  startTurning,
  submit,
  type TurningReceiver,
} from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
let page: Page;
let receiver: TurningReceiver;
beforeAll(async () => {
  // After a failure, the next attempt is due after the test.
  const env = { ...withAdmin, WEBHOOK_RETRY_DELAYS: '3600,3600,3600,3600' };
  [browser, server] = await Promise.all([sharedBrowser(), startHookServer(env)]);
  receiver = await startTurning();
  api = client(server.url);
  open = await openDashboard(browser, server);
  page = open.page;
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose(), receiver.close()]);
});

const newForm = (name: string): Promise<MadeForm> =>
  makeForm(server.url, {
    project: { name: `Project of ${name}` },
    form: { name, webhook_url: receiver.url },
  });

async function delivered(form: MadeForm): Promise<string> {
  receiver.turnTo({});
  const id = await submit(form.endpoint);
  await deliveryBecomes(api, id, hasState('delivered'));
  return id;
}
async function waiting(form: MadeForm, count = 1): Promise<readonly string[]> {
  receiver.turnTo({ status: 503 });
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await submit(form.endpoint));
  for (const id of ids) await deliveryBecomes(api, id, isWaiting);
  return ids;
}
async function failed(form: MadeForm): Promise<string> {
  receiver.turnTo({ status: 410 });
  const id = await submit(form.endpoint);
  await deliveryBecomes(api, id, hasState('failed'));
  return id;
}

const verdict = (state: string): Locator => page.locator(`[role=status][data-state=${state}]`);
const rows = (): Locator => page.locator('tbody tr');
const bar = (): Locator => page.locator('.selection-bar');

describe('the overview', () => {
  it('warns from the first failure on: which destination, since when, how many deliveries wait', async () => {
    const form = await newForm('Orders');
    await delivered(form);
    await open.go(`/?form_id=${form.formId}`);
    await verdict('good')
      .getByText('Everything is arriving: 1 received, 1 delivered in the last 30 days.')
      .waitFor();
    await waiting(form);
    await open.go(`/?form_id=${form.formId}`);
    await verdict('warning')
      .getByText(/^“Webhook” of Orders is failing, first failure .+, 1 delivery waiting\.$/)
      .waitFor();
    expect(await verdict('good').count()).toBe(0);
    const item = page.getByRole('listitem').filter({ hasText: 'Orders: “Webhook” is failing' });
    await item.getByText('1 delivery waiting.').waitFor();
    await item.getByText('First failure').waitFor();
    await item.getByRole('link', { name: 'Open destination' }).click();
    await page.getByRole('heading', { name: 'Webhook', level: 1 }).waitFor();
    await page.getByText('Retrying', { exact: true }).waitFor();
  });

  it('counts deliveries as the form, its project and the list do', async () => {
    const form = await newForm('Sums');
    await delivered(form);
    await delivered(form);
    await waiting(form, 3);
    await failed(form);
    for (const scope of [`form_id=${form.formId}`, `project_id=${form.projectId}`]) {
      await open.go(`/?${scope}`);
      await verdict('bad').getByText('1 of 6 deliveries failed in the last 30 days.').waitFor();
      const legend = page.getByRole('region', { name: 'Deliveries', exact: true }).getByRole('listitem');
      for (const words of ['Delivered 2', 'Waiting 3', 'Failed 1'])
        await legend.filter({ hasText: words }).waitFor();
    }
    for (const path of [`/forms/${form.formId}`, `/projects/${form.projectId}`]) {
      await open.go(path);
      await page.getByText(/^30 days · 6 received · 2 delivered ·\s+3 waiting ·\s+1 failed$/).waitFor();
      for (const [state, count] of [
        ['delivered', '2 deliveries'],
        ['pending', '3 deliveries'],
        ['failed', '1 delivery'],
      ]) {
        await open.go(`${path}/deliveries?state=${state}`);
        await page.getByText(count ?? '', { exact: true }).waitFor();
      }
    }
  });
});

it('calls a submission waiting before it calls it failed: in the list, its filters and as it changes', async () => {
  const other = await startTurning({ status: 410 });
  const form = await newForm('Mixed');
  const added = await api.post(`/api/v1/forms/${form.formId}/destinations`, {
    ...{ kind: 'webhook', name: 'Other', config: { url: other.url } },
  });
  expect(added.status).toBe(201);
  receiver.turnTo({ status: 503 });
  const id = await submit(form.endpoint);
  const states = async (): Promise<readonly string[]> =>
    (await deliveriesOf(api, id)).map(({ state, attempts }) => `${state} ${attempts.length}`).sort();
  await expect.poll(states).toEqual(['failed 1', 'pending 1']);

  const list = `/forms/${form.formId}`;
  await open.go(list);
  await rows().getByText('Waiting', { exact: true }).waitFor();
  await open.go(`${list}?webhook_state=pending`);
  await rows().getByText('Waiting', { exact: true }).waitFor();
  await open.go(`${list}?webhook_state=failed`);
  await page.getByText('No submission has deliveries in this state.').waitFor();
  await open.go(`/submissions/${id}`);
  for (const state of ['Failed', 'Waiting']) await page.getByText(state, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Retry undelivered (2)' }).waitFor();

  await open.go(list);
  await rows().getByText('Waiting', { exact: true }).waitFor();
  receiver.turnTo({});
  const waitingId = (await deliveriesOf(api, id)).find(({ state }) => state === 'pending')?.id;
  expect((await api.post('/api/v1/deliveries/retry', { ids: [waitingId] })).status).toBeLessThan(300);
  await rows().getByText('Failed', { exact: true }).waitFor();
  await other.close();
});

it('says on the page of a form what was rejected and quarantined', async () => {
  const form = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
  const from = (origin: string, fields: object) => submitJson(form.endpoint, fields, { origin });
  expect((await from('https://elsewhere.example', { name: 'Ada' })).status).toBe(403);
  expect((await from('https://example.com', { name: 'Bot', _gotcha: 'x' })).status).toBe(200);
  await open.go(`/forms/${form.formId}`);
  await page.getByText('30 days · 0 received · 1 rejected · 1 quarantined', { exact: true }).waitFor();
});

describe('repair', () => {
  it('sends all that waits at once', async () => {
    const form = await newForm('Queue');
    const ids = await waiting(form, 3);
    receiver.turnTo({});
    await open.go(`/forms/${form.formId}/deliveries`);
    await page.getByRole('button', { name: 'Send all waiting now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Replay 3 deliveries' }).click();
    await dialog.getByText('All 3 deliveries queued again').waitFor();
    for (const id of ids) await deliveryBecomes(api, id, hasState('delivered'));
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Send all waiting now' }).waitFor({ state: 'detached' });
  });

  it('sends a selection of deliveries again', async () => {
    const form = await newForm('Selected');
    const ids = await waiting(form, 3);
    receiver.turnTo({});
    await open.go(`/forms/${form.formId}/deliveries`);
    await rows().nth(2).waitFor();
    // Newest first.
    for (const row of [0, 1]) await rows().nth(row).getByRole('checkbox').check();
    await bar().getByText('2 selected').waitFor();
    await bar().getByRole('button', { name: 'Retry' }).click();
    await page.getByText('2 deliveries queued', { exact: true }).waitFor();
    for (const id of ids.slice(1)) await deliveryBecomes(api, id, hasState('delivered'));
    expect((await deliveryBecomes(api, ids[0] ?? '', isWaiting)).attempts).toHaveLength(1);
  });

  it('sends what has not arrived of a selection of submissions', async () => {
    const form = await newForm('Chosen');
    const arrived = await delivered(form);
    const [id = ''] = await waiting(form);
    receiver.turnTo({});
    await open.go(`/forms/${form.formId}`);
    await rows().nth(1).waitFor();
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await bar().getByText('2 selected').waitFor();
    await bar().getByRole('button', { name: 'Retry' }).click();
    await page.getByText('1 delivery queued', { exact: true }).waitFor();
    await deliveryBecomes(api, id, hasState('delivered'));
    expect((await deliveryBecomes(api, arrived, hasState('delivered'))).attempts).toHaveLength(1);
  });
});

describe('a changed URL', () => {
  const toNew = (count: string) => page.getByText(`${count} will be sent to the new URL.`, { exact: true });

  /** Otherwise the browser asks before leaving the page. */
  const discard = async (): Promise<void> => {
    const button = page.getByRole('button', { name: 'Discard changes' });
    await button.click();
    await button.waitFor({ state: 'detached' });
  };

  it('says how many waiting deliveries go to the new one, in the settings of a form and of a project', async () => {
    const form = await newForm('Moved');
    await api.patch(`/api/v1/projects/${form.projectId}`, { webhook_url: `${receiver.url}/project` });
    receiver.turnTo({ status: 503 });
    await submit(form.endpoint);
    await submit(form.endpoint);
    for (const path of [`/forms/${form.formId}`, `/projects/${form.projectId}`]) {
      await open.go(`${path}/settings`);
      const url = page.getByLabel('Webhook URL');
      await url.waitFor();
      await url.fill('https://example.com/new');
      await toNew('2 waiting deliveries').waitFor();
      await url.fill('');
      await page.getByText('2 waiting deliveries will be cancelled.', { exact: true }).waitFor();
      await discard();
    }
  });

  it('says it of a destination too', async () => {
    const form = await makeForm(server.url);
    const { body } = await api.post(`/api/v1/forms/${form.formId}/destinations`, {
      kind: 'webhook',
      config: { url: receiver.url },
    });
    await waiting(form);
    await open.go(`/destinations/${body.id}`);
    await page.getByLabel('URL', { exact: true }).fill('https://example.com/new');
    await toNew('1 waiting delivery').waitFor();
    await discard();
  });
});

it('shows times where the reader is, and UTC on hover', async () => {
  const form = await newForm('Far away');
  const id = await delivered(form);
  const { created_at: at } = (await api.get(`/api/v1/submissions/${id}`)).body;
  const far = await openDashboard(browser, server, { timezoneId: 'Asia/Kathmandu' });
  await far.go(`/forms/${form.formId}`);
  await far.page.locator('tbody time').first().hover();
  // 5 hours and 45 minutes ahead, all year.
  const there = new Date(Date.parse(at) + 345 * 60_000).toISOString();
  const tip = far.page.getByRole('tooltip');
  await tip.getByText(`${at.slice(0, 19).replace('T', ' ')} UTC`).waitFor();
  expect(await tip.innerText()).toContain(there.slice(11, 19));
  await far.page.keyboard.press('Escape');
  await tip.waitFor({ state: 'detached' });
  // By keyboard as well.
  await far.page.locator('tbody input[type=checkbox]').first().focus();
  const isTime = () => far.page.evaluate<boolean>('document.activeElement.matches("[data-hint]")');
  for (let tabs = 0; tabs < 6 && !(await isTime()); tabs += 1) await far.page.keyboard.press('Tab');
  await tip.getByText(`${at.slice(0, 19).replace('T', ' ')} UTC`).waitFor();
  await far.close();
});

/** What was rejected or quarantined: reviewed, released, and never released by mistake. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { postJson } from '../../support/visitor.js';
import { becomes, deliveryBecomes, hasState, startHookServer } from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startHookServer(withAdmin)]);
  api = client(server.url);
  open = await openDashboard(browser, server);
  page = open.page;
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const dialog = () => page.getByRole('dialog');
const rows = () => page.locator('main li[data-row]');
const rowOf = (words: string) => rows().filter({ hasText: words });
/** Actions for the selected rows. */
const bar = () => page.locator('.selection-bar');
const activeRow = () => page.locator('main li[data-active=true]');

async function trap(form: MadeForm, name: string): Promise<void> {
  const body = { name, message: `Words of ${name}`, _gotcha: 'filled' };
  const headers = { referer: 'https://example.com/contact', 'user-agent': 'Robot/1' };
  expect((await postJson(form.endpoint, body, headers)).status).toBe(200);
}

const caughtBy = async ({ formId }: MadeForm): Promise<readonly string[]> =>
  (await api.get(`/api/v1/forms/${formId}/spam`)).body.data.map(
    ({ data }: { data: { name: string } }) => data.name,
  );

describe('the quarantine', () => {
  it('is walked by keyboard, and what is released is delivered like any other', async () => {
    const receiver = await startAnswering();
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    for (const name of ['Ada', 'Bob', 'Cleo']) await trap(form, name);
    await open.go(`/forms/${form.formId}/quarantine`);
    const names = async () => (await rows().allInnerTexts()).map((text) => /Ada|Bob|Cleo/.exec(text)?.[0]);
    await expect.poll(names, { message: 'the newest is first' }).toEqual(['Cleo', 'Bob', 'Ada']);

    await page.keyboard.press('j');
    await activeRow().filter({ hasText: 'Cleo' }).waitFor();
    await page.keyboard.press('j');
    await activeRow().filter({ hasText: 'Bob' }).waitFor();
    await page.keyboard.press('j');
    await activeRow().filter({ hasText: 'Ada' }).waitFor();
    await page.keyboard.press('k');
    await activeRow().filter({ hasText: 'Bob' }).waitFor();
    await page.keyboard.press('Enter');
    await activeRow().getByText('https://example.com/contact').waitFor();
    await activeRow().getByText('Robot/1').waitFor();
    await activeRow().getByRole('definition').filter({ hasText: 'Words of Bob' }).waitFor();

    await page.keyboard.press('r');
    await dialog().getByRole('heading', { name: 'Release from quarantine' }).waitFor();
    expect(receiver.requests, 'nothing leaves before the question is answered').toHaveLength(0);
    await dialog().locator('button:focus', { hasText: 'Release' }).waitFor();
    await page.keyboard.press('Enter');
    await rowOf('Bob').getByRole('link', { name: 'Open submission' }).click();
    await page.waitForURL(/\/submissions\/[\w-]+$/);
    await page.getByText('Words of Bob').first().waitFor();
    const id = page.url().slice(page.url().lastIndexOf('/') + 1);
    await deliveryBecomes(api, id, hasState('delivered'));
    await page.getByText('Delivered', { exact: true }).first().waitFor();
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]?.body.toString()).toContain('Words of Bob');
    expect(await caughtBy(form)).toEqual(['Cleo', 'Ada']);
    await receiver.close();
  });

  it('lets one be deleted, after a question, and says when nothing is left', async () => {
    const form = await makeForm(server.url);
    await trap(form, 'Dora');
    await open.go(`/forms/${form.formId}/quarantine`);
    await rowOf('Dora').getByRole('button', { name: 'Delete' }).click();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await caughtBy(form)).toEqual(['Dora']);
    await rowOf('Dora').getByRole('button', { name: 'Delete' }).click();
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted from quarantine').waitFor();
    await page.getByText('Nothing is waiting').waitFor();
    expect(await caughtBy(form)).toEqual([]);
    expect((await api.get(`/api/v1/forms/${form.formId}/submissions`)).body.data).toEqual([]);
  });

  it('releases and deletes a selection, each after a question', async () => {
    const form = await makeForm(server.url);
    for (const name of ['Hal', 'Ida', 'Jon', 'Kim']) await trap(form, name);
    await open.go(`/forms/${form.formId}/quarantine`);
    for (const name of ['Hal', 'Ida']) await rowOf(name).getByRole('checkbox').check();
    await page.getByText('2 selected', { exact: true }).waitFor();
    await bar().getByRole('button', { name: 'Release' }).click();
    await dialog().getByRole('button', { name: 'Release 2 submissions' }).click();
    for (const name of ['Hal', 'Ida']) await rowOf(name).getByText('released', { exact: true }).waitFor();
    await page.getByText('2 submissions released', { exact: true }).waitFor();
    expect(await caughtBy(form)).toEqual(['Kim', 'Jon']);
    await rowOf('Jon').getByRole('checkbox').check();
    await bar().getByRole('button', { name: 'Delete' }).click();
    await dialog().getByRole('button', { name: 'Delete 1 submission' }).click();
    await page.getByText('1 submission deleted', { exact: true }).waitFor();
    await rowOf('Jon').waitFor({ state: 'detached' });
    expect(await caughtBy(form)).toEqual(['Kim']);
  });

  it('is emptied, of one form alone', async () => {
    const [form, other] = [await makeForm(server.url), await makeForm(server.url)];
    for (const name of ['Leo', 'Mia']) await trap(form, name);
    await trap(other, 'Ned');
    await open.go(`/forms/${form.formId}/quarantine`);
    await page.getByRole('button', { name: 'Empty quarantine' }).click();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await caughtBy(form)).toHaveLength(2);
    await page.getByRole('button', { name: 'Empty quarantine' }).click();
    await dialog().getByRole('button', { name: 'Empty quarantine' }).click();
    await page.getByText('The quarantine was emptied').waitFor();
    await page.getByText('Nothing is waiting').waitFor();
    expect(await caughtBy(form)).toEqual([]);
    expect(await caughtBy(other)).toEqual(['Ned']);
  });

  it('of the whole account names the form of each, and leads there', async () => {
    const form = await makeForm(server.url, { form: { name: 'Guest book' } });
    await trap(form, 'Emil');
    await open.go('/quarantine');
    await rowOf('Emil').getByRole('button', { name: /^Emil/ }).click();
    await rowOf('Emil').getByRole('definition').filter({ hasText: 'Words of Emil' }).waitFor();
    await rowOf('Emil').getByRole('link', { name: 'Guest book' }).click();
    await page.getByRole('heading', { name: 'Guest book', level: 1 }).waitFor();
  });

  it('stays usable with the large data that a bot sends', async () => {
    const form = await makeForm(server.url);
    const nested = `${'['.repeat(29)}${'1,'.repeat(50_000)}1${']'.repeat(29)}`;
    const fields = Array.from({ length: 900 }, (_, place) => [`field ${place}`, 'w'.repeat(800)]);
    const bodies = [
      { name: 'Fay', _gotcha: 'x', numbers: JSON.parse(nested) },
      { name: 'Gus', _gotcha: 'x', ...Object.fromEntries(fields) },
    ];
    for (const body of bodies) expect((await postJson(form.endpoint, body)).status).toBe(200);
    await open.go(`/forms/${form.formId}/quarantine`);
    await rowOf('Fay').getByRole('button', { name: /^Fay/ }).click();
    await rowOf('Gus').getByRole('button', { name: /^Gus/ }).click();
    await rowOf('Gus').getByText('50 of 901 fields').waitFor();
    await expect.poll(() => rowOf('Gus').getByRole('term').count()).toBe(50);
    await rowOf('Fay').getByRole('button', { name: 'Show more' }).waitFor();
    expect((await rowOf('Fay').textContent())?.length).toBeLessThan(4_000);
  });
});

describe('what was rejected', () => {
  const reason = (title: string) => page.getByRole('region', { name: title, exact: true });

  /** Sends submissions that are rejected, waits until they are counted, and opens the form's rejections. */
  async function refused(form: MadeForm, send: () => Promise<{ status: number }>, times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) expect((await send()).status).toBe(403);
    await becomes(
      async () => (await api.get(`/api/v1/forms/${form.formId}/rejections`)).body.examples.length,
      (count) => count === times,
    );
    await open.go(`/forms/${form.formId}/rejections`);
  }

  it('leads to the quarantine, that to the folder of spam, and that back', async () => {
    const form = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
    await postJson(form.endpoint, { name: 'Bot', _gotcha: 'x' }, { origin: 'https://example.com' });
    await becomes(
      async () => (await api.get(`/api/v1/forms/${form.formId}/rejections`)).body.examples.length,
      (count) => count === 1,
    );
    await open.go(`/forms/${form.formId}/rejections`);
    await open.page.getByText('No rejected requests', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'quarantine', exact: true }).click();
    await page.getByRole('tab', { name: 'Quarantine', selected: true }).waitFor();
    await page.getByRole('link', { name: 'the Spam folder', exact: true }).click();
    await page.getByText(/Marked as spam by you or your team/).waitFor();
    await page.getByRole('link', { name: 'quarantine', exact: true }).click();
    await page.getByRole('tab', { name: 'Quarantine', selected: true }).waitFor();
  });

  it('is shown by day and in words, and allowing the origin lets the next one in', async () => {
    const form = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
    const send = () => postJson(form.endpoint, { name: 'Ada' }, { origin: 'https://shop.example.org' });
    await refused(form, send, 2);
    await reason('Origin not allowed')
      .getByText('Origin: https://shop.example.org is not in the list')
      .waitFor();
    await reason('Origin not allowed').getByText('2 times').waitFor();
    await reason('Rejected').getByRole('button', { name: 'Show as table' }).click();
    const counted = async () => {
      const counts = await reason('Rejected, table').getByRole('cell').allInnerTexts();
      // Summed over all days: a test that runs over midnight has its counts on two.
      return counts.reduce((sum, count) => sum + Number(count), 0);
    };
    await expect.poll(counted).toBe(2);

    await reason('Origin not allowed')
      .getByRole('button', { name: 'Allow this origin: shop.example.org' })
      .click();
    expect((await send()).status, 'not before it is confirmed').toBe(403);
    await dialog().getByRole('button', { name: 'Allow this origin' }).click();
    await reason('Origin not allowed').getByText('Allowed now').waitFor();
    await open.says('Saved. Applies from the next request.');
    await page.locator(':focus').getByText('Allowed now').waitFor();
    expect((await send()).status).toBe(200);
    const { body } = await api.get(`/api/v1/forms/${form.formId}`);
    expect(body.allowed_origins).toEqual(['example.com', 'shop.example.org']);
  });

  it('can be allowed in the project, whose list the form then still follows', async () => {
    const form = await makeForm(server.url, { project: { allowed_origins: ['example.com'] } });
    const send = () => postJson(form.endpoint, { name: 'Ada' }, { origin: 'https://blog.example.net' });
    await refused(form, send);
    await page.getByRole('button', { name: 'Allow this origin: blog.example.net' }).click();
    await dialog().getByRole('button', { name: 'Allow in the project' }).click();
    await reason('Origin not allowed').getByText('Allowed now').waitFor();
    expect((await send()).status).toBe(200);
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.allowed_origins).toEqual([]);
    expect((await api.get(`/api/v1/projects/${form.projectId}`)).body.allowed_origins).toEqual([
      'example.com',
      'blog.example.net',
    ]);
  });

  it('registers the address of somebody who tests', async () => {
    const form = await makeForm(server.url, {
      form: { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.9'] },
    });
    const send = () => postJson(form.endpoint, { name: 'Ada' }, {}, '127.0.0.2');
    await refused(form, send);
    await reason('Address not registered').getByText('is not registered').waitFor();
    await page.getByRole('button', { name: 'Register this address: 127.0.0.2' }).click();
    await dialog().getByRole('button', { name: 'Register this address' }).click();
    await reason('Address not registered').getByText('Registered now').waitFor();
    expect((await send()).status).toBe(200);
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.sandbox_ips).toEqual([
      '127.0.0.9',
      '127.0.0.2',
    ]);
  });

  it('unblocks an address, and says when a whole network goes with it', async () => {
    const form = await makeForm(server.url, { form: { blocked_ips: ['127.0.3.0/24', '198.51.100.7'] } });
    const send = () => postJson(form.endpoint, { name: 'Ada' }, {}, '127.0.3.3');
    await refused(form, send);
    await page.getByRole('button', { name: 'Unblock this address: 127.0.3.0/24' }).click();
    await dialog().getByText('all addresses of it may then submit the form').waitFor();
    await dialog().getByRole('button', { name: 'Unblock this address' }).click();
    await reason('Blocked address').getByText('No longer blocked').waitFor();
    expect((await send()).status).toBe(200);
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.blocked_ips).toEqual(['198.51.100.7']);
  });
});

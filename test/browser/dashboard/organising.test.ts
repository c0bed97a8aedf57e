/** Managing the account's labels, assigning any user from a row, and read state that shows in all windows. */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { madePerson, type Person, signedIn, withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { apiKey, type RunningServer } from '../../support/server.js';
import { startHookServer, submit } from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let me: Person;
let colleague: { readonly id: string; readonly email: string };
let open: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startHookServer(withAdmin)]);
  api = client(server.url);
  me = await signedIn(server);
  colleague = await madePerson(server, apiKey);
  open = await openDashboard(browser, server);
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const row = (text: string): Locator => open.page.locator('tbody tr[data-row]').filter({ hasText: text });
const button = (name: string): Locator => open.page.getByRole('button', { name, exact: true });
const item = (name: string): Locator => open.page.getByRole('menuitem', { name, exact: true });
const stateOf = async (id: string) => (await me.ask('GET', `/submissions/${id}?include=inbox`)).body;

async function filled(name: string): Promise<{ form: MadeForm; id: string }> {
  const form = await makeForm(server.url);
  return { form, id: await submit(form.endpoint, { name }) };
}

describe('labels', () => {
  const dialog = () => open.page.getByRole('dialog', { name: 'Labels', exact: true });
  const labels = async () =>
    (await api.get('/api/v1/labels')).body.data.map(({ name, color }: Record<string, string>) => [
      name,
      color,
    ]);

  const showsLabels = (...names: string[]) =>
    expect.poll(() => row('Ada').locator('.label-chip').allInnerTexts()).toEqual(names);

  it('are renamed, recoloured and deleted, which shows on their submissions', async () => {
    const { id } = await filled('Ada');
    const made = [];
    for (const name of ['Urgent', 'Later'])
      made.push((await api.post('/api/v1/labels', { name, color: 'blue' })).body.id);
    await api.patch(`/api/v1/submissions/${id}`, { labels: made });
    await open.go('/inbox');
    await showsLabels('Later', 'Urgent');
    await button('Manage labels').click();
    await dialog().getByRole('textbox', { name: 'Name of Urgent', exact: true }).fill('Today');
    await open.page.keyboard.press('Enter');
    await dialog().getByRole('textbox', { name: 'Name of Today', exact: true }).waitFor();
    await showsLabels('Later', 'Today');

    await dialog().getByRole('textbox', { name: 'Name of Today', exact: true }).fill('later');
    await open.page.keyboard.press('Enter');
    await open.says('The label was not renamed');
    const aboutError = open.page.getByText('About this error', { exact: true });
    expect(await aboutError.getAttribute('href')).toBe('/docs/reference/errors#label_exists');
    await expect
      .poll(() => dialog().getByRole('textbox', { name: 'Name of Today', exact: true }).inputValue())
      .toBe('Today');

    await dialog().getByRole('button', { name: 'Colour of Today: blue', exact: true }).click();
    await item('Red').click();
    await dialog().getByRole('button', { name: 'Colour of Today: red', exact: true }).waitFor();
    expect(await labels()).toEqual([
      ['Later', 'blue'],
      ['Today', 'red'],
    ]);

    const question = open.page.getByRole('dialog', { name: 'Delete label', exact: true });
    await dialog().getByRole('button', { name: 'Delete Today', exact: true }).click();
    await question.getByText('“Today” is taken off all submissions. The submissions stay.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await labels()).toHaveLength(2);
    await dialog().getByRole('button', { name: 'Delete Today', exact: true }).click();
    await question.getByRole('button', { name: 'Delete label' }).click();
    await open.says('Label deleted');
    await showsLabels('Later');
    expect(await labels()).toEqual([['Later', 'blue']]);
    const newLabel = dialog().getByRole('textbox', { name: 'New label', exact: true });
    await newLabel.fill(' later ');
    await open.page.keyboard.press('Enter');
    await open.says('The label was not created');
    await newLabel.fill('Never');
    await open.page.keyboard.press('Enter');
    await dialog().getByRole('textbox', { name: 'Name of Never', exact: true }).waitFor();
    await expect.poll(() => newLabel.inputValue()).toBe('');
    expect((await labels()).flat()).toContain('Never');
    await open.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });
});

describe('the menu of a row', () => {
  const assign = async (name: string, to: string): Promise<void> => {
    await row(name).getByRole('button', { name: 'Actions' }).click();
    await item('Assign to').hover();
    await item(to).click();
  };

  it('assigns anybody of the account, and nobody', async () => {
    const { form, id } = await filled('Grace');
    await open.go(`/forms/${form.formId}`);
    await assign('Grace', colleague.email);
    const assigned = (to: string) => row('Grace').getByTitle(`Assigned to ${to}`, { exact: true });
    await assigned(colleague.email).waitFor();
    await expect.poll(() => stateOf(id)).toMatchObject({ assignee_id: colleague.id });
    await assign('Grace', 'Me');
    await assigned('me').waitFor();
    await assign('Grace', 'Nobody');
    await assigned('me').waitFor({ state: 'detached' });
    await expect.poll(() => stateOf(id)).toMatchObject({ assignee_id: null });
  });

  it('lists what is assigned to a colleague, to nobody, or to me by my id', async () => {
    const { form, id } = await filled('Grace');
    const mine = await submit(form.endpoint, { name: 'Ada' });
    await submit(form.endpoint, { name: 'Edith' });
    const change = async (submission: string, assignee_id: string) =>
      expect((await api.patch(`/api/v1/submissions/${submission}`, { assignee_id })).status).toBe(200);
    await change(id, colleague.id);
    const { user } = (await me.ask('GET', '/session')).body;
    await change(mine, user.id);
    const titles = () => open.page.locator('tbody .row-link').allInnerTexts();
    const chips = () => open.page.locator('.filter-chip').allInnerTexts();
    const choose = async (who: string): Promise<void> => {
      await open.page.getByRole('option', { name: who, exact: true }).click();
      await expect.poll(chips).toEqual([`Assigned to: ${who}`]);
    };
    await open.go(`/forms/${form.formId}`);
    await open.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await open.page.getByRole('option', { name: 'Assigned to', exact: true }).click();
    await choose(colleague.email);
    await expect.poll(titles).toEqual(['Grace']);
    await open.page.getByRole('button', { name: `Assigned to: ${colleague.email}`, exact: true }).click();
    await choose('Nobody');
    await expect.poll(titles).toEqual(['Edith']);

    await open.go(`/forms/${form.formId}?assignee=${user.id}`);
    await expect.poll(titles).toEqual(['Ada']);
    await expect.poll(chips).toEqual(['Assigned to: Me']);
    await open.page.getByRole('button', { name: 'Assigned to: Me', exact: true }).click();
    await expect
      .poll(() => open.page.getByRole('option').allInnerTexts())
      .toEqual(['Me', colleague.email, 'Nobody']);
  });

  it('marks as spam and as not spam, and takes back what the server refuses', async () => {
    const { form, id } = await filled('Edith');
    await open.go(`/forms/${form.formId}`);
    const choose = async (action: string): Promise<void> => {
      await row('Edith').getByRole('button', { name: 'Actions' }).click();
      await item(action).click();
    };
    const url = '**/api/v1/submissions/update';
    await open.page.route(url, (route) =>
      route.fulfill({ status: 409, json: { error: 'Somebody was faster', code: 'conflict' } }),
    );
    await row('Edith').waitFor();
    await assign('Edith', colleague.email);
    await open.says('Nothing was changed');
    await open.page.getByText('Somebody was faster').first().waitFor();
    await row('Edith').getByText(colleague.email, { exact: true }).waitFor({ state: 'detached' });
    await open.page.unroute(url);
    await choose('Spam');
    await row('Edith').waitFor({ state: 'detached' });
    await expect.poll(() => stateOf(id)).toMatchObject({ folder: 'spam', assignee_id: null });
    await open.go(`/forms/${form.formId}?folder=spam`);
    await choose('Not spam');
    await row('Edith').waitFor({ state: 'detached' });
    await expect.poll(() => stateOf(id)).toMatchObject({ folder: 'inbox' });
  });
});

it('what is marked as read elsewhere, all at once, is no longer counted in this window', async () => {
  const { form } = await filled('Mary');
  await submit(form.endpoint, { name: 'Joan' });
  await open.go(`/forms/${form.formId}`);
  const entry = open.page.locator(`nav a[href$="/forms/${form.formId}"]`);
  await entry.getByText('2', { exact: true }).waitFor();
  await open.page.getByText('· live').waitFor();
  expect((await me.ask('POST', '/submissions/read-all', { form_id: form.formId })).status).toBe(204);
  await expect.poll(() => entry.locator('.nav-unread').count()).toBe(0);
  await expect.poll(() => row('Mary').getAttribute('data-unread')).toBe('false');
});

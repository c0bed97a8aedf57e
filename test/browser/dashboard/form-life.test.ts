/** A form is duplicated, moved, archived and reopened, and shows where its submissions come from. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
let page: Page;
let form: MadeForm;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: withAdmin })]);
  api = client(server.url);
  form = await makeForm(server.url, { form: { name: 'Contact us', retention_days: 30 } });
  for (const referer of ['https://a.example/contact?x=1', 'https://a.example/contact', 'https://b.example/'])
    expect((await submitJson(form.endpoint, { name: 'Ada' }, { referer })).status).toBe(200);
  open = await openDashboard(browser, server);
  page = open.page;
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const dialog = () => page.getByRole('dialog');
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const sidebar = () => page.getByRole('navigation');
async function choose(action: string): Promise<void> {
  await page.getByRole('button', { name: 'Form actions' }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

it('is duplicated under another name, and says which secrets were left out', async () => {
  const destination = { kind: 'slack', name: 'Team chat', config: { url: 'https://example.com/services/x' } };
  expect((await api.post(`/api/v1/forms/${form.formId}/destinations`, destination)).status).toBe(201);
  await open.go(`/forms/${form.formId}`);
  await choose('Duplicate');
  await dialog().getByText('write-only secrets are not copied').waitFor();
  await dialog().getByLabel('Name').fill('Second form');
  await dialog().getByRole('button', { name: 'Duplicate form' }).click();
  await heading('Second form').waitFor();
  await dialog().getByText('Not copied, because they need a secret: Team chat.').waitFor();
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  const id = /forms\/([\w-]+)/.exec(page.url())?.[1];
  expect(id).not.toBe(form.formId);
  expect((await api.get(`/api/v1/forms/${id}`)).body).toMatchObject({
    name: 'Second form',
    retention_days: 30,
  });
  await sidebar().getByText('Second form', { exact: true }).waitFor();
});

it('is moved to another project, which says what changes, and takes its submissions along', async () => {
  await open.go(`/forms/${form.formId}`);
  await choose('Move to project');
  await dialog().getByText('There is no other project. Create one first.').waitFor();
  expect(await dialog().getByRole('button', { name: 'Move form' }).isDisabled()).toBe(true);
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialog().waitFor({ state: 'detached' });

  const { id } = (await api.post('/api/v1/projects', { name: 'New home' })).body;
  const other = (await api.post('/api/v1/projects', { name: 'Short-lived' })).body;
  await open.go(`/forms/${form.formId}`);
  await choose('Move to project');
  await dialog()
    .getByText('Deliveries that wait for destinations of the old project still go there.')
    .waitFor();
  await dialog().getByRole('button', { name: 'Move form' }).click();
  await dialog().getByText('Choose a project', { exact: true }).waitFor();
  const pick = async (name: string) => {
    await dialog().getByLabel('Project', { exact: true }).click();
    await page.getByRole('option', { name, exact: true }).click();
  };
  await pick('Short-lived');
  expect((await api.delete(`/api/v1/projects/${other.id}`)).status).toBe(204);
  await dialog().getByRole('button', { name: 'Move form' }).click();
  await dialog().getByText('Project not found', { exact: true }).waitFor();
  await pick('New home');
  await dialog().getByRole('button', { name: 'Move form' }).click();
  await open.says('The form was moved');
  await dialog().waitFor({ state: 'detached' });
  await page.getByRole('main').getByRole('link', { name: 'New home', exact: true }).waitFor();
  expect((await api.get(`/api/v1/forms/${form.formId}`)).body.project_id).toBe(id);
  await expect
    .poll(async () => (await api.get(`/api/v1/projects/${id}/submissions`)).body.data.length)
    .toBe(3);
  await open.go(`/projects/${id}`);
  await page.getByRole('main').getByRole('link', { name: 'Contact us', exact: true }).waitFor();
  form = { ...form, projectId: id };
});

it('is archived after a question, leaves the lists, and is opened again', async () => {
  await open.go(`/forms/${form.formId}`);
  await sidebar().getByText('Contact us', { exact: true }).waitFor();
  await choose('Archive');
  await dialog().getByText('You can unarchive it at any time.').waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialog().waitFor({ state: 'detached' });
  expect((await api.get(`/api/v1/forms/${form.formId}`)).body.is_archived).toBe(false);

  await choose('Archive');
  await dialog().getByRole('button', { name: 'Archive form' }).click();
  await page.getByText('Archived', { exact: true }).waitFor();
  await sidebar().getByText('Contact us', { exact: true }).waitFor({ state: 'detached' });
  expect((await submitJson(form.endpoint, { name: 'Late' })).status).toBe(403);

  await open.go(`/projects/${form.projectId}`);
  const listed = page.locator('main').getByRole('link', { name: 'Contact us', exact: true });
  const shown = page.getByRole('switch', { name: 'Show 1 archived' });
  await shown.waitFor();
  expect(await listed.count()).toBe(0);
  await shown.click();
  await listed.click();
  await heading('Contact us').waitFor();
  await choose('Unarchive');
  await open.says('The form is open again');
  await page.getByText('Live', { exact: true }).waitFor();
  await sidebar().getByText('Contact us', { exact: true }).waitFor();
  expect((await submitJson(form.endpoint, { name: 'Back' })).status).toBe(200);
});

it('shows what arrived, and which pages and sites it came from', async () => {
  await open.go(`/forms/${form.formId}`);
  await page.getByRole('tab', { name: 'Statistics', exact: true }).click();
  const rowsOf = (name: string) => page.getByRole('table', { name, exact: true }).locator('tbody tr');
  await expect
    .poll(() => rowsOf('Top pages').allInnerTexts())
    .toEqual(['https://a.example/contact\t2', 'https://b.example/\t1']);
  expect(await rowsOf('Top sites').allInnerTexts()).toEqual(['a.example\t2', 'b.example\t1']);
  await page.getByRole('region', { name: 'Submissions', exact: true }).waitFor();
});

it('counts by the days of the reader', async () => {
  for (const timezoneId of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
    const far = await openDashboard(browser, server, { timezoneId });
    const asked = far.page.waitForResponse(
      (response) =>
        response.url().includes('/stats?') &&
        response.url().includes(`time_zone=${encodeURIComponent(timezoneId)}`),
    );
    await far.go(`/forms/${form.formId}/numbers`);
    const { days } = await (await asked).json();
    expect(days.at(-1).day).toBe(
      new Intl.DateTimeFormat('en-CA', { timeZone: timezoneId }).format(Date.now()),
    );
    await far.close();
  }
});

/** The audit log: from a change to a form to the entry that shows it, and to the export. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, makeForm } from '../../support/client.js';
import { admin } from '../../support/dashboard.js';
import { type OpenDashboard, type OwnDashboard, startDashboard } from '../../support/dashboard-pages.js';
import type { RunningServer } from '../../support/server.js';

let own: OwnDashboard;
let server: RunningServer;
let open: OpenDashboard;
beforeAll(async () => {
  own = await startDashboard();
  ({ server, open } = own);
});
afterAll(() => own.stop());

it('shows who changed what as it happens, narrows it down, and exports it', async () => {
  const { page } = open;
  const api = client(server.url);
  const { formId } = await makeForm(server.url);
  await open.go('/audit');
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  await page.getByText('Form created', { exact: true }).waitFor();
  // An entry for a read stores no name, so the form is shown under its current name.
  await api.get(`/api/v1/forms/${formId}/deliveries?include=submission_data`);
  const listed = page.getByRole('row').filter({ hasText: 'Deliveries listed' });
  await listed.getByRole('link', { name: 'Contact', exact: true }).waitFor();
  await api.patch(`/api/v1/forms/${formId}`, { name: 'Enquiries' });
  const row = page.getByRole('row').filter({ hasText: 'Form changed' });
  await row.getByRole('link', { name: 'Enquiries', exact: true }).waitFor();
  await row.getByText('API key', { exact: true }).waitFor();
  const details = row.getByRole('button', { name: /^Details of entry/ });
  await details.click();
  const changes = page.getByRole('table', { name: 'Changes' });
  await changes.getByRole('cell', { name: 'name', exact: true }).waitFor();
  await changes.getByRole('cell', { name: 'Contact', exact: true }).waitFor();
  await changes.getByRole('cell', { name: 'Enquiries', exact: true }).waitFor();
  await details.click();
  await changes.waitFor({ state: 'hidden' });

  await page.getByLabel('Who', { exact: true }).fill(admin.email);
  await row.waitFor({ state: 'hidden' });
  await page.getByText('Signed in', { exact: true }).first().waitFor();
  await page.getByLabel('Who', { exact: true }).fill('nobody@example.com');
  await page.getByText('No entries', { exact: true }).waitFor();
  await page.getByLabel('Who', { exact: true }).fill('');
  await page.getByLabel('To day', { exact: true }).fill('2020-01-31');
  await page.getByText('No entries', { exact: true }).waitFor();
  await page.getByLabel('To day', { exact: true }).fill('');
  await row.waitFor();

  await page.getByRole('combobox', { name: 'Area' }).click();
  await page.getByRole('option', { name: 'Forms', exact: true }).click();
  await page.getByText('Signed in', { exact: true }).first().waitFor({ state: 'hidden' });
  await row.waitFor();
  const link = page.getByRole('link', { name: 'Export as CSV' });
  await expect.poll(() => link.getAttribute('href')).toContain('action=form');
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  expect(download.suggestedFilename()).toBe('audit-log.csv');
});

it('says in words what is gone and has no name', async () => {
  const { page } = open;
  const api = client(server.url);
  const { formId } = await makeForm(server.url);
  await api.get(`/api/v1/forms/${formId}/deliveries?include=submission_data`);
  expect((await api.delete(`/api/v1/forms/${formId}`)).status).toBe(204);
  await open.go('/audit');
  const listed = page.getByRole('row').filter({ hasText: 'Deliveries listed' }).filter({ hasText: formId });
  await listed.getByText('a form that was deleted', { exact: true }).waitFor();
  expect(await listed.getByRole('link').count()).toBe(0);
  // The form of the previous test still has its name.
  await page.getByRole('row').filter({ hasText: 'Deliveries listed' }).getByRole('link').first().waitFor();
});

it('shows what came while somebody read further down, once they are back at the top', async () => {
  const { page } = open;
  const api = client(server.url);
  const { formId } = await makeForm(server.url);
  for (let change = 0; change < 30; change += 1)
    await api.patch(`/api/v1/forms/${formId}`, { name: `Name ${change}` });
  await page.clock.install();
  await open.go('/audit');
  await page.getByRole('link', { name: 'Name 29' }).first().waitFor();
  await page.mouse.move(640, 450);
  await page.mouse.wheel(0, 600);
  await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(200);
  // A second stream, which hears when the new entry is announced.
  await page.evaluate(`new Promise((resolve) => {
    const stream = new EventSource('/api/v1/events');
    globalThis.told = new Promise((heard) =>
      stream.addEventListener('audit.recorded', ({ data }) => data.includes('label.created') && heard()),
    );
    stream.onopen = resolve;
  })`);
  await api.post('/api/v1/labels', { name: 'Urgent' });
  await page.evaluate('told.then(() => null)');
  // The page coalesces events for up to two seconds.
  await page.clock.fastForward(5_000);
  const row = page.getByText('Label created', { exact: true });
  expect(await row.count()).toBe(0);
  await page.evaluate('scrollTo(0, 0)');
  await row.waitFor();
});

/** A privacy request in the dashboard: find a person, export what is stored, erase it, save the receipt. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, makeForm } from '../../support/client.js';
import {
  descriptionOf,
  type OpenDashboard,
  type OwnDashboard,
  startDashboard,
} from '../../support/dashboard-pages.js';
import { refusingUrl } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { submit } from '../../support/webhooks.js';

let own: OwnDashboard;
let server: RunningServer;
let open: OpenDashboard;
beforeAll(async () => {
  own = await startDashboard();
  ({ server, open } = own);
});
afterAll(() => own.stop());

it('finds a person, exports, erases after the address was typed, and gives a receipt', async () => {
  const { page } = open;
  const form = await makeForm(server.url, { form: { webhook_url: await refusingUrl() } });
  const id = await submit(form.endpoint, { name: 'Ann', email: 'ann@example.com' });
  await open.go('/person');
  await page.getByText('Nobody has been erased yet.', { exact: true }).waitFor();
  const asked = page.getByLabel('E-mail address, phone number or name');
  const find = page.getByRole('button', { name: 'Find', exact: true });

  await asked.fill('x');
  await find.click();
  await page.getByText('Too little to find a person by').waitFor();
  expect(await descriptionOf(asked)).toContain('Too little to find a person by');
  await asked.fill('nobody@example.com');
  await find.click();
  await page.getByText('Nothing is stored of this person', { exact: true }).waitFor();

  await asked.fill('Ann@Example.com');
  await find.click();
  await page.getByRole('heading', { name: '2 entries found', exact: true }).waitFor();
  // Its delivery contains the address, too, but is not listed as a second entry.
  const stored = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Open', exact: true }) });
  expect(await stored.getByRole('link').getAttribute('href')).toContain(id);
  await stored.getByText('Submissions', { exact: true }).waitFor();

  const [archive] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  expect(archive.suggestedFilename()).toBe('person.zip');
  expect((await readFile(await archive.path())).toString('latin1')).toContain('ann@example.com');

  await page.getByRole('button', { name: 'Erase', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase this person' });
  const confirm = dialog.getByRole('button', { name: 'Erase', exact: true });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill('Ann@Example.com');
  await confirm.click();
  await open.says('Erasing has started');
  const row = page.getByRole('row').filter({ hasText: 'Finished' });
  await row.getByText('1 entry', { exact: true }).waitFor();
  const [receipt] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('button', { name: 'Save receipt' }).click(),
  ]);
  const text = await readFile(await receipt.path(), 'utf8');
  expect(text).not.toContain('@');
  const api = client(server.url);
  expect((await api.post('/api/v1/erasures/check-receipt', JSON.parse(text))).body).toEqual({ valid: true });
  expect((await api.get(`/api/v1/submissions/${id}`)).status).toBe(404);
});

/** Imports an export of another service: chosen, checked, imported, and the rejected rows downloaded. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, makeForm } from '../../support/client.js';
import { parseCsv } from '../../support/csv.js';
import { type OpenDashboard, type OwnDashboard, startDashboard } from '../../support/dashboard-pages.js';
import type { RunningServer } from '../../support/server.js';

let own: OwnDashboard;
let server: RunningServer;
let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  own = await startDashboard();
  ({ server, open } = own);
  page = open.page;
});
afterAll(() => own.stop());

describe('importing', () => {
  it('goes from the empty list to submissions, with a column corrected on the way', async () => {
    const form = await makeForm(server.url);
    const rows = Array.from(
      { length: 2_000 },
      (_, index) => `2024-01-05,Ada ${index},${'words '.repeat(10)}`,
    );
    const text = ['Arrived,Your name,Note', ...rows, 'never,<b>Eve</b>,x', ''].join('\n');
    await open.go(`/forms/${form.formId}`);
    await page.getByRole('link', { name: 'Import submissions' }).click();
    await page.getByRole('heading', { name: 'Import submissions' }).waitFor();
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'export.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByText('None of the first rows can be imported like this: line 2 has no date.').waitFor();

    await page.getByLabel('Meaning of Arrived').selectOption('date');
    await page.getByText('2024-01-05T00:00:00.000Z').first().waitFor();
    await page.getByLabel('Field for Your name').fill('name');
    await page.keyboard.press('Tab');
    await page.getByLabel('Meaning of Note').selectOption('skip');
    await page.locator('main pre', { hasText: '"name": "Ada 0"', hasNotText: 'Note' }).waitFor();

    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('status').filter({ hasText: '2,000 submissions imported' }).waitFor();
    await page.getByText('Line 2002: "never" is not a date that can be read').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download rejected rows' }).click(),
    ]);
    expect(parseCsv(await readFile(await download.path(), 'utf8'))).toEqual([
      ['line', 'reason', 'Arrived', 'Your name', 'Note'],
      ['2002', '"never" is not a date that can be read', 'never', '<b>Eve</b>', 'x'],
    ]);

    await page.getByRole('link', { name: 'Show submissions' }).click();
    await page.locator('main tr[data-row]', { hasText: 'Ada' }).first().waitFor();
    const { body } = await client(server.url).get(`/api/v1/forms/${form.formId}/submissions?limit=1`);
    expect(Object.keys(body.data[0].data)).toEqual(['name']);
    const found = await client(server.url).get(`/api/v1/forms/${form.formId}`);
    expect(found.body.submissions_count).toBe(2_000);
  });

  it('asks before leaving the page stops it', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/import`);
    const url = /\/import\?(?!.*dry_run)|\/import$/;
    await page.route(url, () => {});
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'a.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('date,name\n2024-01-05,Ada\n'),
    });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    const question = page.getByRole('dialog', { name: 'Stop the import?' });
    await page.getByRole('link', { name: 'Plan', exact: true }).click();
    await question.getByRole('button', { name: 'Stay on this page' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Plan', exact: true }).click();
    await question.getByRole('button', { name: 'Stop the import' }).click();
    await page.getByRole('heading', { name: 'Plan', level: 1 }).waitFor();
    await page.unroute(url);
  });

  it('says what is wrong with a file, and takes another', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/settings`);
    await page.getByRole('link', { name: 'Import submissions' }).click();
    const choose = (content: Buffer) =>
      page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'export.csv', mimeType: 'text/csv', buffer: content });
    await choose(Buffer.from('date,name\n2024-01-05,J\xfcrgen\n', 'latin1'));
    await page.getByRole('alert').filter({ hasText: 'The file is not UTF-8 text' }).waitFor();
    await choose(Buffer.from('date,name\n2024-01-05,Jürgen\n'));
    await page.locator('main pre', { hasText: 'Jürgen' }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});

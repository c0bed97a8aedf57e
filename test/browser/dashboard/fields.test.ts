/** The Fields tab of a form: from received fields to rules, their order, the check before saving, and errors. */
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: withAdmin })]);
  api = client(server.url);
  open = await openDashboard(browser, server);
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const part = (title: string) => open.page.getByRole('region', { name: title, exact: true });
const button = (name: string) => open.page.getByRole('button', { name, exact: true });
const rules = () => part('Rules');
const saveBar = () => part('Unsaved changes');
const toggle = (title: string) => rules().getByRole('button', { name: new RegExp(`^Edit ${title}`) });

const save = () => saveBar().getByRole('button', { name: 'Save', exact: true }).click();
async function saveAndWait(): Promise<void> {
  await save();
  await saveBar().waitFor({ state: 'detached' });
}

const titles = (): Promise<string[]> =>
  rules().locator('.rule-title .mantine-Text-root:first-child').allTextContents();
const storedRules = async (form: MadeForm) => (await api.get(`/api/v1/forms/${form.formId}`)).body.fields;

async function sentForm(): Promise<MadeForm> {
  const form = await makeForm(server.url);
  for (let i = 0; i < 11; i += 1) {
    const email = i === 4 ? 'not an address' : `ada${i}@example.com`;
    const sent = await submitJson(form.endpoint, {
      name: `Ada ${i}`,
      email,
      topic: i % 2 ? 'sales' : 'support',
    });
    expect(sent.status).toBe(200);
  }
  return form;
}

const threeRules = [
  { name: 'a', type: 'text', label: 'Alpha' },
  { name: 'b', type: 'text', label: 'Beta' },
  { name: 'c', type: 'text', label: 'Gamma' },
];
async function formWithRules(fields: readonly object[] = threeRules): Promise<MadeForm> {
  const form = await makeForm(server.url);
  expect((await api.patch(`/api/v1/forms/${form.formId}`, { fields })).status).toBe(200);
  return form;
}

describe('from what arrived to rules', () => {
  it('shows each field, turns them into rules, checks and saves them; then a wrong value is rejected', async () => {
    const form = await sentForm();
    await open.go(`/forms/${form.formId}/fields`);
    const topic = part('Received fields').getByRole('row', { name: /topic/ });
    await topic.getByText('100%', { exact: true }).waitFor();
    await topic.getByText('support (6)', { exact: true }).waitFor();
    await topic.getByText('text, choice', { exact: true }).waitFor();

    await button('Create rules from what arrived').click();
    await expect.poll(titles).toEqual(['Name', 'Email', 'Topic']);
    await part('Received fields').getByText('Has a rule').nth(2).waitFor();
    await open.page
      .getByRole('complementary', { name: 'Preview' })
      .getByText('sales', { exact: true })
      .waitFor();

    await button('Check the last 1,000 submissions').click();
    await open.says('1 of 11 submissions would have been rejected:');
    const violation = part('Check before you save').getByRole('listitem');
    expect(await violation.textContent()).toBe(
      'Email is not an e-mail address in 1 submission Show an example',
    );
    const example = await violation.getByRole('link').getAttribute('href');
    const id = example?.split('/').at(-1) ?? '';
    expect((await api.get(`/api/v1/submissions/${id}`)).body.data.email).toBe('not an address');

    await saveAndWait();
    expect(await storedRules(form)).toEqual([
      { name: 'name', type: 'text', label: 'Name', required: true },
      { name: 'email', type: 'email', label: 'Email', required: true },
      { name: 'topic', type: 'choice', choices: ['support', 'sales'], label: 'Topic', required: true },
    ]);
    const refused = await submitJson(form.endpoint, { name: 'Ada', email: 'ada', topic: 'sales' });
    expect(refused.status).toBe(422);
  });

  it('adds the rule of one field', async () => {
    const form = await sentForm();
    await open.go(`/forms/${form.formId}/fields`);
    await button('Add rule for email').click();
    await expect.poll(titles).toEqual(['Email']);
    await saveAndWait();
    expect(await storedRules(form)).toMatchObject([{ name: 'email', type: 'email' }]);
  });

  it('says that all submissions meet the rules, and takes the result back when a rule changes', async () => {
    const form = await sentForm();
    await open.go(`/forms/${form.formId}/fields`);
    await button('Add rule for name').click();
    await button('Check the last 1,000 submissions').click();
    await open.says('All 11 submissions meet these rules.');
    await toggle('Name').click();
    await open.page.getByLabel('Minimum characters').fill('6');
    await open.page.getByText('All 11 submissions meet these rules.').waitFor({ state: 'detached' });
    await button('Check the last 1,000 submissions').click();
    await open.says('10 of 11 submissions would have been rejected:');
    await saveBar().getByRole('button', { name: 'Discard changes' }).click();
    await open.says('This form accepts everything.');
  });

  it('helps with a form that nothing was sent to', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/fields`);
    await open.says('No fields yet');
    await button('Add a field').click();
    await open.page.getByLabel('Field name').fill('topic');
    await open.page.getByRole('combobox', { name: 'Type' }).click();
    await open.page.getByRole('option', { name: 'Choice', exact: true }).click();
    await open.page.getByLabel('Choices').first().fill('Sales, or more');
    await open.page.keyboard.press('Enter');
    await open.page.getByLabel('Visitors can choose several').click();
    await open.page.getByRole('textbox', { name: 'Help', exact: true }).fill('What is it about?');
    await open.page.getByLabel('Drop them').click();
    await saveAndWait();
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body).toMatchObject({
      fields: [
        {
          name: 'topic',
          type: 'choice',
          choices: ['Sales, or more'],
          multiple: true,
          help: 'What is it about?',
        },
      ],
      unknown_fields: 'drop',
    });
    await button('Check the last 1,000 submissions').click();
    await open.says('There are no submissions to check yet.');
  });
});

describe('the order', () => {
  const handle = (title: string) => button(`Move ${title}`);

  it('changes by keyboard, says so, and keeps the focus', async () => {
    const form = await formWithRules();
    await open.go(`/forms/${form.formId}/fields`);
    await handle('Alpha').focus();
    await open.page.keyboard.press('ArrowDown');
    await open.page.getByText('Alpha is now number 2 of 3').waitFor();
    await expect.poll(titles).toEqual(['Beta', 'Alpha', 'Gamma']);
    await open.page.keyboard.press('ArrowDown');
    await open.page.getByText('Alpha is now number 3 of 3').waitFor();
    // It is already the last.
    await open.page.keyboard.press('ArrowDown');
    await open.page.keyboard.press('ArrowUp');
    await open.page.getByText('Alpha is now number 2 of 3').waitFor();
    await expect.poll(titles).toEqual(['Beta', 'Alpha', 'Gamma']);
    await saveAndWait();
    expect(await storedRules(form)).toEqual([threeRules[1], threeRules[0], threeRules[2]]);
  });

  it('changes by buttons, which stay at the rule that is edited', async () => {
    const form = await formWithRules();
    await open.go(`/forms/${form.formId}/fields`);
    await toggle('Gamma').click();
    await button('Move up').click();
    await expect.poll(titles).toEqual(['Alpha', 'Gamma', 'Beta']);
    await expect.poll(() => open.page.getByLabel('Field name').inputValue()).toBe('c');
    await button('Move up').click();
    await expect.poll(titles).toEqual(['Gamma', 'Alpha', 'Beta']);
    await expect.poll(() => button('Move up').isDisabled()).toBe(true);
    await button('Remove').click();
    await open.page.getByText('Gamma was removed').waitFor();
    await saveAndWait();
    expect(await storedRules(form)).toEqual(threeRules.slice(0, 2));
  });

  it('changes by dragging, and not if it is cancelled', async () => {
    const form = await formWithRules();
    await open.go(`/forms/${form.formId}/fields`);
    const drag = async (title: string, onto: string): Promise<void> => {
      await handle(title).hover();
      await open.page.mouse.down();
      const box = await handle(onto).boundingBox();
      if (box === null) throw new Error('It is not shown');
      await open.page.mouse.move(box.x + 5, box.y + box.height - 2, { steps: 4 });
    };
    await drag('Alpha', 'Gamma');
    await rules().locator('[data-drop="after"]').waitFor();
    await open.page.mouse.up();
    await expect.poll(titles).toEqual(['Beta', 'Gamma', 'Alpha']);
    await drag('Beta', 'Gamma');
    await open.page.keyboard.press('Escape');
    await open.page.mouse.up();
    await expect.poll(titles).toEqual(['Beta', 'Gamma', 'Alpha']);
    await saveAndWait();
    expect(await storedRules(form)).toEqual([threeRules[1], threeRules[2], threeRules[0]]);
  });
});

describe('what is wrong', () => {
  it('is said at the setting of its rule, after saving and after checking', async () => {
    const form = await formWithRules([
      { name: 'a', type: 'text' },
      { name: 'age', type: 'integer', min: 5 },
    ]);
    await open.go(`/forms/${form.formId}/fields`);
    await toggle('age').click();
    await open.page.getByLabel('Maximum value').fill('2');
    await toggle('age').click();
    await open.page.getByLabel('Maximum value').waitFor({ state: 'detached' });
    await save();
    await open.says('Not saved. Check the marked fields.');
    await open.says('Min contradicts max: 5 is more than 2');
    const lowest = open.page.getByLabel('Minimum value');
    expect(await lowest.getAttribute('aria-invalid')).toBe('true');
    await lowest.fill('1');
    await open.page.getByText('Min contradicts max: 5 is more than 2').waitFor({ state: 'detached' });
    await lowest.fill('9');
    await button('Check the last 1,000 submissions').click();
    await open.says('Not checked. Correct the marked fields first.');
    await open.says('Min contradicts max: 9 is more than 2');
    await open.page.getByLabel('Minimum value').fill('');
    await open.page.getByLabel('Minimum value').pressSequentially('-1.5');
    await saveAndWait();
    expect(await storedRules(form)).toEqual([
      { name: 'a', type: 'text' },
      { name: 'age', type: 'integer', min: -1.5, max: 2 },
    ]);
  });

  it('is asked about before unsaved rules are left', async () => {
    const form = await formWithRules();
    await open.go(`/forms/${form.formId}/fields`);
    await button('Add a field').click();
    await open.page.getByRole('tab', { name: 'Submissions' }).click();
    await open.page.getByRole('dialog').waitFor();
    await open.page.keyboard.press('Escape');
    await saveBar().getByRole('button', { name: 'Discard changes' }).click();
    await saveBar().waitFor({ state: 'detached' });
    await expect.poll(titles).toEqual(['Alpha', 'Beta', 'Gamma']);
  });
});

it('keeps every setting of every type that is entered', async () => {
  const form = await formWithRules([{ name: 'cv', type: 'text', label: 'CV', max_length: 5 }]);
  await open.go(`/forms/${form.formId}/fields`);
  await toggle('CV').click();
  await open.page.getByLabel('Placeholder').fill('Yours');
  await open.page.getByLabel('Required').click();
  await open.page.getByRole('combobox', { name: 'Type' }).click();
  await open.page.getByRole('option', { name: 'File', exact: true }).click();
  await open.page.getByLabel('Accepted files').first().fill('.pdf, image/*');
  await open.page.keyboard.press('Enter');
  await open.page.getByLabel('Several files are accepted').click();
  await open.page.getByLabel('Maximum files').fill('3');
  await open.page.getByLabel('Maximum size of each file').fill('2.5');
  await open.page.getByLabel('Label', { exact: true }).fill('Your CV');
  await saveAndWait();
  expect(await storedRules(form)).toEqual([
    {
      ...{ name: 'cv', type: 'file', label: 'Your CV', required: true, accept: ['.pdf', 'image/*'] },
      ...{ multiple: true, max_files: 3, max_bytes: 2_500_000 },
    },
  ]);
});

describe.each([
  [1280, 'light'],
  [1920, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)('at %i pixels, %s', (width, colorScheme) => {
  const findingsOf = async (page: Page): Promise<readonly string[]> => {
    await page.evaluate(axe.source);
    return page.evaluate<string[]>(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html)))`,
    );
  };

  it('fits, and has no finding of axe', async () => {
    const form = await sentForm();
    const other = await openDashboard(browser, server, { viewport: { width, height: 900 }, colorScheme });
    const { page } = other;
    await other.go(`/forms/${form.formId}/fields`);
    await page.getByRole('button', { name: 'Create rules from what arrived' }).click();
    await page.locator('.rule-toggle').nth(2).click();
    await page.getByLabel('Field name').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await findingsOf(page)).toEqual([]);
    expect(await other.faults()).toEqual([]);
    await other.close();
  });
});

it('names columns by the labels of rules, offers learned fields, and shows values by their kind', async () => {
  const form = await makeForm(server.url, { form: { name: 'Kinds' } });
  // Learned from a submission that no longer exists.
  const old = await submitJson(form.endpoint, { old_field: 'x' });
  expect((await api.delete(`/api/v1/submissions/${old.body.submission_id}`)).status).toBe(204);
  for (let i = 0; i < 3; i += 1)
    await submitJson(form.endpoint, {
      full_name: `Ada ${i}`,
      email: 'ada@example.com',
      guests: 10 + i,
      days: ['Monday', 'Friday'],
      news: true,
      at: '2026-02-03T10:00:00Z',
    });
  await api.patch(`/api/v1/forms/${form.formId}`, {
    fields: [
      { name: 'guests', type: 'integer', label: 'Number of guests' },
      { name: 'full_name', type: 'text', label: 'Your name' },
    ],
  });
  await open.go(`/forms/${form.formId}`);
  await button('Columns').click();
  await open.page.getByRole('checkbox', { name: 'old_field' }).waitFor();
  for (const name of ['Number of guests', 'days', 'news', 'at']) {
    const box = open.page.getByRole('checkbox', { name, exact: true });
    if (!(await box.isChecked())) await box.click();
  }
  await open.page.keyboard.press('Escape');
  await open.page.getByRole('columnheader', { name: /^Number of guests/ }).waitFor();
  const row = open.page.getByRole('row').filter({ hasText: 'Ada 2' });
  expect(await row.getByRole('link', { name: 'ada@example.com' }).getAttribute('href')).toBe(
    'mailto:ada@example.com',
  );
  expect(await row.locator('.value-chip').allTextContents()).toEqual(['Monday', 'Friday']);
  await row.getByText('Yes', { exact: true }).waitFor();
  const alignment = `getComputedStyle([...document.querySelectorAll('td')].find((cell) => cell.textContent === '12')).textAlign`;
  expect(await open.page.evaluate(alignment)).toBe('right');
  expect(await row.locator('time[datetime="2026-02-03T10:00:00.000Z"]').count()).toBe(1);

  await button('Filter').click();
  await open.page.getByRole('option', { name: 'old_field Field', exact: true }).waitFor();
  await open.page.getByRole('combobox', { name: 'Filter by' }).fill('your');
  await open.page.getByRole('option', { name: 'Your name Field', exact: true }).click();
  await open.page.getByLabel('Text to find').fill('ada 1');
  await button('Apply').click();
  await button('Your name: contains ada 1').waitFor();
  await expect.poll(() => open.page.locator('.row-link').allTextContents()).toEqual(['Ada 1']);
  expect(new URL(open.page.url()).search).toContain('full_name');
});

it('shows labels, and values by their kind, on the page of a submission', async () => {
  const form = await makeForm(server.url);
  await api.patch(`/api/v1/forms/${form.formId}`, {
    fields: [{ name: 'news', type: 'boolean', label: 'Send me news' }],
  });
  const sent = await submitJson(form.endpoint, {
    ...{ days: ['Monday', 'Friday'], news: false, at: '2026-02-03T10:00:00Z' },
  });
  await open.go(`/submissions/${sent.body.submission_id}`);
  const values = open.page.locator('.field-list dd:first-of-type');
  await values.nth(1).getByText('No', { exact: true }).waitFor();
  const names = open.page.locator('.field-list dt');
  await expect.poll(() => names.allTextContents()).toEqual(['days', 'Send me news', 'at']);
  expect(await names.nth(1).getAttribute('title')).toBe('news');
  expect(await values.nth(0).locator('.value-chip').allTextContents()).toEqual(['Monday', 'Friday']);
  expect(await values.nth(2).locator('time').getAttribute('datetime')).toBe('2026-02-03T10:00:00.000Z');
  await values.nth(2).getByText('2026-02-03T10:00:00Z', { exact: true }).waitFor();
});

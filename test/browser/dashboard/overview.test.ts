/** The first page: the numbers and what needs attention; and the frame around every page. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { type Receiver, startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { becomes, startHookServer, submit } from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
let page: Page;
let receivers: readonly Receiver[];
let orders: MadeForm;
let comments: MadeForm;

const totalOf = async (name: string): Promise<number> =>
  (await api.get('/api/v1/stats')).body.days.reduce(
    (sum: number, day: Record<string, number>) => sum + (day[name] ?? 0),
    0,
  );

beforeAll(async () => {
  const env = { ...withAdmin, WEBHOOK_RETRY_DELAYS: '0.05,0.05,0.05,0.05' };
  const [good, bad] = await Promise.all([startAnswering(), startAnswering({ status: 500 })]);
  receivers = [good, bad];
  [browser, server] = await Promise.all([sharedBrowser(), startHookServer(env)]);
  api = client(server.url);
  orders = await makeForm(server.url, {
    project: { name: 'Shop' },
    form: { name: 'Orders', webhook_url: good.url, allowed_origins: [] },
  });
  comments = await makeForm(server.url, {
    project: { name: 'Blog' },
    form: { name: 'Comments', webhook_url: bad.url },
  });
  for (const name of ['Ada', 'Bob', 'Cleo']) await submit(orders.endpoint, { name });
  await submit(comments.endpoint);
  for (const name of ['Robot', 'Robot too']) await submitJson(orders.endpoint, { name, _gotcha: 'x' });
  const headers = { origin: 'http://localhost:8080' };
  expect((await submitJson(orders.endpoint, { name: 'Ada' }, headers)).status).toBe(403);
  for (const [name, count] of [
    ['received', 4],
    ['quarantined', 2],
    ['refused', 1],
    ['delivered', 3],
    ['failed', 1],
  ] as const) {
    await becomes(
      () => totalOf(name),
      (total) => total === count,
    );
  }
  open = await openDashboard(browser, server);
  page = open.page;
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([
    leaveBrowser(browser),
    server.dispose(),
    ...receivers.map((receiver) => receiver.close()),
  ]);
});

const panel = (title: string, of = page) => of.getByRole('region', { name: title, exact: true });
const legend = (title: string) => panel(title).getByRole('listitem');
const rows = (title: string) => panel(`${title}, table`).locator('tbody tr');

const inAddress = (name: string): string | null => new URL(page.url()).searchParams.get(name);

/** The sum of each column, because a test that runs over midnight has its counts on two days. */
async function sums(title: string): Promise<readonly number[]> {
  const counts = await rows(title).getByRole('cell').allInnerTexts();
  const columns = counts.length / (await rows(title).count());
  return Array.from({ length: columns }, (_, column) =>
    counts.reduce((sum, count, index) => (index % columns === column ? sum + Number(count) : sum), 0),
  );
}

describe('the overview', () => {
  it('has the numbers of all projects, in words and as a table', async () => {
    await open.go('');
    await page.getByRole('status').getByText('1 of 4 deliveries failed in the last 30 days.').waitFor();
    for (const words of ['Received 4', 'Rejected 1', 'Quarantined 2']) {
      await legend('Submissions').filter({ hasText: words }).waitFor();
    }
    for (const words of ['Delivered 3', 'Waiting 0', 'Failed 1']) {
      await legend('Deliveries').filter({ hasText: words }).waitFor();
    }
    for (const title of ['Submissions', 'Deliveries']) {
      await panel(title).getByRole('button', { name: 'Show as table' }).click();
    }
    await expect.poll(() => sums('Submissions')).toEqual([4, 1, 2]);
    await expect.poll(() => sums('Deliveries')).toEqual([3, 0, 1]);
  });

  it('shows as many days as one chooses, and still does after a reload', async () => {
    await open.go('');
    await panel('Submissions').getByRole('button', { name: 'Show as table' }).click();
    for (const days of [7, 90, 30]) {
      await page.getByText(`${days} days`, { exact: true }).click();
      await page.getByText(`in the last ${days} days`).waitFor();
      await expect.poll(() => inAddress('days')).toBe(String(days));
      // The charts start where the data starts, and show at least a week.
      await expect.poll(() => rows('Submissions').count()).toBe(7);
      const note = panel('Submissions').getByText(/^First data \d+ \w+$/);
      await expect.poll(() => note.filter({ visible: true }).count()).toBe(days === 7 ? 0 : 1);
    }
    await page.getByText('7 days', { exact: true }).click();
    await page.getByText('in the last 7 days').waitFor();
    await page.reload();
    await page.getByText('in the last 7 days').waitFor();
    await page.getByRole('radio', { name: '7 days', checked: true }).waitFor({ state: 'attached' });
  });

  it('shows the numbers of one project or of one form', async () => {
    await open.go('');
    const choice = page.getByRole('combobox', { name: 'Project or form' });
    await choice.click();
    await page.getByRole('option', { name: 'Blog', exact: true }).click();
    await page.getByText('1 of 1 delivery failed in the last 30 days.').waitFor();
    await legend('Submissions').filter({ hasText: 'Received 1' }).waitFor();
    await expect.poll(() => inAddress('project_id')).toBe(comments.projectId);
    await choice.click();
    await page.getByRole('option', { name: 'Orders · Shop', exact: true }).click();
    await page.getByText('Everything is arriving: 3 received, 3 delivered in the last 30 days.').waitFor();
    await legend('Submissions').filter({ hasText: 'Quarantined 2' }).waitFor();
  });

  it('names what needs attention and leads to it', async () => {
    await open.go('');
    const needs = panel('Needs attention').getByRole('listitem');
    const failing = needs.filter({ hasText: 'Comments' });
    await failing.getByRole('link', { name: 'See deliveries' }).click();
    await page.getByRole('heading', { name: 'Comments', level: 1 }).waitFor();
    await page.waitForURL(({ pathname }) => pathname.endsWith(`/forms/${comments.formId}/deliveries`));
    await page.goBack();
    await needs.filter({ hasText: 'Orders' }).getByRole('link', { name: 'Review' }).click();
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    await page.locator('main li[data-row]').filter({ hasText: 'Robot too' }).waitFor();
  });

  it('says what happened when the server fails, and tries again', async () => {
    let isFailing = true;
    const stats = '**/api/v1/stats?*';
    await page.route(stats, (route) =>
      isFailing
        ? route.fulfill({ status: 500, json: { error: 'Internal server error', code: 'internal_error' } })
        : route.continue(),
    );
    await open.go('');
    const alert = page.getByRole('alert').filter({ hasText: 'This could not be loaded' });
    await alert.getByText('Internal server error').waitFor();
    await panel('Needs attention').getByText('Comments').waitFor();
    isFailing = false;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await legend('Submissions').filter({ hasText: 'Received 4' }).waitFor();
    await alert.waitFor({ state: 'detached' });
    await page.unroute(stats);
  });
});

describe('the frame', () => {
  it('is light or dark as one chooses, and remembers it', async () => {
    await open.go('');
    for (const [label, scheme] of [
      ['Dark', 'dark'],
      ['Light', 'light'],
    ] as const) {
      await page.getByRole('button', { name: 'Light or dark' }).click();
      await page.getByRole('menuitem', { name: label }).click();
      await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
      await open.go('/plan');
      await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
      await expect
        .poll(() => page.evaluate<string>('getComputedStyle(document.body).backgroundColor'))
        .toBe(scheme === 'dark' ? 'rgb(19, 22, 24)' : 'rgb(255, 255, 255)');
    }
  });

  it('has help', async () => {
    await open.go('/plan');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Help' });
    await help.getByText('Next and previous in a list').waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
  });

  it('fits a phone, where a button opens the navigation', async () => {
    const phone = await openDashboard(browser, server, { viewport: { width: 390, height: 844 } });
    await phone.go('');
    await panel('Needs attention', phone.page).getByText('Comments').waitFor();
    await expect
      .poll(() => phone.page.evaluate<number>('document.documentElement.scrollWidth'))
      .toBeLessThanOrEqual(390);
    const link = phone.page
      .getByRole('navigation', { name: 'All pages' })
      .getByRole('link', { name: 'Quarantine' });
    await expect.poll(() => link.isVisible()).toBe(false);
    await phone.page.getByRole('button', { name: 'More' }).click();
    await link.click();
    await phone.page.getByRole('heading', { name: 'Quarantine', level: 1 }).waitFor();
    await phone.page.getByRole('button', { name: 'More', expanded: false }).waitFor();
    await expect.poll(() => link.isVisible()).toBe(false);
    expect(await phone.faults()).toEqual([]);
    await phone.close();
  });

  it('says in words that there is no such page, and leads back', async () => {
    await open.go('/no/such/page');
    await page.getByRole('heading', { name: 'There is no such page', level: 1 }).waitFor();
    await expect.poll(() => page.title()).toBe('There is no such page · Inlet');
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });
});

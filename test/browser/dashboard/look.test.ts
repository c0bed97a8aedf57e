/** How the dashboard looks where it affects usability: type, edges, page header, charts, messages, and on a phone. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, makeForm } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson } from '../../support/visitor.js';

const longName = `Application for the gathering of people with ${'extraordinarily '.repeat(6)}long names`;

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
let form: Awaited<ReturnType<typeof makeForm>>;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: withAdmin })]);
  api = client(server.url);
  form = await makeForm(server.url, { form: { name: 'Contact' } });
  for (let i = 0; i < 3; i += 1) await postJson(form.endpoint, { name: `Ada ${i}` });
  await postJson(form.endpoint, { name: 'Bot', _gotcha: 'x' });
  open = await openDashboard(browser, server);
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

/** The element's edges in the window. */
async function boxOf(
  element: Locator,
): Promise<{ top: number; bottom: number; left: number; right: number }> {
  const box = await element.boundingBox();
  if (box === null) throw new Error('It is not shown');
  return { top: box.y, bottom: box.y + box.height, left: box.x, right: box.x + box.width };
}

/** Whether the text of each matching element is cut off. */
const cutOff = (page: Page, selector: string): Promise<boolean[]> =>
  page.evaluate<boolean[]>(
    `[...document.querySelectorAll('${selector}')].map((part) => part.scrollWidth > part.clientWidth)`,
  );

const onPhone = { viewport: { width: 390, height: 844 } };

describe('the typeface', () => {
  it('is ours, comes from this server, and has figures of one width', async () => {
    const asked: string[] = [];
    const listen = (request: { url(): string; resourceType(): string }) => {
      if (request.resourceType() === 'font') asked.push(new URL(request.url()).origin);
    };
    open.page.on('request', listen);
    await open.go(`/forms/${form.formId}`);
    await expect.poll(() => open.page.evaluate(`document.fonts.check('14px Geist')`)).toBe(true);
    open.page.off('request', listen);
    expect([...new Set(asked)]).toEqual([server.url]);
    const widths = await open.page.evaluate<number[]>(`(() => {
      const widthOf = (text) => {
        const span = document.createElement('span');
        span.textContent = text;
        document.querySelector('main').append(span);
        const { width } = span.getBoundingClientRect();
        span.remove();
        return width;
      };
      return [widthOf('1111'), widthOf('0000'), widthOf('Inlet')];
    })()`);
    expect(widths[0]).toBe(widths[1]);
    expect(widths[2]).toBeGreaterThan(0);
  });
});

describe('the head of a page', () => {
  it('stays in sight in one row, with the name, the endpoint and what can be done', async () => {
    const named = await makeForm(server.url, { form: { name: longName } });
    await open.go(`/forms/${named.formId}/settings`);
    await open.page.setViewportSize({ width: 1280, height: 800 });
    const title = open.page.getByRole('heading', { level: 1 });
    const parts = [
      title,
      open.page.getByText(`POST ${named.endpoint}`),
      open.page.getByText('Live', { exact: true }).first(),
      open.page.getByRole('button', { name: 'Copy endpoint' }),
      open.page.getByRole('button', { name: 'Form actions' }),
    ];
    await open.page.getByRole('heading', { name: 'General', level: 2 }).waitFor();
    await open.page.mouse.wheel(0, 2_000);
    await expect.poll(() => open.page.evaluate<number>('scrollY')).toBeGreaterThan(500);
    for (const part of parts) {
      const { top, bottom, right, left } = await boxOf(part);
      expect([top >= 48, bottom <= 96, left >= 240, right <= 1280, right - left > 16]).toEqual(
        Array(5).fill(true),
      );
    }
    expect(await title.getAttribute('title')).toBe(longName);
  });

  it.each([
    [1280, 'Contact', false],
    [1280, 'Registration for the summer school', false],
    [1280, longName, true],
    [1920, 'Registration for the summer school', false],
  ])('at %i px shows the name %s beside the endpoint and the state; cut: %s', async (width, name, isCut) => {
    const named = await makeForm(server.url, { form: { name } });
    await open.page.setViewportSize({ width, height: 800 });
    await open.go(`/forms/${named.formId}`);
    await open.page.getByText(`POST ${named.endpoint}`).waitFor();
    await open.page.locator('.page-title').getByRole('link').nth(1).waitFor();
    await open.settled();
    expect(await cutOff(open.page, '.page-title h1')).toEqual([isCut]);
    // Always the same short word.
    expect((await cutOff(open.page, '.page-title nav a'))[0]).toBe(false);
    expect(await cutOff(open.page, '.page-facts .mantine-Badge-label')).toEqual([false]);
    await open.page.setViewportSize({ width: 1280, height: 900 });
  });

  it('shortens the way there before the name, and never the state', async () => {
    const named = await makeForm(server.url, {
      project: { name: 'A project whose name is long' },
      form: { name: 'A form whose name is long as well' },
    });
    const name = 'Customer relations, old system';
    const made = await api.post(`/api/v1/forms/${named.formId}/destinations`, {
      kind: 'webhook',
      name,
      config: { url: 'https://example.com/hook' },
    });
    await open.go(`/destinations/${made.body.id}`);
    await open.page.getByRole('link', { name: 'A form whose name is long as well' }).first().waitFor();
    await expect.poll(() => cutOff(open.page, '.page-title h1')).toEqual([false]);
    expect(await cutOff(open.page, '.page-facts .mantine-Badge-label')).toEqual([false]);
    expect(await cutOff(open.page, '.page-title nav a')).toContain(true);
    const state = await boxOf(open.page.locator('.page-facts .mantine-Badge-root'));
    expect(state.right).toBeLessThan(
      (await boxOf(open.page.getByRole('button', { name: 'Send a test' }))).left,
    );
  });

  it('has its content in the middle of a wide window', async () => {
    await open.page.setViewportSize({ width: 1920, height: 1000 });
    await open.go(`/forms/${form.formId}`);
    const crumbs = open.page.getByRole('navigation', { name: 'Breadcrumbs' });
    const { left } = await boxOf(crumbs.getByRole('link').first());
    const { right } = await boxOf(open.page.getByRole('button', { name: 'Form actions' }));
    const sidebar = await boxOf(open.page.getByRole('navigation', { name: 'All pages' }));
    expect(Math.abs(left - sidebar.right - (1920 - right))).toBeLessThan(2);
    expect(right - left).toBeGreaterThan(1_300);
    await open.page.setViewportSize({ width: 1280, height: 900 });
  });
});

describe('a list', () => {
  it.each([1280, 390])('begins all names on one line, read or not, at %i px', async (width) => {
    const { data } = (await api.get(`/api/v1/forms/${form.formId}/submissions`)).body;
    const list = await openDashboard(browser, server, { viewport: { width, height: 844 } });
    await list.go(`/submissions/${data[0].id}`);
    await list.settled();
    await list.go(`/forms/${form.formId}`);
    await list.page.locator('tbody tr[data-unread="false"]').first().waitFor();
    await list.page.locator('tbody tr[data-unread="true"]').first().waitFor();
    const lefts = await list.page.evaluate<number[]>(
      `[...document.querySelectorAll('.row-link')].map((name) => name.getBoundingClientRect().left)`,
    );
    expect(lefts.length).toBeGreaterThan(1);
    expect([...new Set(lefts)]).toHaveLength(1);
    // The whole dot is visible, too.
    const dot = await boxOf(list.page.locator('.unread-dot').first());
    const cell = await boxOf(list.page.locator('td:has(.unread-dot)').first());
    expect(dot.left).toBeGreaterThanOrEqual(cell.left);
    expect(dot.right).toBeLessThanOrEqual(lefts[0] ?? 0);
    await list.close();
  });
});

describe('a chart', () => {
  it('tells the numbers of a day to who points at it, and to who goes there by keyboard', async () => {
    await open.go('');
    const chart = open.page.getByRole('region', { name: 'Submissions', exact: true });
    const days = chart.getByRole('button', { name: /Received \d+, Rejected \d+, Quarantined \d+$/ });
    // From the start of the data, and at least a week.
    await expect.poll(() => days.count()).toBe(7);
    await days.last().hover();
    const numbers = chart.locator('.chart-numbers');
    const focused = () => open.page.evaluate<string | null>('document.activeElement.ariaLabel');
    await expect.poll(() => numbers.innerText()).toMatch(/Received\s+3/);
    await open.page.mouse.move(0, 0);
    await numbers.waitFor({ state: 'detached' });
    await chart.getByRole('button', { name: 'Show as table' }).focus();
    await open.page.keyboard.press('Tab');
    await expect.poll(() => numbers.innerText()).toMatch(/Quarantined\s+1/);
    await open.page.keyboard.press('Home');
    await expect.poll(() => numbers.innerText()).toMatch(/Received\s+0/);
    await open.page.keyboard.press('ArrowRight');
    await expect.poll(focused).toBe(await days.nth(1).getAttribute('aria-label'));
    await open.page.keyboard.press('End');
    await expect.poll(focused).toBe(await days.last().getAttribute('aria-label'));
  });

  it('draws each number as a bar that is as high as it is', async () => {
    await open.go('');
    const chart = open.page.getByRole('region', { name: 'Submissions', exact: true });
    const pieces = chart.locator('.chart-piece');
    await expect.poll(() => pieces.count()).toBe(2);
    const heights = await Promise.all([0, 1].map((at) => pieces.nth(at).getAttribute('height')));
    expect(Number(heights[0]) / Number(heights[1])).toBeCloseTo(3, 1);
  });
});

describe('settings', () => {
  it('never have the focus below the save bar, nor below the head', async () => {
    await open.page.setViewportSize({ width: 1280, height: 600 });
    await open.go(`/forms/${form.formId}/settings`);
    await open.page.getByLabel('Name', { exact: true }).first().fill('Contact us');
    const bar = open.page.getByRole('region', { name: 'Unsaved changes' });
    await bar.waitFor();
    const focused = `(() => {
      const { top, bottom } = document.activeElement.getBoundingClientRect();
      return { top, bottom, tag: document.activeElement.tagName, inBar: document.activeElement.closest('.save-bar') !== null };
    })()`;
    const hidden: unknown[] = [];
    for (let i = 0; i < 40; i += 1) {
      await open.page.keyboard.press('Tab');
      const at = await open.page.evaluate<{ top: number; bottom: number; tag: string; inBar: boolean }>(
        focused,
      );
      if (at.inBar) break;
      const edge = await boxOf(bar);
      if (at.bottom > edge.top + 1 || at.top < 95) hidden.push(at);
    }
    expect(hidden).toEqual([]);
    await bar.getByRole('button', { name: 'Discard changes' }).click();
    await bar.waitFor({ state: 'detached' });
    await open.page.setViewportSize({ width: 1280, height: 900 });
  });

  it('are covered by no message', async () => {
    await open.go(`/forms/${form.formId}/settings`);
    await open.page.getByLabel('Redirect to').fill('https://example.com/thanks');
    await open.page.getByRole('button', { name: 'Save', exact: true }).click();
    await open.says('Saved');
    const message = await boxOf(open.page.getByRole('alert').filter({ hasText: 'Saved' }));
    const sidebar = await boxOf(open.page.getByRole('navigation', { name: 'All pages' }));
    expect(message.left).toBeGreaterThan(sidebar.right);
    // As soon as there are unsaved changes, messages make room for the bar.
    await open.page.getByLabel('Redirect to').fill('https://example.com/other');
    const bar = open.page.getByRole('region', { name: 'Unsaved changes' });
    await bar.waitFor();
    const lowerEdge = `document.querySelector('.messages[data-position="bottom-left"]').getBoundingClientRect().bottom`;
    const { top } = await boxOf(bar);
    await expect.poll(() => open.page.evaluate<number>(lowerEdge)).toBeLessThanOrEqual(top);
    await bar.getByRole('button', { name: 'Discard changes' }).click();
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.success_redirect).toBe(
      'https://example.com/thanks',
    );
  });
});

describe('a message', () => {
  it('has room for the button that takes the change back', async () => {
    const sent = await postJson(form.endpoint, { name: 'To be taken back' });
    await open.go(`/submissions/${sent.body.submission_id}`);
    await open.page.getByRole('button', { name: 'Trash', exact: true }).click();
    const message = open.page.getByRole('alert').filter({ hasText: 'Moved to trash' });
    const undo = message.getByRole('button', { name: 'Undo', exact: true });
    const [outer, inner] = [await boxOf(message), await boxOf(undo)];
    expect([inner.left > outer.left, inner.right < outer.right]).toEqual([true, true]);
    expect(await cutOff(open.page, '.messages .mantine-Button-label')).toEqual([false]);
    await undo.click();
    await message.waitFor({ state: 'detached' });
  });
});

describe('a phone', () => {
  it('shows the content in its upper half, and states in full', async () => {
    const phone = await openDashboard(browser, server, onPhone);
    const sent = await postJson(form.endpoint, { name: '', title: 'White flash', email: '' });
    await phone.go(`/submissions/${sent.body.submission_id}`);
    await phone.page.getByRole('heading', { name: 'White flash', level: 1 }).waitFor();
    const fields = phone.page.getByRole('heading', { name: 'Fields', level: 2 });
    expect((await boxOf(fields)).top).toBeLessThan(280);
    await phone.go(`/forms/${form.formId}`);
    const row = phone.page.locator('tbody tr').first();
    await row.waitFor();
    expect((await boxOf(row)).top).toBeLessThan(380);
    await phone.go(`/projects/${form.projectId}`);
    const state = phone.page.getByRole('table').getByText('Live', { exact: true });
    await state.waitFor();
    expect(await cutOff(phone.page, 'td .mantine-Badge-label')).not.toContain(true);
    await phone.close();
  });

  it('has the main pages, the search and everything else within reach of a thumb', async () => {
    const phone = await openDashboard(browser, server, onPhone);
    await phone.go('');
    const bar = phone.page.getByRole('navigation', { name: 'Main pages' });
    const { top, bottom } = await boxOf(bar);
    expect([top >= 844 - 64, bottom]).toEqual([true, 844]);
    await bar.getByRole('link', { name: 'Projects' }).click();
    await phone.page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    await expect
      .poll(() => bar.getByRole('link', { name: 'Projects' }).getAttribute('aria-current'))
      .toBe('page');
    await bar.getByRole('button', { name: 'Search' }).click();
    await phone.page.getByRole('listbox').waitFor();
    await phone.page.keyboard.press('Escape');
    await bar.getByRole('button', { name: 'More' }).click();
    await phone.page
      .getByRole('navigation', { name: 'All pages' })
      .getByRole('link', { name: 'Users' })
      .click();
    await phone.page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    expect(await phone.faults()).toEqual([]);
    await phone.close();
  });

  it('shows the tab that is open', async () => {
    const phone = await openDashboard(browser, server, onPhone);
    for (const tab of ['snippets', 'quarantine', 'settings']) {
      await phone.go(`/forms/${form.formId}/${tab}`);
      // The snippets have their own tabs.
      const shown = phone.page.getByRole('tablist').first().getByRole('tab', { selected: true });
      const isInSight = async () => {
        const { left, right } = await boxOf(shown);
        return left >= 0 && right <= 390;
      };
      await expect.poll(isInSight).toBe(true);
    }
    await phone.page.setViewportSize({ width: 844, height: 390 });
    await phone.go(`/forms/${form.formId}/snippets`);
    const snippets = phone.page.getByRole('tab', { name: 'Snippets' });
    await snippets.waitFor();
    await phone.page.setViewportSize(onPhone.viewport);
    await expect.poll(async () => (await boxOf(snippets)).right).toBeLessThanOrEqual(390);
    await phone.close();
  });

  it('shows three lines of a long name above a form, and in the lists of forms and projects', async () => {
    const name = 'a'.repeat(200);
    const named = await makeForm(server.url, { project: { name }, form: { name } });
    const phone = await openDashboard(browser, server, onPhone);
    await phone.go(`/forms/${named.formId}`);
    const title = await boxOf(phone.page.getByRole('heading', { level: 1 }));
    expect(title.bottom - title.top).toBeLessThan(90);
    for (const list of [`/projects/${named.projectId}`, '/projects']) {
      await phone.go(list);
      const row = phone.page.locator('tbody tr').filter({ hasText: name }).first();
      await row.waitFor();
      const { top, bottom } = await boxOf(row);
      expect(bottom - top).toBeLessThan(90);
    }
    await phone.close();
  });
});

/** The command palette: everything with a name takes a few keys, and no mouse is needed. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type MadeForm, makeForm } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { submit } from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let open: OpenDashboard;
let page: Page;
let orders: MadeForm;
let comments: MadeForm;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: withAdmin })]);
  orders = await makeForm(server.url, { project: { name: 'Shop' }, form: { name: 'Orders' } });
  comments = await makeForm(server.url, { project: { name: 'Blog' }, form: { name: 'Comments' } });
  for (const name of ['Ada Lovelace', 'Cleo'])
    await submit(orders.endpoint, { name, message: `From ${name}` });
  await submit(comments.endpoint, { name: 'Cleopatra', message: 'From Egypt' });
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

// Each test starts without recently opened pages.
beforeEach(async () => {
  open = await openDashboard(browser, server, { permissions: ['clipboard-read', 'clipboard-write'] });
  page = open.page;
  return async () => {
    expect(await open.faults()).toEqual([]);
    await open.close();
  };
});

const box = () => page.getByRole('combobox', { name: 'Search and commands' });
const option = (name: string) => page.getByRole('option', { name, exact: true });
const chosen = (name: string) => page.getByRole('option', { name, exact: true, selected: true });
const group = (name: string) => page.getByRole('group', { name, exact: true }).getByRole('option');
const isClosed = () => box().waitFor({ state: 'detached' });

async function type(words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await box().waitFor();
  await page.keyboard.type(words);
}

/** Types the words and opens the option, once it is the first. */
async function pick(words: string, name: string): Promise<void> {
  await type(words);
  await chosen(name).waitFor();
  await page.keyboard.press('Enter');
  await isClosed();
}

describe('opening it', () => {
  it('works with Ctrl K, also in a field, and the same keys or Esc lead back', async () => {
    await open.go(`/forms/${orders.formId}/settings`);
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.focus();
    for (const key of ['Control+k', 'Escape']) {
      await page.keyboard.press('Control+k');
      await box().and(page.locator(':focus')).waitFor();
      await page.keyboard.press(key);
      await isClosed();
      await name.and(page.locator(':focus')).waitFor();
    }
  });

  it('works with / where the page has no search, and leaves / to the page that has one', async () => {
    await open.go('/plan');
    await page.keyboard.press('/');
    await box().waitFor();
    await page.keyboard.press('Escape');
    await isClosed();
    await open.go(`/forms/${orders.formId}`);
    await page.getByRole('link', { name: 'Cleo' }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Search in submissions' }).and(page.locator(':focus')).waitFor();
    expect(await box().count()).toBe(0);
    // Only one box shows /; the button shows its own keys.
    await expect.poll(() => page.locator('kbd').filter({ hasText: /^\/$/ }).count()).toBe(1);
    await page.locator('kbd').getByText('Ctrl K').waitFor();
  });

  it('works with a button on a phone, and fits there', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open.go('');
    await page
      .getByRole('navigation', { name: 'Main pages' })
      .getByRole('button', { name: 'Search' })
      .click();
    await page.keyboard.type('Orders');
    await chosen('Orders, Shop').waitFor();
    const fits = async () => {
      const { x, width } = (await page.getByRole('listbox').boundingBox()) ?? { x: -1, width: 0 };
      return x >= 0 && width > 300 && x + width <= 390;
    };
    await expect.poll(fits).toBe(true);
    await option('Orders, Shop').click();
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
  });

  it('does not lie over another dialog', async () => {
    await open.go('/projects');
    await page.getByRole('button', { name: 'Create project' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create project' });
    await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('x');
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('x');
    expect(await box().count()).toBe(0);
  });
});

describe('what it finds', () => {
  it('forms and projects by the beginnings of their words, and moves through them with the arrows', async () => {
    await open.go('/plan');
    await type('');
    await option('Orders, Shop').waitFor();
    await option('Comments, Blog').waitFor();
    await page.keyboard.type('o');
    // Orders begins with it; the others only contain it.
    await chosen('Orders, Shop').waitFor();
    const first = await box().getAttribute('aria-activedescendant');
    expect(await page.locator(`[id="${first}"]`).getAttribute('aria-label')).toBe('Orders, Shop');
    await page.keyboard.press('ArrowDown');
    await chosen('Orders, Shop').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowUp');
    await chosen('Orders, Shop').waitFor();
    // From the first to the last, and back to the first.
    await page.keyboard.press('ArrowUp');
    await page.getByRole('option').last().and(page.locator('[aria-selected=true]')).waitFor();
    await page.keyboard.press('ArrowDown');
    await chosen('Orders, Shop').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    await isClosed();
    await page.locator('main:focus').waitFor();
    await pick('blog', 'Blog');
    await page.getByRole('heading', { name: 'Blog', level: 1 }).waitFor();
  });

  it('submissions, of all projects, and the list with all of them', async () => {
    await open.go('/plan');
    await type('cleo');
    await group('Submissions').nth(4).waitFor();
    expect((await group('Submissions').evaluateAll((all) => all.map((one) => one.ariaLabel))).sort()).toEqual(
      [
        'All matches in Comments',
        'All matches in Orders',
        'All matches in the inbox',
        'Cleo, Orders · From Cleo',
        'Cleopatra, Comments · From Egypt',
      ],
    );
    await option('Cleopatra, Comments · From Egypt').click();
    await page.getByRole('heading', { name: 'Cleopatra', level: 1 }).waitFor();
    // Its form is the open one now.
    await type('from cleo');
    await option('All matches in Orders').click();
    await page.getByText(/^1 submission · /).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('from cleo');
  });

  it('submissions by name before those that only mention it, with the words that matched', async () => {
    await submit(orders.endpoint, { name: 'Zoltan', message: 'Hello' });
    const letter = `${'Greetings. '.repeat(30)}Zoltan told me about you.`;
    await submit(orders.endpoint, { name: 'Quirin', message: letter });
    await open.go('/plan');
    await type('zoltan');
    await group('Submissions').nth(3).waitFor();
    const labels = await group('Submissions').evaluateAll((all) => all.map((one) => one.ariaLabel));
    expect(labels[0]).toBe('All matches in the inbox');
    expect(labels[1]).toBe('Zoltan, Orders · Hello');
    expect(labels[2]).toMatch(/^Quirin, Orders · ….*Zoltan told me/);
    await option('All matches in the inbox').click();
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('zoltan');
  });

  it('says what it is doing, and that nothing matches', async () => {
    await open.go('/plan');
    let isAnswering: () => void = () => {};
    const allowed = new Promise<void>((resolve) => {
      isAnswering = resolve;
    });
    await page.route(/\/projects\/[\w-]+\/submissions\?/, async (route) => {
      await allowed;
      await route.continue();
    });
    await type('zzzqqq');
    const says = (words: string) => page.getByRole('status').getByText(words, { exact: true }).waitFor();
    await says('Searching submissions…');
    isAnswering();
    await says('Nothing matches “zzzqqq”');
    expect(await page.getByRole('option').count()).toBe(0);
    await page.keyboard.press('Enter');
    await box().waitFor();
  });

  it('says so where submissions cannot be searched, and goes on offering the rest', async () => {
    await open.go('/plan');
    await page.route(/\/api\/v1\/submissions\?/, (route) => route.abort());
    await type('ord');
    await page.getByText('Submissions could not be searched. Check that Inlet is running.').waitFor();
    await chosen('Orders, Shop').waitFor();
  });

  it('asks once for what was typed in one go', async () => {
    await open.go('/plan');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/api\/v1\/submissions\?/.test(request.url())) asked.push(request.url());
    });
    await type('');
    await box().fill('Ada');
    await group('Submissions').first().waitFor();
    expect(asked.map((url) => Object.fromEntries(new URL(url).searchParams))).toEqual([
      { q: 'Ada', limit: '24' },
    ]);
  });

  it('submissions before pages of the documentation that have the same word', async () => {
    await submit(orders.endpoint, { name: 'Dora', message: 'No answer to my webhook question' });
    await open.go('/plan');
    await type('webhook');
    await group('Submissions').first().waitFor();
    const groups = await page
      .getByRole('listbox')
      .getByRole('group')
      .evaluateAll((all) => all.map((one) => one.ariaLabel));
    expect(groups.slice(-2)).toEqual(['Submissions', 'Documentation']);
  });

  it('pages of the documentation, which open beside this one', async () => {
    await open.go('/plan');
    await type('verify a web');
    await chosen('Receive and verify webhooks, Documentation').waitFor();
    const [document] = await Promise.all([
      open.page.context().waitForEvent('page'),
      page.keyboard.press('Enter'),
    ]);
    await document.waitForURL(/\/docs\/guides\/webhooks$/);
    await page.getByRole('heading', { name: 'Plan', level: 1 }).waitFor();
  });

  it('remembers what was opened, but no submission', async () => {
    await open.go('/plan');
    await pick('comments', 'Comments, Blog');
    await page.getByRole('heading', { name: 'Comments', level: 1 }).waitFor();
    await type('ada love');
    await option('Ada Lovelace, Orders · From Ada Lovelace').click();
    await isClosed();
    await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
    await type('');
    await option('Orders, Shop').waitFor();
    await expect
      .poll(() => group('Recent').evaluateAll((all) => all.map((one) => one.ariaLabel)))
      .toEqual(['Comments, Blog']);
    await chosen('Comments, Blog').waitFor();
  });
});

describe('settings', () => {
  /** The headings of all sections on the page. */
  const sectionsOn = async (path: string): Promise<readonly string[]> => {
    await open.go(path);
    await page.getByRole('heading', { name: 'Danger zone' }).waitFor();
    return page.locator('main section.section h2').allInnerTexts();
  };
  const isInView = (title: string) =>
    page
      .getByRole('region', { name: title, exact: true })
      .evaluate(
        (element) =>
          element.getBoundingClientRect().top < element.ownerDocument.documentElement.clientHeight - 40,
      );

  it.each([
    ['form', 'Orders · Shop', () => `/forms/${orders.formId}/settings`],
    ['project', 'Shop', () => `/projects/${orders.projectId}/settings`],
  ])('of a %s: every section is found and shown', async (_kind, name, path) => {
    const titles = await sectionsOn(path());
    expect(titles.length).toBeGreaterThan(4);
    await open.go('/plan');
    for (const title of titles) {
      await type(`${title} settings of ${name}`);
      await option(`${title}, Settings of ${name}`).click();
      const section = page.getByRole('region', { name: title, exact: true });
      await section.and(page.locator(':focus')).waitFor();
      await expect.poll(() => isInView(title)).toBe(true);
    }
    // All but the first were reached from within the page. Its address leads there, too.
    const last = titles.at(-1) ?? '';
    await page.reload();
    await page.getByRole('region', { name: last, exact: true }).and(page.locator(':focus')).waitFor();
  });

  it('are found by what is set in them, those of the open form first', async () => {
    await open.go(`/forms/${orders.formId}`);
    await pick('captcha', 'Spam, Settings of Orders · Shop');
    await page.getByRole('region', { name: 'Spam', exact: true }).and(page.locator(':focus')).waitFor();
  });

  it('of the account: the password', async () => {
    await open.go('/plan');
    await pick('your pass', 'Your password');
    await page.getByRole('region', { name: 'Your password' }).and(page.locator(':focus')).waitFor();
  });
});

describe('actions', () => {
  it('copies the endpoint of the open form', async () => {
    await open.go(`/forms/${orders.formId}`);
    await pick('copy', 'Copy endpoint of Orders');
    await open.says('The endpoint was copied');
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(orders.endpoint);
  });

  it('says when the browser does not allow copying', async () => {
    // As over plain HTTP.
    await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await open.go(`/forms/${orders.formId}`);
    await pick('copy', 'Copy endpoint of Orders');
    await open.says('The browser does not allow copying here. Select the text instead.');
    expect(await page.getByText('The endpoint was copied').count()).toBe(0);
  });

  it('creates a project, and a form in it', async () => {
    await open.go('/plan');
    await pick('create pro', 'Create project');
    await page.getByRole('dialog', { name: 'Create project' }).getByLabel('Name').fill('Gallery');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Gallery', level: 1 }).waitFor();
    await pick('create form', 'Create form in Gallery');
    await page.getByRole('dialog', { name: 'Create form' }).getByLabel('Name').fill('Guest book');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Guest book', level: 1 }).waitFor();
    await page.getByRole('region', { name: 'Snippet: HTML' }).waitFor();
  });

  it('switches the colours, and shows the keys', async () => {
    await open.go('/plan');
    await pick('dark', 'Use dark colours');
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    await pick('light', 'Use light colours');
    await page.locator('html[data-mantine-color-scheme=light]').waitFor();
    await pick('keyb', 'Show keyboard shortcuts');
    await page.getByRole('dialog', { name: 'Help' }).getByText('Ctrl K').waitFor();
  });

  it('asks before it leaves what is not saved', async () => {
    await open.go(`/forms/${orders.formId}/settings`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Changed');
    await pick('comm', 'Comments, Blog');
    const prompt = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    await prompt.getByRole('button', { name: 'Stay on this page' }).click();
    await prompt.waitFor({ state: 'detached' });
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Name', exact: true }).inputValue())
      .toBe('Changed');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await pick('comm', 'Comments, Blog');
    await page.getByRole('heading', { name: 'Comments', level: 1 }).waitFor();
  });
});

it('signs out', async () => {
  // Needs its own session, because the other tests share one.
  const own = await startServer({ env: withAdmin });
  await makeForm(own.url);
  await open.close();
  open = await openDashboard(browser, own);
  page = open.page;
  await open.go('/plan');
  await pick('sign', 'Sign out');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await own.dispose();
});

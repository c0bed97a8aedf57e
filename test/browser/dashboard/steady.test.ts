/** The dashboard loses no work when sessions expire, servers restart, connections die, or the user leaves a page. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import {
  admin,
  behindProxy,
  cookieName,
  madePerson,
  type Person,
  signedIn,
  withAdmin,
} from '../../support/dashboard.js';
import { pendingOf, watched } from '../../support/dashboard-pages.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
beforeAll(async () => {
  [browser, server] = await Promise.all([
    sharedBrowser(),
    startServer({ env: { ...withAdmin, ...behindProxy } }),
  ]);
  api = client(server.url);
});
afterAll(() => Promise.all([leaveBrowser(browser), server.dispose()]));

interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The session's user: can end it on the server, without the browser. */
  readonly person: Person;
  go(path: string): Promise<void>;
  /** A section of the page by its title. */
  section(title: string): ReturnType<Page['getByRole']>;
  /** Checks that nothing was thrown and no browser dialog was opened. */
  faultless(): Promise<void>;
}

/** A page with its own session, so that no test depends on another. */
async function visit(
  path: string,
  options: {
    url?: string;
    at?: RunningServer;
    as?: { email: string; password: string };
    hasDialogs?: boolean;
  } = {},
): Promise<Visit> {
  const { at = server, url = at.url, as = admin, hasDialogs = false } = options;
  const person = await signedIn(at, as);
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  });
  onTestFinished(() => context.close());
  await context.addCookies([{ name: cookieName, value: person.cookie.slice(cookieName.length + 1), url }]);
  const page = await context.newPage();
  const faults = hasDialogs ? async () => [] : await watched(page);
  const go = async (to: string) => {
    await page.goto(`${url}/dashboard${to}`);
    await page.locator('main h1').first().waitFor();
  };
  await go(path);
  return {
    page,
    context,
    person,
    go,
    section: (title) => page.getByRole('region', { name: title, exact: true }),
    faultless: async () => expect(await faults()).toEqual([]),
  };
}

const expire = async ({ person }: Visit): Promise<void> => {
  expect((await person.ask('DELETE', '/session')).status).toBe(204);
};
const expiredDialog = ({ page }: Visit) => page.getByRole('dialog', { name: 'Your session has expired' });

async function signInAgain(open: Visit, as: { email: string; password: string }): Promise<void> {
  const dialog = expiredDialog(open);
  await dialog.getByLabel('E-mail address').fill(as.email);
  await dialog.getByLabel('Password', { exact: true }).fill(as.password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const nameField = (open: Visit) => open.section('General').getByLabel('Name', { exact: true });
const saveBar = (open: Visit) => open.section('Unsaved changes');
const leavePrompt = ({ page }: Visit) => page.getByRole('dialog', { name: 'Discard unsaved changes?' });
const storedName = async ({ formId }: MadeForm): Promise<string> =>
  (await api.get(`/api/v1/forms/${formId}`)).body.name;

/** Types key by key: browsers ask before leaving a page only after real user input. */
async function rename(open: Visit, name: string): Promise<void> {
  await nameField(open).click();
  await open.page.keyboard.press('ControlOrMeta+a');
  await open.page.keyboard.type(name);
  await saveBar(open).waitFor();
}

/** The statuses of the saves that the server has responded to. */
function savesOf({ page }: Visit): number[] {
  const statuses: number[] = [];
  page.on('response', (answer) => {
    if (answer.request().method() === 'PATCH') statuses.push(answer.status());
  });
  return statuses;
}

const pathOf = (page: Page): string => new URL(page.url()).pathname.replace('/dashboard', '');
const focused = (page: Page, what: string): Promise<unknown> =>
  page.evaluate(`document.activeElement?.matches(${JSON.stringify(what)}) ?? false`);

describe('a session that has expired', () => {
  it('is renewed over the page, which then goes on reading', async () => {
    const form = await makeForm(server.url);
    const person = await madePerson(server, apiKey);
    const open = await visit(`/forms/${form.formId}`, { as: person });
    await expire(open);
    // Not with the mouse: the page's own reads may have opened the dialog already.
    await open.page.getByRole('tab', { name: 'Rejected', includeHidden: true }).dispatchEvent('click');
    await expiredDialog(open).waitFor();
    // The page is still there, and the dialog is filled in with its user's address.
    await open.page.getByRole('heading', { name: 'Contact', includeHidden: true }).waitFor();
    expect(await expiredDialog(open).getByLabel('E-mail address').inputValue()).toBe(person.email);
    await signInAgain(open, { ...person, password: 'a wrong password' });
    await expiredDialog(open).getByText('Invalid e-mail address or password').waitFor();
    await signInAgain(open, person);
    await expiredDialog(open).waitFor({ state: 'detached' });
    await open.page.getByText('Nothing was rejected').waitFor();
    expect(pathOf(open.page)).toBe(`/forms/${form.formId}/rejections`);
    await open.faultless();
  });

  it('is renewed before saving, which is then done once, with what was entered', async () => {
    const form = await makeForm(server.url);
    const person = await madePerson(server, apiKey);
    const open = await visit(`/forms/${form.formId}/settings`, { as: person });
    const saves = savesOf(open);
    await rename(open, 'Orders');
    await open.section('Limits and retention').getByLabel('Delete submissions after').fill('30');
    await expire(open);
    await saveBar(open).getByRole('button', { name: 'Save', exact: true }).click();
    await expiredDialog(open).waitFor();
    expect(await expiredDialog(open).count()).toBe(1);
    expect(await nameField(open).inputValue()).toBe('Orders');
    await signInAgain(open, person);
    await open.page.getByText('Saved', { exact: true }).waitFor();
    await saveBar(open).waitFor({ state: 'detached' });
    expect(await expiredDialog(open).count()).toBe(0);
    expect(saves).toEqual([401, 200]);
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body).toMatchObject({
      name: 'Orders',
      retention_days: 30,
    });
    await open.faultless();
  });

  it('does nothing of the first person in the name of another', async () => {
    const form = await makeForm(server.url);
    const [first, second] = [await madePerson(server, apiKey), await madePerson(server, apiKey)];
    const open = await visit(`/forms/${form.formId}/settings`, { as: first });
    const saves = savesOf(open);
    await rename(open, 'Orders');
    await expire(open);
    await saveBar(open).getByRole('button', { name: 'Save', exact: true }).click();
    await expiredDialog(open).waitFor();
    const loaded = open.page.waitForEvent('load');
    await signInAgain(open, second);
    await loaded;
    await expect.poll(() => nameField(open).inputValue()).toBe('Contact');
    expect(saves).toEqual([401]);
    expect(await storedName(form)).toBe('Contact');
    await open.faultless();
  });

  it('leads to the sign-in page where the person signed out in another window', async () => {
    const person = await madePerson(server, apiKey);
    const open = await visit('/api-keys', { as: person });
    const other = await open.context.newPage();
    await other.goto(`${server.url}/dashboard/users`);
    await other.getByRole('button', { name: /^Account / }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await open.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await expiredDialog(open).count()).toBe(0);
    await open.faultless();
  });
});

it('keeps what was entered while the server restarts', async () => {
  let own = await startServer({ env: { ...withAdmin, ...behindProxy } });
  onTestFinished(() => own.dispose());
  const form = await makeForm(own.url);
  const open = await visit('/', { at: own });
  // Lets the clock be advanced to when the page reads the form again.
  await open.page.clock.install();
  await open.go(`/forms/${form.formId}/settings`);
  await rename(open, 'Orders');
  await own.end('SIGKILL');
  const failed = open.page.waitForEvent('requestfailed', {
    predicate: (request) => request.url().endsWith(`/api/v1/forms/${form.formId}`),
    timeout: 90_000,
  });
  await open.page.clock.fastForward(60_000);
  await open.page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  await failed;
  // Its retries fail, too. Only then does the page get the error.
  for (let attempts = 0; attempts < 3; attempts += 1) await open.page.clock.runFor(5_000);
  expect(await nameField(open).inputValue()).toBe('Orders');
  await saveBar(open).getByRole('button', { name: 'Save', exact: true }).click();
  await saveBar(open)
    .getByText('Not saved. The server cannot be reached. Check your connection and that Inlet is running.')
    .waitFor();
  own = await startServer({ env: { ...withAdmin, ...behindProxy }, port: own.port, dataDir: own.dataDir });
  await saveBar(open).getByRole('button', { name: 'Save', exact: true }).click();
  await saveBar(open).waitFor({ state: 'detached' });
  expect((await client(own.url).get(`/api/v1/forms/${form.formId}`)).body.name).toBe('Orders');
  await open.faultless();
});

it('keeps everything around a page that breaks, and the next page works', async () => {
  const open = await visit('/');
  // Inlet never responds like this, but something between it and the browser may.
  await open.page.route('**/api/v1/api-keys', (route) => route.fulfill({ json: { data: [null] } }));
  await open.page.getByRole('link', { name: 'API keys' }).click();
  await open.page.getByText('This page stopped working', { exact: true }).waitFor();
  await open.page.getByRole('button', { name: 'Load again' }).waitFor();
  await open.page.getByRole('link', { name: 'Users' }).click();
  await open.page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  await open.page.getByRole('row').filter({ hasText: admin.email }).waitFor();
  await open.faultless();
});

it('asks once for what many events have changed', async () => {
  const form = await makeForm(server.url);
  await submitJson(form.endpoint, { name: 'First' });
  const open = await visit('/');
  await open.context.addInitScript(`
    globalThis.heard = 0;
    const listen = EventSource.prototype.addEventListener;
    EventSource.prototype.addEventListener = function (name, work, ...more) {
      const counted = (event) => {
        work(event);
        if (name === 'submission.created') heard += 1;
      };
      listen.call(this, name, counted, ...more);
    };
  `);
  await open.page.clock.install();
  await open.go(`/forms/${form.formId}`);
  await open.page.getByRole('link', { name: 'First' }).waitFor();
  await open.page.getByText('1 submission · live').waitFor();
  // All events arrive at the same moment of the page's clock.
  await open.page.clock.pauseAt((await open.page.evaluate<number>('Date.now()')) + 10_000);
  const asked: string[] = [];
  open.page.on('request', (request) => {
    if (request.url().includes('/api/v1/') && request.resourceType() !== 'eventsource')
      asked.push(request.url());
  });
  const events = 20;
  for (let at = 0; at < events; at += 1) await submitJson(form.endpoint, { name: `Later ${at}` });
  await expect.poll(() => open.page.evaluate('heard')).toBe(events);
  await expect
    .poll(async () => {
      await open.page.clock.runFor(100);
      return open.page.getByRole('link', { name: /^Later/ }).count();
    })
    .toBe(events);
  expect(asked.some((url) => url.includes(`/forms/${form.formId}/submissions?`))).toBe(true);
  expect(asked.filter((url, at) => asked.indexOf(url) !== at)).toEqual([]);
  await open.faultless();
});

it('notices that its live connection is dead, and opens another', async () => {
  const form = await makeForm(server.url);
  await submitJson(form.endpoint, { name: 'Ada' });
  const proxy = await startTcpProxy({ port: server.port });
  onTestFinished(() => proxy.dispose());
  const open = await visit('/', { url: `http://127.0.0.1:${proxy.port}` });
  await open.page.clock.install();
  // Loaded while the page is idle: a script that never arrives would occupy its connection for ever.
  const loaded = open.page.waitForResponse((answer) => /\/palette-[^/]*\.js$/.test(answer.url()));
  await open.go(`/forms/${form.formId}`);
  await open.page.getByText('· live').waitFor();
  const pending = pendingOf(open.page);
  await Promise.all([loaded, open.page.clock.runFor(3_000)]);
  await expect.poll(() => pending.size).toBe(0);
  proxy.halfOpen();
  await submitJson(form.endpoint, { name: 'Grace' });
  const arrived = open.page.locator('tbody tr[data-row]').filter({ hasText: 'Grace' });
  // The browser's leftover connections are dead as well. It may take several attempts, each of which needs real time.
  await expect
    .poll(
      async () => {
        await open.page.clock.runFor(46_000);
        await arrived.waitFor({ timeout: 8_000 }).catch(() => {});
        return arrived.count();
      },
      { timeout: 200_000 },
    )
    .toBe(1);
  await open.page.getByText('· live').waitFor();
  await open.faultless();
});

describe('leaving a page with unsaved changes', () => {
  it('is asked about for links, tabs and signing out', async () => {
    const form = await makeForm(server.url);
    const open = await visit(`/forms/${form.formId}/settings`);
    await rename(open, 'Orders');
    const overview = open.page.getByRole('link', { name: 'Overview', exact: true });
    const submissions = open.page.getByRole('tab', { name: 'Submissions' });
    for (const way of [overview, submissions]) {
      await way.click();
      await leavePrompt(open).getByRole('button', { name: 'Stay on this page' }).click();
      await leavePrompt(open).waitFor({ state: 'detached' });
      expect(pathOf(open.page)).toBe(`/forms/${form.formId}/settings`);
      expect(await nameField(open).inputValue()).toBe('Orders');
    }
    await open.page.getByRole('button', { name: /^Account / }).click();
    await open.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await leavePrompt(open).getByRole('button', { name: 'Stay on this page' }).click();
    await overview.click();
    await leavePrompt(open).getByRole('button', { name: 'Discard changes' }).click();
    await open.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(await storedName(form)).toBe('Contact');
    await open.faultless();
  });

  it('is asked about in the history, and nothing reaches another form', async () => {
    const [first, second] = [
      await makeForm(server.url, { form: { name: 'First' } }),
      await makeForm(server.url, { form: { name: 'Second' } }),
    ];
    const open = await visit(`/forms/${first.formId}/settings`);
    const saves = savesOf(open);
    await open.page.keyboard.press('Control+k');
    await open.page.getByRole('combobox', { name: 'Search and commands' }).fill('Second');
    await open.page.getByRole('option', { name: 'Second, Website', exact: true }).click();
    await open.page.getByRole('heading', { name: 'Second', level: 1 }).waitFor();
    await open.page.getByRole('tab', { name: 'Settings' }).click();
    await rename(open, 'Changed');
    await open.page.evaluate('history.go(-2)');
    await leavePrompt(open).getByRole('button', { name: 'Stay on this page' }).click();
    await leavePrompt(open).waitFor({ state: 'detached' });
    expect(pathOf(open.page)).toBe(`/forms/${second.formId}/settings`);
    expect(await nameField(open).inputValue()).toBe('Changed');
    await open.page.evaluate('history.go(-2)');
    await leavePrompt(open).getByRole('button', { name: 'Discard changes' }).click();
    await open.page.getByRole('heading', { name: 'First', level: 1 }).waitFor();
    expect(pathOf(open.page)).toBe(`/forms/${first.formId}/settings`);
    expect(await nameField(open).inputValue()).toBe('First');
    expect(await saveBar(open).count()).toBe(0);
    // Going forward works, too.
    await open.page.evaluate('history.go(2)');
    await open.page.getByRole('heading', { name: 'Second', level: 1 }).waitFor();
    expect(await nameField(open).inputValue()).toBe('Second');
    expect(saves).toEqual([]);
    await open.faultless();
  });

  it('is asked about by the browser where the page is reloaded', async () => {
    const form = await makeForm(server.url);
    const open = await visit(`/forms/${form.formId}/settings`, { hasDialogs: true });
    await rename(open, 'Orders');
    const asked = open.page.waitForEvent('dialog');
    await open.page.evaluate('void setTimeout(() => location.reload())');
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    expect(await nameField(open).inputValue()).toBe('Orders');
    await saveBar(open).getByRole('button', { name: 'Discard changes' }).click();
    await saveBar(open).waitFor({ state: 'detached' });
    // Reloads without a prompt, which would block for ever if it were not answered.
    await open.page.reload();
    await expect.poll(() => nameField(open).inputValue()).toBe('Contact');
    await open.faultless();
  });

  it('is asked about in the settings of a project and of a destination', async () => {
    const form = await makeForm(server.url);
    const destination = await api.post(`/api/v1/forms/${form.formId}/destinations`, {
      kind: 'webhook',
      name: 'Sales',
      config: { url: 'https://hooks.example.com/in' },
    });
    const open = await visit(`/projects/${form.projectId}/settings`);
    const overview = open.page.getByRole('link', { name: 'Overview', exact: true });
    await rename(open, 'Shop');
    await overview.click();
    await leavePrompt(open).getByRole('button', { name: 'Discard changes' }).click();
    await open.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await open.go(`/destinations/${destination.body.id}`);
    await open.page.getByLabel('Name', { exact: true }).fill('Support');
    await saveBar(open).waitFor();
    await overview.click();
    await leavePrompt(open).getByRole('button', { name: 'Stay on this page' }).click();
    await leavePrompt(open).waitFor({ state: 'detached' });
    expect(await open.page.getByLabel('Name', { exact: true }).inputValue()).toBe('Support');
    await saveBar(open).getByRole('button', { name: 'Save', exact: true }).click();
    await saveBar(open).waitFor({ state: 'detached' });
    await overview.click();
    await open.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await open.faultless();
  });
});

describe('the keyboard', () => {
  it('skips to the content, and the focus follows to a new page', async () => {
    const open = await visit('/');
    await open.page.keyboard.press('Tab');
    await expect.poll(() => focused(open.page, '.skip-link')).toBe(true);
    await open.page.keyboard.press('Enter');
    await expect.poll(() => focused(open.page, 'main')).toBe(true);
    await open.page.getByRole('link', { name: 'API keys', exact: true }).focus();
    await open.page.keyboard.press('Enter');
    await open.page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await expect.poll(() => focused(open.page, 'main')).toBe(true);
    await open.faultless();
  });

  it('moves the focus through a list, and Esc leads back to where it was', async () => {
    const form = await makeForm(server.url);
    for (let count = 0; count < 45; count += 1) await submitJson(form.endpoint, { name: `Visitor ${count}` });
    const open = await visit(`/forms/${form.formId}`);
    await open.page.getByText('45 submissions').waitFor();
    const rowLink = (index: number) => `[data-row="${index}"] .row-link`;
    for (let index = 0; index < 40; index += 1) await open.page.keyboard.press('j');
    await expect.poll(() => focused(open.page, rowLink(39))).toBe(true);
    await open.page.keyboard.press('k');
    await expect.poll(() => focused(open.page, rowLink(38))).toBe(true);
    const before = await open.page.evaluate<[number, number]>('[scrollY, history.length]');
    expect(before[0]).toBeGreaterThan(500);
    await open.page.keyboard.press('Enter');
    await open.page.getByRole('heading', { name: 'Visitor 6', level: 1, exact: true }).waitFor();
    await expect.poll(() => open.page.evaluate('scrollY')).toBe(0);
    await open.page.keyboard.press('Escape');
    await expect.poll(() => focused(open.page, rowLink(38))).toBe(true);
    // To a few pixels: different rows are drawn, and blanks stand for the rest.
    await expect
      .poll(async () => Math.abs((await open.page.evaluate<number>('scrollY')) - before[0]))
      .toBeLessThan(8);
    // One entry for the submission, none for going back.
    expect(await open.page.evaluate('history.length')).toBe(before[1] + 1);
    await open.page.keyboard.press('Escape');
    await expect.poll(() => open.page.locator('tr[data-active=true]').count()).toBe(0);
    // Nothing is left to close.
    await open.page.keyboard.press('Escape');
    expect(pathOf(open.page)).toBe(`/forms/${form.formId}`);
    expect(await open.page.evaluate('history.length')).toBe(before[1] + 1);
    await open.faultless();
  });

  it('reaches the switch between fields and JSON', async () => {
    const form = await makeForm(server.url);
    await submitJson(form.endpoint, { name: 'Ada' });
    await submitJson(form.endpoint, { name: 'Grace' });
    const open = await visit(`/forms/${form.formId}`);
    await open.page.getByRole('link', { name: 'Grace' }).click();
    await open.page.getByRole('heading', { name: 'Grace', level: 1 }).waitFor();
    await open.page.getByRole('radio', { name: 'Fields' }).focus();
    await open.page.keyboard.press('ArrowRight');
    await open.page.getByText('"name": "Grace"').waitFor();
    await open.page.keyboard.press('ArrowLeft');
    await open.page.getByText('"name": "Grace"').waitFor({ state: 'detached' });
    await open.page.getByRole('heading', { name: 'Grace', level: 1 }).waitFor();
    await open.faultless();
  });

  it('does nothing with single letters where they are switched off', async () => {
    const open = await visit('/projects');
    const help = open.page.getByRole('dialog', { name: 'Help' });
    await open.page.keyboard.press('?');
    await help.getByLabel('Single-key shortcuts').click();
    await open.page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await open.page.reload();
    await open.page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    // Each key is handled before the next one is pressed.
    await open.page.keyboard.press('/');
    expect(await focused(open.page, 'input')).toBe(false);
    await open.page.keyboard.press('?');
    await open.page.keyboard.press('j');
    expect(await focused(open.page, '.row-link')).toBe(false);
    expect(await help.count()).toBe(0);
    await open.page.getByRole('button', { name: 'Help' }).click();
    await help.getByLabel('Single-key shortcuts').click();
    await open.page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await open.page.keyboard.press('/');
    await open.page
      .getByRole('combobox', { name: 'Search and commands' })
      .and(open.page.locator(':focus'))
      .waitFor();
    await open.faultless();
  });
});

describe('the edge of a field', () => {
  const channels = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = channels(colour)
      .map((value) => value / 255)
      .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: string, other: string): number => {
    const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((left, right) => right - left);
    return (high + 0.05) / (low + 0.05);
  };

  it.each(['light', 'dark'] as const)('can be seen in %s', async (colorScheme) => {
    const form = await makeForm(server.url);
    const open = await visit(`/forms/${form.formId}/settings`);
    await open.page.emulateMedia({ colorScheme });
    await expect
      .poll(() => open.page.locator('html').getAttribute('data-mantine-color-scheme'))
      .toBe(colorScheme);
    const edges = await nameField(open).evaluate((field) => {
      const { getComputedStyle, document } = field.ownerDocument.defaultView as never as {
        getComputedStyle(of: unknown): { borderTopColor: string; backgroundColor: string };
        document: { body: unknown };
      };
      const style = getComputedStyle(field);
      return [style.borderTopColor, style.backgroundColor, getComputedStyle(document.body).backgroundColor];
    });
    const [edge = '', inside = '', outside = ''] = edges;
    expect(Math.min(contrast(edge, inside), contrast(edge, outside))).toBeGreaterThanOrEqual(3);
    await open.faultless();
  });
});

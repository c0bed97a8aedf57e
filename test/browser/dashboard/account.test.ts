/** What concerns the whole account: API keys, users, plan, instance; and a form's code for copying. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, makeForm } from '../../support/client.js';
import { behindProxy, madePerson, nextAddress, withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard, watched } from '../../support/dashboard-pages.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  [browser, server] = await Promise.all([
    sharedBrowser(),
    startServer({ env: { ...withAdmin, ...behindProxy } }),
  ]);
  api = client(server.url);
  open = await openDashboard(browser, server, { permissions: ['clipboard-read', 'clipboard-write'] });
  page = open.page;
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const dialog = () => page.getByRole('dialog');

describe('API keys', () => {
  /** Creates a key in the dashboard and returns it as shown. */
  async function created(name: string, mayDo: 'Full' | 'Read only', expires = 'Never'): Promise<string> {
    await open.go('/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await dialog().getByLabel('Name').fill(name);
    await dialog().getByRole('radio', { name: mayDo }).check();
    await dialog().getByLabel('Expires').selectOption(expires);
    await dialog().getByRole('button', { name: 'Create API key' }).click();
    await dialog().getByText('Copy it now: it is not shown again').waitFor();
    const key = (await dialog().getByRole('region', { name: 'API key' }).innerText()).trim();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await dialog().waitFor({ state: 'detached' });
    return key;
  }

  it('are shown once, work at once, and no longer when they are revoked', async () => {
    const key = await created('Deployment', 'Full');
    const program = client(server.url, key);
    expect((await program.post('/api/v1/projects', { name: 'By a program' })).status).toBe(201);
    await open.go('/api-keys');
    const row = page.getByRole('row').filter({ hasText: 'Deployment' });
    await row.getByText('Full', { exact: true }).filter({ visible: true }).waitFor();
    expect(await page.content()).not.toContain(key);
    await row.getByRole('button', { name: 'Revoke Deployment' }).click();
    await dialog().getByText('Programs that use it are rejected at once.').waitFor();
    expect((await program.get('/api/v1/projects')).status, 'not before it is confirmed').toBe(200);
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The key was revoked').waitFor();
    await row.waitFor({ state: 'detached' });
    expect((await program.get('/api/v1/projects')).status).toBe(401);
  });

  it('that may read only are refused when they write', async () => {
    const key = await created('Report', 'Read only');
    const program = client(server.url, key);
    expect((await program.get('/api/v1/projects')).status).toBe(200);
    expect((await program.post('/api/v1/projects', { name: 'Not allowed' })).status).toBe(403);
    const row = page.getByRole('row').filter({ hasText: 'Report' });
    await row.getByText('Read only').filter({ visible: true }).waitFor();
  });

  it('can expire', async () => {
    await created('For a month', 'Full', 'In 30 days');
    const row = page.getByRole('row').filter({ hasText: 'For a month' });
    await row.getByText(/^in (30 d|1 mo)$/).waitFor();
  });

  it('need a name', async () => {
    await open.go('/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await dialog().getByRole('button', { name: 'Create API key' }).click();
    await dialog().getByText('Give it a name').waitFor();
  });
});

/** Another user's browser, with its own IP address. */
async function elsewhere() {
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': nextAddress() } });
  const theirs = await context.newPage();
  const faults = await watched(theirs);
  await theirs.goto(`${server.url}/dashboard/users`);
  return {
    page: theirs,
    signIn: async (email: string, password: string) => {
      await theirs.getByRole('heading', { name: 'Sign in' }).waitFor();
      await theirs.getByLabel('E-mail address').fill(email);
      await theirs.getByLabel('Password', { exact: true }).fill(password);
      await theirs.getByRole('button', { name: 'Sign in' }).click();
    },
    isIn: () => theirs.getByRole('heading', { name: 'Users', level: 1 }).waitFor(),
    isRefused: () => theirs.getByText('Invalid e-mail address or password').waitFor(),
    close: async () => {
      expect(await faults()).toEqual([]);
      await context.close();
    },
  };
}

describe('users', () => {
  it('are added, can sign in, and are out at once when they are removed', async () => {
    const [email, password] = ['grace@example.com', 'a first password'];
    await open.go('/users');
    await page.getByRole('button', { name: 'Add person' }).click();
    await dialog().getByLabel('E-mail address').fill(email);
    await dialog().getByLabel('First password').fill('short');
    await dialog().getByRole('button', { name: 'Add person' }).click();
    await dialog().getByText('At least 10 characters', { exact: true }).waitFor();
    await dialog().getByLabel('First password').fill(password);
    await dialog().getByRole('button', { name: 'Add person' }).click();
    await page.getByText(`${email} can sign in now`).waitFor();

    const grace = await elsewhere();
    await grace.signIn(email, password);
    await grace.isIn();
    await grace.page.getByRole('row').filter({ hasText: email }).waitFor();
    expect(await grace.page.getByRole('button', { name: `Remove ${email}` }).count(), 'not oneself').toBe(0);

    await page.getByRole('button', { name: `Remove ${email}` }).click();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`${email} was removed`).waitFor();
    await page.getByRole('row').filter({ hasText: email }).waitFor({ state: 'detached' });
    await grace.page.reload();
    await grace.signIn(email, password);
    await grace.isRefused();
    await grace.close();
  });

  it('change their password, which ends their sessions everywhere else', async () => {
    const { email, password } = await madePerson(server, apiKey);
    const [here, there] = [await elsewhere(), await elsewhere()];
    for (const one of [here, there]) {
      await one.signIn(email, password);
      await one.isIn();
    }
    await here.page.goto(`${server.url}/dashboard/your-account`);
    await here.page.getByRole('button', { name: /^Sign out Chrome/ }).waitFor();
    const form = here.page.getByRole('region', { name: 'Your password' });
    await form.getByLabel('Current password').fill('not the password');
    await form.getByLabel('New password').fill('another long password');
    await form.getByRole('button', { name: 'Change password' }).click();
    await form.getByText('The current password is wrong').waitFor();
    await form.getByLabel('Current password').and(here.page.locator('[aria-invalid=true]')).waitFor();
    await here.page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
    await form.getByLabel('Current password').fill(password);
    await form.getByRole('button', { name: 'Change password' }).click();
    await here.page.getByText('Your password was changed').waitFor();
    const sessions = here.page.getByRole('region', { name: 'Where you are signed in' });
    await sessions.getByRole('button', { name: /^Sign out / }).waitFor({ state: 'detached' });
    await sessions.getByText('This browser').waitFor();
    await here.page.reload();
    await here.page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();

    await there.page.reload();
    await there.signIn(email, password);
    await there.isRefused();
    await there.signIn(email, 'another long password');
    await there.isIn();
    await here.close();
    await there.close();
  });
});

describe('the plan', () => {
  it('shows what is used and what is allowed', async () => {
    await makeForm(server.url);
    const { plan, limits, usage } = (await api.get('/api/v1/account')).body;
    await open.go('/plan');
    await page.getByText(plan, { exact: false }).first().waitFor();
    const figures = page.locator('main .panel');
    const cap = limits.projects === null ? 'no limit' : `of ${limits.projects}`;
    await figures.filter({ hasText: new RegExp(`^Projects${usage.projects} ${cap}$`) }).waitFor();
    await figures.filter({ hasText: new RegExp(`^Forms${usage.forms}$`) }).waitFor();
    await figures.filter({ hasText: new RegExp(`^Submissions${usage.submissions}$`) }).waitFor();
    expect(usage.projects).toBeGreaterThan(0);
    const facts = page.getByRole('region', { name: 'What the plan allows' });
    const fact = (name: string) => facts.locator('.fact').filter({ hasText: name }).getByRole('definition');
    const included = (is: boolean) => (is ? 'Included' : 'Not included');
    for (const [name, words] of [
      ['File uploads', included(limits.file_uploads)],
      ['Files in a submission', String(limits.max_files)],
      ['Largest file', `${limits.max_file_bytes / 1024 ** 2} MB`],
    ] as const) {
      await expect.poll(() => fact(name).innerText()).toBe(words);
    }
  });
});

describe('the instance', () => {
  it('says how it is, and that no mail server is set', async () => {
    const { version, node } = (await api.get('/api/v1/instance')).body;
    await open.go('/instance');
    const state = page.getByRole('region', { name: 'State' });
    await state.getByText('No mail server is set').waitFor();
    await state.getByText('Set SMTP_URL and MAIL_FROM to send them.').waitFor();
    await state.getByText(/^SQLite, /).waitFor();
    await state.getByText('Nothing is waiting').waitFor();
    const program = page.getByRole('region', { name: 'This program' });
    for (const words of [version, node, '127.0.0.1']) {
      await program.getByText(words, { exact: true }).waitFor();
    }
    const processes = page.getByRole('region', { name: 'Processes' });
    await processes.getByText('Requests and deliveries').waitFor();
    await processes.getByText(String(server.process.pid), { exact: true }).waitFor();
  });
});

describe('the snippets of a form', () => {
  it('are there in each kind, and are copied as they stand', async () => {
    const form = await makeForm(server.url);
    const snippets = (await api.get(`/api/v1/forms/${form.formId}/snippets`)).body.data;
    expect(snippets.length).toBeGreaterThan(3);
    await open.go(`/forms/${form.formId}/snippets`);
    for (const { title, code } of snippets) {
      await page.getByRole('tab', { name: title, exact: true }).click();
      const block = page.getByRole('region', { name: `Snippet: ${title}`, exact: true });
      await expect.poll(() => block.locator('pre').textContent()).toBe(code);
      expect(code).toContain(form.publicId);
      expect(await open.copiedBy(page.getByRole('button', { name: 'Copy', exact: true }))).toBe(code);
    }
  });

  it('stand beside a button that sends one, and leads to it', async () => {
    const form = await makeForm(server.url, {
      form: { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'] },
    });
    await open.go(`/forms/${form.formId}/snippets`);
    await page.getByRole('button', { name: 'Send a test submission' }).click();
    await page.getByText('It has arrived').waitFor();
    await page.getByRole('link', { name: 'Open submission' }).click();
    const [submission] = (await api.get(`/api/v1/forms/${form.formId}/submissions`)).body.data;
    await page.waitForURL(`**/dashboard/submissions/${submission.id}`);
    await open.says('A first message, sent from the dashboard.');
  });

  it('stand beside a button that says in words why the form took nothing', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/snippets`);
    await page.getByRole('button', { name: 'Send a test submission' }).click();
    await page
      .getByText('Localhost not allowed in live mode. Use sandbox mode for local development.')
      .waitFor();
    await page.getByRole('tab', { name: 'Rejected' }).click();
    await page.getByRole('region', { name: 'From localhost' }).waitFor();
    expect((await api.get(`/api/v1/forms/${form.formId}/submissions`)).body.data).toEqual([]);
  });
});

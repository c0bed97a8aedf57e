/** Roles in the dashboard: chosen by an owner; other users lack the buttons they may not use. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { makeAccount } from '../../support/accounts.js';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { admin, behindProxy, nextAddress, withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard, watched } from '../../support/dashboard-pages.js';
import { changeStored } from '../../support/engine.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { submit } from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
let page: Page;
let website: MadeForm;
let shop: MadeForm;
let submissionId: string;
beforeAll(async () => {
  [browser, server] = await Promise.all([
    sharedBrowser(),
    startServer({ env: { ...withAdmin, ...behindProxy } }),
  ]);
  api = client(server.url);
  website = await makeForm(server.url, { project: { name: 'Our website' }, form: { name: 'Contact' } });
  shop = await makeForm(server.url, { project: { name: 'Our shop' }, form: { name: 'Orders' } });
  submissionId = await submit(website.endpoint, { name: 'Ada Lovelace' });
  open = await openDashboard(browser, server);
  page = open.page;
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const dialog = () => page.getByRole('dialog');
const password = 'a first password';

/** Another user's browser, signed in. */
async function signedInAs(email: string) {
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': nextAddress() } });
  const theirs = await context.newPage();
  const faults = await watched(theirs);
  await theirs.goto(`${server.url}/dashboard/users`);
  await theirs.getByLabel('E-mail address').fill(email);
  await theirs.getByLabel('Password', { exact: true }).fill(password);
  await theirs.getByRole('button', { name: 'Sign in' }).click();
  await theirs.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  return {
    page: theirs,
    go: (path: string) => theirs.goto(`${server.url}/dashboard${path}`),
    close: async () => {
      expect(await faults()).toEqual([]);
      await context.close();
    },
  };
}

it('an owner adds a viewer, who sees everything and no button to change it', async () => {
  const email = 'grace@example.com';
  await open.go('/users');
  await page.getByRole('button', { name: 'Add person' }).click();
  await dialog().getByLabel('E-mail address').fill(email);
  await dialog().getByLabel('First password').fill(password);
  await dialog().getByRole('radio', { name: 'Viewer' }).check();
  await dialog().getByRole('button', { name: 'Add person' }).click();
  await page.getByText(`${email} can sign in now`).waitFor();
  await page.getByRole('row').filter({ hasText: email }).getByText('Viewer', { exact: true }).waitFor();

  const grace = await signedInAs(email);
  const isMissing = async (name: string) =>
    expect(await grace.page.getByRole('button', { name }).count(), name).toBe(0);
  await grace.page.getByRole('row').filter({ hasText: email }).waitFor();
  for (const name of ['Add person', `Remove ${email}`, `Change role of ${email}`]) await isMissing(name);
  await grace.go('/projects');
  await grace.page.getByRole('link', { name: 'Our website' }).last().waitFor();
  await isMissing('Create project');
  await grace.go('/api-keys');
  await grace.page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  await isMissing('Create API key');
  await grace.go(`/forms/${website.formId}`);
  await grace.page.getByRole('tab', { name: 'Deliveries' }).waitFor();
  expect(await grace.page.getByRole('tab', { name: 'Settings' }).count()).toBe(0);
  await isMissing('Form actions');
  await grace.go(`/submissions/${submissionId}`);
  await grace.page.getByText('Ada Lovelace').first().waitFor();
  for (const name of ['Archive', 'Spam', 'Label', 'Add note']) await isMissing(name);
  const draft = await makeForm(server.url, { form: { validation_mode: 'sandbox' } });
  await grace.go(`/forms/${draft.formId}/snippets`);
  await grace.page.getByRole('region', { name: 'Snippet: HTML' }).waitFor();
  await isMissing('switch it to live');
  await grace.close();
});

it('an owner limits a person to a project, and the others are gone for them', async () => {
  const email = 'linus@example.com';
  await api.post('/api/v1/users', { email, password, role: 'viewer' });
  await open.go('/users');
  await page.getByRole('button', { name: `Change role of ${email}` }).click();
  await dialog().getByRole('radio', { name: 'Only some projects' }).check();
  await dialog().getByText('Choose a role in at least one project.').waitFor();
  await dialog().getByLabel('Our shop').selectOption('Editor');
  await dialog().getByRole('button', { name: 'Save role' }).click();
  await page.getByText(`The role of ${email} was changed`).waitFor();
  await page.getByRole('row').filter({ hasText: email }).getByText('Editor of Our shop').waitFor();

  const linus = await signedInAs(email);
  expect(await linus.page.getByRole('table').count(), 'who else is there').toBe(0);
  await linus.go('/projects');
  await linus.page.getByRole('main').getByRole('link', { name: 'Our shop' }).waitFor();
  expect(await linus.page.getByText('Our website').count()).toBe(0);
  expect(await linus.page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  await linus.go(`/forms/${shop.formId}`);
  await linus.page.getByRole('tab', { name: 'Settings' }).waitFor();
  await linus.close();
});

it('the palette and the sidebar offer nobody a page or an action that would only be refused', async () => {
  const email = 'alan@example.com';
  const projects = [
    { project_id: website.projectId, role: 'viewer' },
    { project_id: shop.projectId, role: 'editor' },
  ];
  expect((await api.post('/api/v1/users', { email, password, role: null, projects })).status).toBe(201);
  const alan = await signedInAs(email);
  const pages = alan.page.getByRole('navigation', { name: 'All pages' });
  await pages.getByRole('link', { name: 'Plan' }).waitFor();
  for (const name of ['Users', 'API keys', 'Audit log'])
    expect(await pages.getByRole('link', { name }).count(), name).toBe(0);
  await alan.page.keyboard.press('Control+k');
  const box = alan.page.getByRole('combobox', { name: 'Search and commands' });
  /** The options for these words, once the one that everybody has is there. */
  const offers = async (words: string, shown: string) => {
    await box.fill(words);
    await alan.page.getByRole('option', { name: shown, exact: true }).waitFor();
    return alan.page.getByRole('option').evaluateAll((all) => all.map((one) => one.ariaLabel));
  };
  const creations = await offers('create', 'Create form in Our shop');
  expect(creations).not.toContain('Create project');
  expect(creations).not.toContain('Create form in Our website');
  const settings = await offers('settings', 'Settings, Orders · Our shop');
  expect(settings.filter((name) => name?.includes('Our website'))).toEqual([]);
  const own = await offers('account', 'Your account');
  for (const name of ['Users', 'API keys', 'Audit log', 'Single sign-on']) expect(own).not.toContain(name);
  await alan.close();
});

it('who edits one project and views another may change rows of the first only', async () => {
  const email = 'mary@example.com';
  const projects = [
    { project_id: website.projectId, role: 'viewer' },
    { project_id: shop.projectId, role: 'editor' },
  ];
  expect((await api.post('/api/v1/users', { email, password, role: null, projects })).status).toBe(201);
  const orderId = await submit(shop.endpoint, { name: 'An order' });
  const mary = await signedInAs(email);
  const changed: string[][] = [];
  mary.page.on('request', (request) => {
    if (request.url().endsWith('/submissions/update')) changed.push(request.postDataJSON().ids);
  });
  const row = (name: string) => mary.page.locator('tbody tr[data-row]').filter({ hasText: name });
  const button = (name: string) => mary.page.getByRole('button', { name, exact: true });
  await mary.go('/inbox?folder=inbox&is_starred=false');
  await row('An order').getByRole('button', { name: 'Star' }).waitFor();
  for (const name of ['Star', 'Actions'])
    expect(await row('Ada Lovelace').getByRole('button', { name }).count(), name).toBe(0);
  expect(await button('Save view').count(), 'of all forms').toBe(0);
  await row('Ada Lovelace').getByRole('checkbox').check();
  expect(await button('Archive').count()).toBe(0);
  await mary.page.keyboard.press('u');
  await row('An order').getByRole('checkbox').check();
  await button('Archive').click();
  await mary.page.getByText('Archived', { exact: true }).waitFor();
  await row('An order').waitFor({ state: 'detached' });
  await row('Ada Lovelace').waitFor();
  await mary.go(`/submissions/${submissionId}`);
  await mary.page.getByText('Ada Lovelace').first().waitFor();
  for (const name of ['Archive', 'Label', 'Add note']) expect(await button(name).count(), name).toBe(0);
  await mary.go(`/submissions/${orderId}`);
  for (const name of ['Move to inbox', 'Label', 'Add note']) await button(name).waitFor();
  // Labels belong to the account.
  await button('Label').click();
  await mary.page.getByText('No labels yet. An editor of the account can create them.').waitFor();
  await mary.page.getByRole('textbox', { name: 'Find a label' }).fill('New');
  expect(await button('Create “New”').count()).toBe(0);
  expect(changed.flat()).not.toContain(submissionId);
  const add = mary.page.getByRole('link', { name: 'Add destination' });
  await mary.go(`/forms/${shop.formId}/destinations`);
  await add.first().waitFor();
  await mary.go(`/forms/${website.formId}/destinations`);
  await mary.page.getByText('No destinations yet').waitFor();
  expect(await add.count()).toBe(0);
  await mary.close();
});

it('who sees only some projects filters by somebody whom a link names, without learning who that is', async () => {
  const email = 'edith@example.com';
  const roles = [{ project_id: shop.projectId, role: 'editor' }];
  const edith = await api.post('/api/v1/users', { email, password, role: null, projects: roles });
  expect(edith.status).toBe(201);
  const { data } = (await api.get('/api/v1/users')).body;
  const ada = data.find((user: { email: string }) => user.email === admin.email);
  for (const [name, assignee_id] of [
    ['Of Ada', ada.id],
    ['Of Edith', edith.body.id],
    ['Of nobody', null],
  ]) {
    const id = await submit(shop.endpoint, { name });
    expect((await api.patch(`/api/v1/submissions/${id}`, { assignee_id })).status).toBe(200);
  }
  const theirs = await signedInAs(email);
  const titles = () => theirs.page.locator('tbody .row-link').allInnerTexts();
  await theirs.go(`/forms/${shop.formId}?assignee=${ada.id}`);
  await expect.poll(titles).toEqual(['Of Ada']);
  await theirs.page.locator('tbody').getByTitle('Assigned to somebody else', { exact: true }).waitFor();
  await theirs.page.getByRole('button', { name: 'Assigned to: Somebody else', exact: true }).click();
  await expect
    .poll(() => theirs.page.getByRole('option').allInnerTexts())
    .toEqual(['Me', 'Nobody', 'Somebody else']);
  await theirs.page.getByRole('option', { name: 'Me', exact: true }).click();
  await expect.poll(titles).toEqual(['Of Edith']);
  expect(await theirs.page.getByText(admin.email).count()).toBe(0);
  await theirs.close();
});

it('an owner limits an API key to a project', async () => {
  await open.go('/api-keys');
  await page.getByRole('button', { name: 'Create API key' }).click();
  await dialog().getByLabel('Name').fill('Of the shop');
  await dialog().getByPlaceholder('The whole account').click();
  await page.getByRole('option', { name: 'Our shop' }).click();
  await dialog().getByText('Access', { exact: true }).click();
  await dialog().getByRole('button', { name: 'Create API key' }).click();
  await dialog().getByText('Copy it now: it is not shown again').waitFor();
  const key = (await dialog().getByRole('region', { name: 'API key' }).innerText()).trim();
  await dialog().getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row').filter({ hasText: 'Of the shop' }).getByText('Our shop').waitFor();
  const { data } = (await client(server.url, key).get('/api/v1/projects')).body;
  expect(data.map(({ id }: { id: string }) => id)).toEqual([shop.projectId]);
});

it('a person with users in two accounts switches in the menu, and others see no switch', async () => {
  const menu = page.getByRole('button', { name: /^Account/ });
  await open.go('/users');
  await menu.click();
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
  expect(await page.getByText('Switch account').count()).toBe(0);
  await page.keyboard.press('Escape');
  const { id } = await makeAccount(server, 'pro', 'The other account');
  await changeStored(
    server.dataDir,
    `INSERT INTO users (id, account_id, email, password_hash, created_at, read_up_to, login_id)
      SELECT '${newId(Date.now())}', '${id}', email, password_hash, 1, '', login_id FROM users
      WHERE email = 'ada@example.com'`,
  );
  await page.reload();
  await menu.click();
  await page.getByRole('menuitem', { name: 'The other account' }).click();
  await page.getByRole('button', { name: /The other account/ }).waitFor();
  expect(await page.getByText('Our website').count()).toBe(0);
});

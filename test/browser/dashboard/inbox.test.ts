/** Working through submissions like mail: read and unread, stars, labels, folders, undo, views, and the keyboard. */
import { readFile } from 'node:fs/promises';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findingsOn } from '../../support/axe.js';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { parseCsv } from '../../support/csv.js';
import { type Person, signedIn, withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import type { RunningServer } from '../../support/server.js';
import { startHookServer, submit } from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let me: Person;
let open: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startHookServer(withAdmin)]);
  api = client(server.url);
  me = await signedIn(server);
  open = await openDashboard(browser, server);
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const rows = (): Locator => open.page.locator('tbody tr[data-row]');
const row = (text: string): Locator => rows().filter({ hasText: text });
const titles = (): Promise<string[]> => rows().locator('.row-link').allInnerTexts();
const showsTitles = (...wanted: string[]) => expect.poll(titles).toEqual(wanted);
const button = (name: string | RegExp): Locator =>
  open.page.getByRole('button', { name, exact: typeof name === 'string' });
const chip = (name: string): Locator =>
  open.page.getByRole('group', { name: 'Filters' }).getByRole('button', { name, exact: true });
const option = (name: string): Locator => open.page.getByRole('option', { name, exact: true });
const choose = async (name: string, choice: string): Promise<void> => {
  await button('Filter').click();
  await option(name).click();
  await option(choice).click();
};
const press = (...keys: string[]) =>
  keys.reduce((done, key) => done.then(() => open.page.keyboard.press(key)), Promise.resolve());
const highlighted = (): Promise<string[]> =>
  open.page.locator('tr[data-active=true] .row-link').allInnerTexts();

const focusedText = (): Promise<unknown> => open.page.evaluate('document.activeElement.innerText');

/** The submission's state on the server. */
const stateOf = async (id: string) => (await me.ask('GET', `/submissions/${id}?include=inbox`)).body;
const becomesState = (id: string, wanted: Record<string, unknown>) =>
  expect.poll(() => stateOf(id)).toMatchObject(wanted);

interface Filled extends MadeForm {
  readonly ids: Readonly<Record<string, string>>;
}

/** A form with one submission per name, in this order. */
async function filled(...names: string[]): Promise<Filled> {
  const form = await makeForm(server.url);
  const ids: Record<string, string> = {};
  for (const name of names)
    ids[name] = await submit(form.endpoint, { name, email: `${name.toLowerCase()}@example.com` });
  return { ...form, ids };
}
const idOf = (form: Filled, name: string): string => form.ids[name] ?? '';

async function openList(form: Filled, search = ''): Promise<void> {
  await open.go(`/forms/${form.formId}${search}`);
  await rows().first().waitFor();
}

describe('read and unread', () => {
  it('shows what is unread, and opening reads it', async () => {
    const form = await filled('Ada', 'Grace');
    await openList(form);
    await row('Ada').getByText('Unread').waitFor();
    await expect.poll(() => row('Grace').getAttribute('data-unread')).toBe('true');
    await row('Grace').locator('.row-link').click();
    await open.page.getByRole('heading', { name: 'Grace', level: 1 }).waitFor();
    await becomesState(idOf(form, 'Grace'), { is_read: true });
    await open.page.keyboard.press('Escape');
    await rows().first().waitFor();
    await expect.poll(() => row('Grace').getByText('Unread').count()).toBe(0);
    await row('Ada').getByText('Unread').waitFor();
    await expect.poll(() => row('Grace').getAttribute('data-unread')).toBe('false');
  });

  it('counts in the sidebar what is unread, live', async () => {
    const form = await filled('Ada');
    await openList(form);
    const entry = open.page.locator(`nav a[href$="/forms/${form.formId}"]`);
    await entry.getByText('1', { exact: true }).waitFor();
    const grace = await submit(form.endpoint, { name: 'Grace' });
    await entry.getByText('2', { exact: true }).waitFor();
    const ids = [idOf(form, 'Ada'), grace];
    await me.ask('POST', '/submissions/update', { ids, change: { is_read: true } });
    await expect.poll(() => entry.locator('.nav-unread').count()).toBe(0);
  });

  it('is changed for a whole selection', async () => {
    const form = await filled('Ada', 'Grace');
    await openList(form);
    await open.page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await button('Mark as read').click();
    await open.says('2 submissions marked as read');
    await becomesState(idOf(form, 'Ada'), { is_read: true });
    await button('Mark as unread').click();
    await open.says('2 submissions marked as unread');
    await becomesState(idOf(form, 'Ada'), { is_read: false });
    // When only some are unread, the key does what the button says.
    await me.ask('POST', '/submissions/update', { ids: [idOf(form, 'Grace')], change: { is_read: true } });
    await expect.poll(() => row('Grace').getAttribute('data-unread')).toBe('false');
    await button('Mark as read').hover();
    await open.page.getByRole('tooltip').getByText('Mark as read (u)', { exact: true }).waitFor();
    await press('j', 'u');
    await becomesState(idOf(form, 'Ada'), { is_read: true });
    await becomesState(idOf(form, 'Grace'), { is_read: true });
  });
});

describe('moving', () => {
  it('archives, and the undo really sets it back', async () => {
    const form = await filled('Ada', 'Grace', 'Edith');
    await openList(form);
    await row('Grace').getByRole('button', { name: 'Actions' }).click();
    await open.page.getByRole('menuitem', { name: 'Archive' }).click();
    await showsTitles('Edith', 'Ada');
    await open.says('Archived');
    await becomesState(idOf(form, 'Grace'), { folder: 'archive' });
    await button('Undo').click();
    await showsTitles('Edith', 'Grace', 'Ada');
    await becomesState(idOf(form, 'Grace'), { folder: 'inbox' });
    await open.page.reload();
    await showsTitles('Edith', 'Grace', 'Ada');
  });

  it('marks as spam and takes it back from there', async () => {
    const form = await filled('Ada', 'Grace');
    await openList(form);
    await row('Ada').getByRole('checkbox').check();
    await button('Spam').click();
    await open.says('Marked as spam');
    await showsTitles('Grace');
    await choose('Folder', 'Spam');
    await showsTitles('Ada');
    await row('Ada').getByRole('checkbox').check();
    await button('Not spam').click();
    await open.says('Moved to inbox');
    await open.page.getByText('Nothing here').waitFor();
    await becomesState(idOf(form, 'Ada'), { folder: 'inbox' });
  });

  it('moves to the trash, deletes for good only there, and empties it', async () => {
    const form = await filled('Ada', 'Grace', 'Edith');
    await openList(form);
    await open.page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await expect.poll(() => button('Delete for good').count()).toBe(0);
    await button('Trash').click();
    await open.says('3 submissions moved to trash');
    await choose('Folder', 'Trash');
    await showsTitles('Edith', 'Grace', 'Ada');
    await row('Edith').getByRole('checkbox').check();
    await button('Delete for good').click();
    await open.page.getByRole('dialog').getByRole('button', { name: 'Delete 1 submission' }).click();
    await showsTitles('Grace', 'Ada');
    expect((await api.get(`/api/v1/submissions/${idOf(form, 'Edith')}`)).status).toBe(404);
    await row('Grace').getByRole('button', { name: 'Actions' }).click();
    await open.page.getByRole('menuitem', { name: 'Restore' }).click();
    await showsTitles('Ada');
    await becomesState(idOf(form, 'Grace'), { folder: 'inbox' });
    await button('Empty trash').click();
    await button('Delete everything in the trash').click();
    await open.page.getByText('Nothing here').waitFor();
    expect((await api.get(`/api/v1/submissions/${idOf(form, 'Ada')}`)).status).toBe(404);
    expect((await api.get(`/api/v1/submissions/${idOf(form, 'Grace')}`)).status).toBe(200);
  });

  it('puts back what the server refused', async () => {
    const form = await filled('Ada', 'Grace');
    await openList(form);
    const url = '**/api/v1/submissions/update';
    await open.page.route(url, (route) =>
      route.fulfill({ status: 503, json: { error: 'Try again later', code: 'unavailable' } }),
    );
    await row('Ada').getByRole('button', { name: 'Actions' }).click();
    await open.page.getByRole('menuitem', { name: 'Trash' }).click();
    await open.says('Nothing was changed');
    await showsTitles('Grace', 'Ada');
    await open.page.unroute(url);
    expect((await stateOf(idOf(form, 'Ada'))).folder).toBe('inbox');
  });

  it('puts back what was deleted meanwhile, and says that nothing was changed', async () => {
    const form = await filled('Ada', 'Grace');
    await openList(form);
    expect((await api.delete(`/api/v1/submissions/${idOf(form, 'Ada')}`)).status).toBe(204);
    await row('Ada').getByRole('button', { name: 'Star' }).click();
    await open.says('Nothing was changed');
    await row('Ada').getByRole('button', { name: 'Star', pressed: false }).waitFor();
  });

  it('follows what somebody else does', async () => {
    const form = await filled('Ada', 'Grace');
    await openList(form);
    await open.page.getByText('· live').waitFor();
    await api.patch(`/api/v1/submissions/${idOf(form, 'Ada')}`, { is_starred: true });
    await row('Ada').getByRole('button', { name: 'Star', pressed: true }).waitFor();
    await api.patch(`/api/v1/submissions/${idOf(form, 'Grace')}`, { folder: 'archive' });
    await showsTitles('Ada');
  });
});

describe('stars, labels and people', () => {
  it('stars a row, and lists what is starred', async () => {
    const form = await filled('Ada', 'Grace');
    await openList(form);
    await row('Ada').getByRole('button', { name: 'Star' }).click();
    await row('Ada').getByRole('button', { name: 'Star', pressed: true }).waitFor();
    await becomesState(idOf(form, 'Ada'), { is_starred: true });
    await choose('Star', 'Starred');
    await showsTitles('Ada');
    await open.page.getByRole('button', { name: 'Clear filter: Star' }).click();
    await showsTitles('Grace', 'Ada');
  });

  it('creates a label, puts it on a selection and filters by it', async () => {
    const form = await filled('Ada', 'Grace', 'Edith');
    await openList(form);
    await row('Ada').getByRole('checkbox').check();
    await row('Edith').getByRole('checkbox').check();
    await button('Label').click();
    await open.page.getByRole('textbox', { name: 'Find or create a label' }).fill('Urgent');
    await button('Create “Urgent”').click();
    await open.page.getByRole('checkbox', { name: 'Urgent', checked: true }).waitFor();
    await open.page.keyboard.press('Escape');
    await row('Ada').getByText('Urgent', { exact: true }).waitFor();
    await row('Edith').getByText('Urgent', { exact: true }).waitFor();
    await button('Select none').click();
    await choose('Label', 'Urgent');
    await showsTitles('Edith', 'Ada');
    expect((await stateOf(idOf(form, 'Ada'))).labels).toMatchObject([{ name: 'Urgent' }]);
    expect((await stateOf(idOf(form, 'Grace'))).labels).toEqual([]);
  });

  it('assigns, and lists what is assigned to me', async () => {
    const form = await filled('Ada', 'Grace');
    await openList(form);
    await row('Grace').getByRole('checkbox').check();
    await button('Assign').click();
    await open.page.getByRole('menuitem', { name: 'Me' }).click();
    await row('Grace').getByText('me', { exact: true }).waitFor();
    await choose('Assigned to', 'Me');
    await showsTitles('Grace');
  });
});

describe('filters', () => {
  const chips = (): Promise<string[]> => open.page.locator('.filter-chip').allInnerTexts();

  it('wait behind one button, which keys work as well', async () => {
    const form = await filled('Ada', 'Grace');
    await me.ask('POST', '/submissions/update', {
      ids: [idOf(form, 'Ada')],
      change: { is_starred: true },
    });
    await openList(form);
    await expect.poll(chips).toEqual([]);
    await button('Filter').focus();
    await press('Enter');
    await open.page.getByRole('option', { name: 'Folder', exact: true, selected: true }).waitFor();
    await open.page.locator('[role=combobox]:focus').waitFor();
    await open.page.keyboard.type('sta');
    await expect.poll(() => open.page.getByRole('option').allInnerTexts()).toEqual(['Star']);
    await press('Enter');
    await open.page.getByRole('option', { name: 'Starred', exact: true, selected: true }).waitFor();
    await open.page.locator('[role=listbox]:focus').waitFor();
    await press('ArrowDown');
    await open.page.getByRole('option', { name: 'Not starred', selected: true }).waitFor();
    await press('Enter');
    await showsTitles('Grace');
    await expect.poll(chips).toEqual(['Star: Not starred']);
    await expect.poll(focusedText).toBe('Filter');
    await press('Enter');
    await option('Folder').waitFor();
    // A filter that is already set is changed at its chip.
    expect(await option('Star').count()).toBe(0);
    // Before it has the focus, the key would go to the button.
    await open.page.locator('[role=combobox]:focus').waitFor();
    await press('Escape');
    await option('Folder').waitFor({ state: 'detached' });
    await chip('Star: Not starred').click();
    await option('Starred').click();
    await showsTitles('Ada');
    await button('Clear filter: Star').click();
    await showsTitles('Grace', 'Ada');
    await expect.poll(chips).toEqual([]);
    await expect.poll(focusedText).toBe('Filter');
  });

  it('says when nothing is found, and goes back from a value to all of them', async () => {
    await openList(await filled('Ada'));
    await button('Filter').click();
    const search = open.page.getByRole('combobox', { name: 'Filter by' });
    await search.fill('nothing like it');
    await open.page.getByRole('dialog').getByText('No matches').waitFor();
    await search.fill('rec');
    await option('Received').click();
    await open.page.getByLabel('From', { exact: true }).fill('2020-01-01');
    await expect.poll(chips).toEqual(['Received: Since 2020-01-01']);
    await button('All filters').click();
    await option('Folder').waitFor();
    expect(await option('Received').count()).toBe(0);
  });

  it.each(['light', 'dark'] as const)('have no finding of axe while they are open, %s', async (scheme) => {
    await open.page.emulateMedia({ colorScheme: scheme });
    await openList(await filled('Ada'), '?is_read=false');
    await button('Filter').click();
    await option('Folder').waitFor();
    expect(await findingsOn(open.page, scheme)).toEqual([]);
    await option('Folder').click();
    await option('Spam').waitFor();
    expect(await findingsOn(open.page, scheme)).toEqual([]);
    await open.page.emulateMedia({ colorScheme: null });
  });

  it('of a link are shown, and each can be changed', async () => {
    const form = await filled('Ada', 'Grace');
    const all =
      '?from=2020-01-01&to=2090-01-01&webhook_state=failed&folder=all&is_read=false&is_starred=false&assignee=me&field.name=Ada';
    await open.go(`/forms/${form.formId}${all}`);
    await expect
      .poll(chips)
      .toEqual([
        'Folder: All folders',
        'Read: Unread',
        'Star: Not starred',
        'Assigned to: Me',
        'Delivery: Failed',
        'Received: 2020-01-01 – 2090-01-01',
        'name: Ada',
      ]);
    for (const name of ['Assigned to', 'Delivery', 'Received']) await button(`Clear filter: ${name}`).click();
    await showsTitles('Ada');
    await chip('name: Ada').click();
    await open.page.getByRole('textbox', { name: 'Text to find' }).fill('Grace');
    await button('Apply').click();
    await showsTitles('Grace');
    expect(new URL(open.page.url()).search).toBe(
      '?folder=all&is_read=false&is_starred=false&field.name=Grace',
    );
  });
});

describe('the whole account', () => {
  it('has an inbox with its folders in the sidebar', async () => {
    const [one, other] = [await filled('Ada of one'), await filled('Grace of another')];
    await open.go('/inbox');
    await row('Ada of one').waitFor();
    await row('Grace of another').waitFor();
    // Forms have different fields, so each row sums itself up in one cell.
    await open.page.getByRole('columnheader', { name: 'Submission', exact: true }).waitFor();
    await expect
      .poll(() => row('Ada of one').locator('td').nth(1).innerText())
      .toContain('ada of one@example.com');
    await row('Ada of one').getByRole('button', { name: 'Star' }).click();
    await becomesState(idOf(one, 'Ada of one'), { is_starred: true });
    await row('Grace of another').getByRole('button', { name: 'Actions' }).click();
    await open.page.getByRole('menuitem', { name: 'Archive' }).click();
    await becomesState(idOf(other, 'Grace of another'), { folder: 'archive' });
    const place = (name: string) => open.page.locator('nav').getByRole('link', { name, exact: true });
    for (const [name, wanted, unwanted] of [
      ['Starred', 'Ada of one', 'Grace of another'],
      ['Archive', 'Grace of another', 'Ada of one'],
    ] as const) {
      await place(name).click();
      await open.page.getByRole('heading', { name, level: 1 }).waitFor();
      await row(wanted).waitFor();
      await expect.poll(() => row(unwanted).count()).toBe(0);
    }
    for (const name of ['Inbox and archive', 'Assigned to me', 'Spam', 'Trash']) {
      await place(name).click();
      await open.page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
    }
  });

  it('saves a view, which is renamed, put elsewhere and deleted', async () => {
    const form = await filled('Ada', 'Grace');
    await me.ask('PATCH', `/submissions/${idOf(form, 'Ada')}`, { is_starred: true });
    const save = async (name: string) => {
      await button('Save view').click();
      const dialog = open.page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
      await dialog.getByRole('button', { name: 'Save view' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await openList(form, '?is_starred=true');
    await showsTitles('Ada');
    await save('Important');
    await choose('Read', 'Unread');
    await showsTitles('Ada');
    await save('Important and new');
    await open.go('/inbox');
    const names = () =>
      open.page
        .locator('nav .nav-place')
        .allInnerTexts()
        .then((all) => all.slice(6));
    await expect.poll(names).toEqual(['Important', 'Important and new']);
    await open.page.getByRole('link', { name: 'Important', exact: true }).click();
    await open.page.getByRole('heading', { name: 'Contact', level: 1 }).waitFor();
    await showsTitles('Ada');
    await open.go('/inbox');
    await button('Manage views').click();
    await button('Move Important and new up').click();
    await expect.poll(names).toEqual(['Important and new', 'Important']);
    await open.page.getByRole('textbox', { name: 'Name of Important', exact: true }).fill('Stars');
    await open.page.keyboard.press('Enter');
    await expect.poll(names).toEqual(['Important and new', 'Stars']);
    await button('Delete Important and new').click();
    await expect.poll(names).toEqual(['Stars']);
    await button('Delete Stars').click();
    await expect.poll(names).toEqual([]);
    await open.page.keyboard.press('Escape');
    await open.page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

describe('columns', () => {
  it('come from what most submissions have, and none repeats another', async () => {
    const form = await makeForm(server.url);
    await submit(form.endpoint, { first_name: 'Zoe', last_name: 'Zett' });
    await submit(form.endpoint, { name: 'Ada', email: 'ada@example.com', message: 'Hello' });
    await submit(form.endpoint, { name: 'Grace', email: 'grace@example.com', message: 'Good day' });
    await submit(form.endpoint, { name: '', email: 'nobody@example.com', message: 'Guess who' });
    await submit(form.endpoint, { name: 'Mary', email: 'mary@example.com', message: 'Bye' });
    await open.go(`/forms/${form.formId}`);
    await showsTitles('Mary', '–', 'Grace', 'Ada', 'Zoe');
    const heads = () => open.page.locator('thead .sort-button').allInnerTexts();
    await expect.poll(heads).toEqual(['name', 'email', 'message', 'Received']);
    // Screen readers get more than a dash.
    const opensOne = open.page.locator('a[href*="/submissions/"]');
    await opensOne.and(open.page.getByRole('link', { name: 'nobody@example.com', exact: true })).waitFor();
  });

  it('sorts by received and by a field', async () => {
    const form = await filled('Mia', 'Ada', 'Zoe');
    await openList(form);
    const head = (name: string) => open.page.getByRole('columnheader', { name });
    const sortBy = (name: string) => head(name).getByRole('button', { name, exact: true }).click();
    const sorted = (name: string) => head(name).getAttribute('aria-sort');
    expect(await sorted('Received')).toBe('descending');
    await sortBy('name');
    await showsTitles('Ada', 'Mia', 'Zoe');
    await expect.poll(() => sorted('name')).toBe('ascending');
    expect(await sorted('Received')).toBe('none');
    await sortBy('name');
    await showsTitles('Zoe', 'Mia', 'Ada');
    await expect.poll(() => sorted('name')).toBe('descending');
    await sortBy('Received');
    await showsTitles('Mia', 'Ada', 'Zoe');
    await open.page.reload();
    await showsTitles('Mia', 'Ada', 'Zoe');
  });

  it('filters by what is in one', async () => {
    const form = await filled('Ada', 'Adam', 'Grace');
    await openList(form);
    const filter = async (kind: string, text: string) => {
      await button('Filter by name').click();
      await open.page.getByText(kind, { exact: true }).click();
      await open.page.getByRole('textbox', { name: 'Text to find' }).fill(text);
      await button('Apply').click();
    };
    await filter('Contains', 'ada');
    await showsTitles('Adam', 'Ada');
    await filter('Is exactly', 'ada');
    await showsTitles('Ada');
    await open.page.getByRole('button', { name: 'Clear filter: name' }).click();
    await showsTitles('Grace', 'Adam', 'Ada');
  });

  it('marks what a search found, as text', async () => {
    const form = await makeForm(server.url);
    await submit(form.endpoint, { name: 'Ada <b>Lovelace</b>', message: 'adamant' });
    await open.go(`/forms/${form.formId}?q=ada`);
    const marked = open.page.locator('tbody mark').filter({ visible: true });
    await expect.poll(() => marked.allInnerTexts()).toEqual(['Ada', 'ada']);
    await expect.poll(titles).toEqual(['Ada <b>Lovelace</b>']);
    expect(await open.page.locator('tbody b').count()).toBe(0);
  });
});

describe('what is new', () => {
  it('slides in at the top while nobody is busy with the list', async () => {
    const form = await filled('Ada');
    await openList(form);
    await open.page.getByText('· live').waitFor();
    await submit(form.endpoint, { name: 'Grace' });
    await showsTitles('Grace', 'Ada');
    expect(await button(/ new$/).count()).toBe(0);
  });

  it('waits while something is selected, without a gap', async () => {
    const form = await filled('Ada');
    await openList(form);
    await open.settled();
    await row('Ada').getByRole('checkbox').check();
    const place = await row('Ada').boundingBox();
    await submit(form.endpoint, { name: 'Grace' });
    await button('1 new').waitFor();
    await showsTitles('Ada');
    expect(await row('Ada').boundingBox()).toEqual(place);
    await button('1 new').click();
    await showsTitles('Grace', 'Ada');
  });
});

describe('a selection', () => {
  it('is exported as a file', async () => {
    const form = await filled('Ada', 'Grace', 'Edith');
    await openList(form);
    await row('Ada').getByRole('checkbox').check();
    await row('Edith').getByRole('checkbox').check();
    await button('Export the selection').click();
    const [download] = await Promise.all([
      open.page.waitForEvent('download'),
      open.page.getByRole('menuitem', { name: 'CSV, for spreadsheets' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^submissions-\d{4}-\d\d-\d\d\.csv$/);
    const [head = [], ...lines] = parseCsv((await readFile(await download.path())).toString());
    expect(lines.map((line) => line[head.indexOf('name')])).toEqual(['Edith', 'Ada']);
    await open.says('2 submissions exported');
  });
});

describe('the keyboard', () => {
  it('does everything: walks, selects, stars, marks, labels, archives, trashes and undoes', async () => {
    const form = await filled('Ada', 'Grace', 'Edith', 'Mary');
    await openList(form);
    await press('j', 'ArrowDown', 'ArrowDown', 'k');
    await expect.poll(highlighted).toEqual(['Edith']);
    await press('s');
    await becomesState(idOf(form, 'Edith'), { is_starred: true });
    await press('u');
    await becomesState(idOf(form, 'Edith'), { is_read: true });
    await press('e');
    await showsTitles('Mary', 'Grace', 'Ada');
    // The next row takes its place and the focus.
    await expect.poll(highlighted).toEqual(['Grace']);
    await expect.poll(focusedText).toBe('Grace');
    await press('#');
    await showsTitles('Mary', 'Ada');
    await becomesState(idOf(form, 'Grace'), { folder: 'trash' });
    await press('z');
    await showsTitles('Mary', 'Grace', 'Ada');
    await becomesState(idOf(form, 'Grace'), { folder: 'inbox' });
    // The restored row has both highlight and focus, like a single cursor.
    await expect.poll(highlighted).toEqual(['Grace']);
    await expect.poll(focusedText).toBe('Grace');
    await press('Escape', 'j', 'x', 'j', 'j', 'X');
    await open.says('3 selected');
    await press('l');
    await open.page.getByRole('textbox', { name: 'Find or create a label' }).waitFor();
    await open.page.locator('[role=dialog] input:focus').waitFor();
    await press('Escape');
    await open.page.getByRole('textbox', { name: 'Find or create a label' }).waitFor({ state: 'detached' });
    await press('e');
    await open.page.getByText('Nothing here').waitFor();
    await open.says('3 submissions archived');
  });

  it('finds, puts on and creates labels, and is then back at the row', async () => {
    await api.post('/api/v1/labels', { name: 'Later', color: 'blue' });
    const form = await filled('Ada', 'Grace');
    await openList(form);
    const text = open.page.getByRole('textbox', { name: 'Find or create a label' });
    const label = (name: string) => open.page.getByRole('checkbox', { name, checked: true });
    await press('j', 'j', 'l');
    await text.fill('Lat');
    await press('Enter');
    await label('Later').waitFor();
    await text.fill('Brand-new');
    await press('Enter');
    await label('Brand-new').waitFor();
    await press('Escape');
    await text.waitFor({ state: 'detached' });
    await expect.poll(focusedText).toBe('Ada');
    await expect.poll(highlighted).toEqual(['Ada']);
    // It was selected only for labelling.
    await expect.poll(() => row('Ada').getByRole('checkbox', { checked: true }).count()).toBe(0);
    const labels = [{ name: 'Brand-new' }, { name: 'Later' }];
    await becomesState(idOf(form, 'Ada'), { labels });
  });

  it('assigns, marks as spam, replies and goes to the inbox', async () => {
    const form = await filled('Ada', 'Grace');
    await openList(form);
    await press('j', 'a');
    await open.page.getByRole('menuitem', { name: 'Me', exact: true }).click();
    await expect.poll(async () => (await stateOf(idOf(form, 'Grace'))).assignee_id).not.toBeNull();
    await expect.poll(focusedText).toBe('Grace');
    await press('!');
    await becomesState(idOf(form, 'Grace'), { folder: 'spam' });
    await showsTitles('Ada');
    await expect.poll(focusedText).toBe('Ada');
    await press('Enter');
    await open.page.getByRole('heading', { name: 'Ada', level: 1 }).waitFor();
    await open.page.evaluate(`document.addEventListener('click', (event) => {
      const link = event.target.closest('a[href^="mailto:"]');
      if (link === null) return;
      event.preventDefault();
      globalThis.repliedTo = link.href;
    })`);
    await button('Label').waitFor();
    await press('r');
    await expect.poll(() => open.page.evaluate('globalThis.repliedTo')).toMatch(/^mailto:ada@example\.com\?/);
    await press('a');
    await open.page.getByRole('menuitem', { name: 'Me', exact: true }).waitFor();
    await press('Escape');
    await open.page.getByRole('menuitem', { name: 'Me', exact: true }).waitFor({ state: 'detached' });
    await press('g', 'i');
    await open.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
  });

  it('is listed in the help, and can be switched off', async () => {
    const form = await filled('Ada');
    await openList(form);
    await press('?');
    const help = open.page.getByRole('dialog');
    for (const words of [
      'Archive',
      'Label',
      'Assign',
      'Mark as spam',
      'Move to trash',
      'Undo the last change',
    ])
      await help.getByText(words, { exact: true }).waitFor();
    await help.getByRole('switch', { name: 'Single-key shortcuts' }).click();
    await press('Escape');
    await help.waitFor({ state: 'detached' });
    await row('Ada').locator('.row-link').focus();
    await press('e');
    // Keys are handled in order: when this one has taken effect, the previous one would have, too.
    await press('Escape');
    await expect.poll(highlighted).toEqual([]);
    await showsTitles('Ada');
    await open.page.evaluate("localStorage.setItem('inlet.shortcuts', 'on')");
    await row('Ada').locator('.row-link').focus();
    await press('e');
    await becomesState(idOf(form, 'Ada'), { folder: 'archive' });
  });
});

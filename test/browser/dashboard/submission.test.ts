/** One submission in the dashboard: its attempts as sent, moving along the list, replies, and inbox actions. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { madePerson, type Person, signedIn, withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { deliveryBecomes, hasState, startHookServer, submit } from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let ada: Person;
let open: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startHookServer(withAdmin)]);
  api = client(server.url);
  ada = await signedIn(server);
  open = await openDashboard(browser, server, { permissions: ['clipboard-read', 'clipboard-write'] });
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const button = (name: string): Locator => open.page.getByRole('button', { name, exact: true });
const heading = (name: string): Promise<void> =>
  open.page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
const press = (key: string) => open.page.keyboard.press(key);

/** Makes a form and submits one per name, from the first to the last. */
async function received(...names: readonly string[]): Promise<MadeForm & { ids: readonly string[] }> {
  const form = await makeForm(server.url);
  const ids: string[] = [];
  for (const name of names) ids.push(await submit(form.endpoint, { name }));
  return { ...form, ids };
}

/** As the signed-in user sees it. */
const stateOf = async (id: string | undefined) =>
  (await ada.ask('GET', `/submissions/${id}?include=inbox`)).body;
const becomes = (id: string | undefined, state: Readonly<Record<string, unknown>>): Promise<void> =>
  expect.poll(() => stateOf(id)).toMatchObject(state);

describe('an attempt', () => {
  it('shows the request and the response, and is sent again by the copied command', async () => {
    const receiver = await startAnswering({ status: 201, headers: { 'x-trace': 't-17' }, body: 'taken' });
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const id = await submit(form.endpoint, { name: `Ada's "$HOME"` });
    await deliveryBecomes(api, id, hasState('delivered'));
    await open.go(`/submissions/${id}`);
    await open.page.getByText('The endpoint returned 201', { exact: true }).click();
    await open.page
      .getByText(/^(DNS .* · )?connect .* · first byte .* · total \d+ ms · to 127\.0\.0\.1$/)
      .waitFor();
    await open.page.getByText(/^Request headers \(\d+\)$/).click();
    const header = (name: string) => open.page.locator('.header-list > div').filter({ hasText: name });
    const [sent] = receiver.requests;
    await header('x-webhook-signature')
      .getByText(sent?.headers.get('x-webhook-signature') ?? '')
      .waitFor();
    await open.page.getByText(/^Response headers \(\d+\)$/).click();
    await header('x-trace').getByText('t-17', { exact: true }).waitFor();
    await open.page.getByText('taken', { exact: true }).waitFor();
    await open.page.getByText(/^Request body \(\d+ bytes\)$/).click();
    await open.page.getByText(sent?.body.toString() ?? '', { exact: true }).waitFor();

    const command = await open.copiedBy(button('Copy as curl'));
    await promisify(execFile)('sh', ['-c', command]);
    const again = receiver.requests[1];
    expect(again?.body).toEqual(sent?.body);
    for (const name of ['x-webhook-signature', 'webhook-signature', 'webhook-id', 'content-type'])
      expect(again?.headers.get(name)).toBe(sent?.headers.get(name));
    await receiver.close();
  });
});

describe('previous and next', () => {
  it('walk along the filtered list, also after a reload and from a link', async () => {
    const form = await received('Ada one', 'Grace', 'Ada two', 'Edith', 'Ada three');
    await open.go(`/forms/${form.formId}?q=ada`);
    await open.page.locator('.row-link').filter({ hasText: 'Ada two' }).click();
    await heading('Ada two');
    await open.page.waitForURL(/\/submissions\/[\w-]+\?in=form&(.+&)?q=ada\b/);
    const link = open.page.url();
    await open.page.reload();
    await heading('Ada two');
    await press('j');
    await heading('Ada one');
    await open.page.getByRole('button', { name: 'Next submission', disabled: true }).waitFor();
    await press('k');
    await heading('Ada two');
    await button('Previous submission').click();
    await heading('Ada three');

    const other = await openDashboard(browser, server);
    await other.page.goto(link);
    await other.page.getByRole('button', { name: 'Next submission', exact: true }).click();
    await other.page.getByRole('heading', { name: 'Ada one', level: 1, exact: true }).waitFor();
    await other.close();
  });

  it('are those of the form where nobody came from a list, and a key pressed early is not lost', async () => {
    const form = await received('First', 'Second', 'Third');
    await open.go(`/submissions/${form.ids[2]}`);
    await press('j');
    await press('j');
    await heading('First');
  });
});

describe('a reply', () => {
  it('goes to the visitor, and nowhere where no address is known', async () => {
    const { endpoint } = await makeForm(server.url);
    const id = await submit(endpoint, { email: 'grace@example.com', message: 'Hello & bye?' });
    await open.go(`/submissions/${id}`);
    const reply = open.page.getByRole('link', { name: 'Reply', exact: true });
    await expect
      .poll(() => reply.getAttribute('href'))
      .toBe(
        'mailto:grace@example.com?subject=Re%3A%20Contact&body=%0D%0A%0D%0A%3E%20email%3A%20grace%40example.com%0D%0A%3E%20message%3A%20Hello%20%26%20bye%3F',
      );
    const hostile = await submit(endpoint, { name: 'Eve', email: 'x@example.com?bcc=all@example.com' });
    await open.go(`/submissions/${hostile}`);
    await heading('Eve');
    await button('Archive').waitFor();
    expect(await reply.count()).toBe(0);
  });
});

describe('the inbox', () => {
  it('opening reads it; it can be marked as unread, starred, labelled and assigned', async () => {
    const { ids } = await received('Ada');
    const [id] = ids;
    await becomes(id, { is_read: false });
    await open.go(`/submissions/${id}`);
    await becomes(id, { is_read: true });
    await button('Mark as unread').click();
    await button('Mark as read').waitFor();
    await becomes(id, { is_read: false });
    await press('s');
    await open.page.getByRole('button', { name: 'Star', exact: true, pressed: true }).waitFor();
    await becomes(id, { is_starred: true });
    await press('l');
    await open.page.getByRole('textbox', { name: 'Find or create a label' }).fill('Urgent');
    await button('Create “Urgent”').click();
    await open.page.locator('.label-chip').getByText('Urgent', { exact: true }).waitFor();
    await press('Escape');
    await button('Assign').click();
    await open.page.getByRole('menuitem', { name: 'Me', exact: true }).click();
    await button('Assigned to me').waitFor();
    const { body: session } = await ada.ask('GET', '/session');
    await becomes(id, { labels: [{ name: 'Urgent' }], assignee_id: session.user.id });
  });

  it('archives, trashes and goes on; undo brings back', async () => {
    const form = await received('Ada', 'Grace', 'Edith');
    await open.go(`/submissions/${form.ids[2]}`);
    await button('Next submission').waitFor();
    await press('e');
    await heading('Grace');
    await open.says('Archived');
    await becomes(form.ids[2], { folder: 'archive' });
    await button('Trash').click();
    await heading('Ada');
    await open.says('Moved to trash');
    await becomes(form.ids[1], { folder: 'trash' });
    await button('Undo').click();
    await becomes(form.ids[1], { folder: 'inbox' });
    // After the last one, the list opens again.
    await button('Spam').click();
    await heading('Contact');
    await becomes(form.ids[0], { folder: 'spam' });
  });

  it('says where it is, and deletes for good only in the trash', async () => {
    const { ids } = await received('Ada');
    await ada.ask('PATCH', `/submissions/${ids[0]}`, { folder: 'spam' });
    await open.go(`/submissions/${ids[0]}`);
    await open.page.getByText('In spam: deliveries are paused', { exact: true }).waitFor();
    expect(await button('Delete for good').count()).toBe(0);
    await button('Not spam').waitFor();
    await ada.ask('PATCH', `/submissions/${ids[0]}`, { folder: 'trash' });
    await button('Delete for good').click();
    await open.page.getByRole('dialog').getByRole('button', { name: 'Delete 1 submission' }).click();
    // It was the only one, so its form opens.
    await heading('Contact');
    expect((await api.get(`/api/v1/submissions/${ids[0]}`)).status).toBe(404);
  });

  it('goes on to the next submission after deleting one for good', async () => {
    const { formId, ids } = await received('Ada', 'Grace', 'Edith');
    for (const id of ids) await ada.ask('PATCH', `/submissions/${id}`, { folder: 'trash' });
    await open.go(`/forms/${formId}?folder=trash`);
    await open.page.locator('.row-link').filter({ hasText: 'Edith' }).click();
    for (const [name, next] of [
      ['Edith', 'Grace'],
      ['Grace', 'Ada'],
    ] as const) {
      await heading(name);
      await button('Delete for good').click();
      await open.page.getByRole('dialog').getByRole('button', { name: 'Delete 1 submission' }).click();
      await heading(next);
    }
    await press('Escape');
    await open.page.locator('.row-link').filter({ hasText: 'Ada' }).waitFor();
    expect(await open.page.locator('.row-link').allInnerTexts()).toEqual(['Ada']);
  });
});

describe('notes', () => {
  it('are written, changed, deleted and brought back; those of other users are only read', async () => {
    const { ids } = await received('Ada');
    const grace = await signedIn(server, await madePerson(server, 'test-key-0123456789abcdef'));
    await grace.ask('POST', `/submissions/${ids[0]}/notes`, { text: 'Called her.\nNo answer.' });
    await open.go(`/submissions/${ids[0]}`);
    const notes = open.page.getByRole('region', { name: 'Notes', exact: true });
    const note = (text: string) => notes.getByRole('listitem').filter({ hasText: text });
    await note('Called her.')
      .getByText(/^person-\d+@example\.com$/)
      .waitFor();
    await notes.getByRole('textbox', { name: 'Add a note for your team' }).fill('Call back on <b>Monday</b>');
    await notes.getByRole('button', { name: 'Add note', exact: true }).click();
    const own = note('Call back on <b>Monday</b>');
    await own.getByText('You', { exact: true }).waitFor();
    expect(await note('Called her.').getByRole('button', { name: 'Edit note' }).count()).toBe(0);
    await own.getByRole('button', { name: 'Edit note' }).click();
    await notes.getByRole('textbox', { name: 'Text of the note' }).fill('Call back on Tuesday');
    await notes.getByRole('button', { name: 'Save note', exact: true }).click();
    const changed = note('Call back on Tuesday');
    await changed.getByText('edited').waitFor();
    await changed.getByRole('button', { name: 'Delete note' }).click();
    await changed.waitFor({ state: 'detached' });
    await open.says('Note deleted');
    await button('Undo').click();
    await changed.waitFor();
    const texts = async () =>
      (await ada.ask('GET', `/submissions/${ids[0]}/notes`)).body.data.map(
        ({ text }: { text: string }) => text,
      );
    expect(await texts()).toEqual(['Called her.\nNo answer.', 'Call back on Tuesday']);
  });

  it('are stored once, also when the keys are pressed again before that', async () => {
    const { ids } = await received('Ada');
    await open.go(`/submissions/${ids[0]}`);
    let goOn: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const url = '**/api/v1/submissions/*/notes';
    await open.page.route(url, async (route) => {
      await held;
      await route.continue();
    });
    const box = open.page.getByRole('textbox', { name: 'Add a note for your team' });
    await box.fill('Called her.');
    for (const key of ['Control+Enter', 'Control+Enter', 'x']) await press(key);
    expect(await box.inputValue(), 'what is being stored').toBe('Called her.');
    goOn();
    await open.page.getByRole('listitem').filter({ hasText: 'Called her.' }).waitFor();
    await expect.poll(() => box.inputValue()).toBe('');
    await open.page.unroute(url);
    expect((await ada.ask('GET', `/submissions/${ids[0]}/notes`)).body.data).toHaveLength(1);
  });

  it('are not lost by leaving', async () => {
    const { ids } = await received('Ada', 'Grace');
    await open.go(`/submissions/${ids[1]}`);
    await heading('Grace');
    await open.page.getByRole('textbox', { name: 'Add a note for your team' }).fill('half a tho');
    await button('Next submission').click();
    await open.page.getByRole('dialog').waitFor();
    await open.page
      .getByRole('dialog')
      .getByRole('button', { name: 'Stay on this page', exact: true })
      .click();
    await heading('Grace');
    await open.page.getByRole('textbox', { name: 'Add a note for your team' }).fill('');
    await button('Next submission').click();
    await heading('Ada');
  });
});

/** The most common tasks on a laptop, a wide screen and a phone; and the submission beside its list, where there is room. */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson } from '../../support/visitor.js';

const people = ['Ada', 'Grace', 'Katherine', 'Alan', 'Linus'];

let browser: Browser;
let server: RunningServer;
let api: Client;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: withAdmin })]);
  api = client(server.url);
});
afterAll(() => Promise.all([leaveBrowser(browser), server.dispose()]));

/** A form with one submission per person. The last is at the top of the list. */
async function filledForm(): Promise<MadeForm> {
  const form = await makeForm(server.url, { form: { name: 'Contact' } });
  for (const name of people)
    await postJson(form.endpoint, { name, email: `${name}@example.com`, message: `From ${name}` });
  return form;
}

const sizes = {
  laptop: { width: 1280, height: 900 },
  wide: { width: 1920, height: 1080 },
  phone: { width: 390, height: 844 },
};

describe.each(Object.entries(sizes))('on a %s', (_name, viewport) => {
  let open: OpenDashboard;
  let form: MadeForm;
  beforeAll(async () => {
    form = await filledForm();
    open = await openDashboard(browser, server, { viewport });
  });
  afterAll(async () => {
    expect(await open.faults()).toEqual([]);
    await open.close();
  });
  const focused = () => open.page.evaluate<string>('document.activeElement.innerText');
  const heading = (name: string) => open.page.getByRole('heading', { name, exact: true, level: 1 });

  it('a list is walked through, changed and undone by keys', async () => {
    await open.go(`/forms/${form.formId}`);
    await open.page.getByRole('link', { name: 'Linus', exact: true }).waitFor();
    for (const name of ['Linus', 'Alan', 'Katherine']) {
      await open.page.keyboard.press('j');
      await expect.poll(focused).toBe(name);
    }
    await open.page.keyboard.press('k');
    await expect.poll(focused).toBe('Alan');
    await open.page.keyboard.press('e');
    await expect.poll(focused).toBe('Katherine');
    await open.says('Archived');
    await open.page.keyboard.press('z');
    await expect.poll(focused).toBe('Alan');
    await open.settled();
  });

  it('a submission is read, and its neighbours, and the way back leads to its row', async () => {
    await open.go(`/forms/${form.formId}`);
    await open.page.getByRole('link', { name: 'Linus', exact: true }).waitFor();
    await open.page.keyboard.press('j');
    await expect.poll(focused).toBe('Linus');
    await open.page.keyboard.press('Enter');
    await heading('Linus').waitFor();
    await open.page.getByText('From Linus', { exact: true }).waitFor();
    await open.page.keyboard.press('j');
    await heading('Alan').waitFor();
    await open.page.keyboard.press('Escape');
    await heading('Contact').waitFor();
    await expect.poll(focused).toBe('Alan');
  });

  it('settings are changed and saved', async () => {
    await open.go(`/forms/${form.formId}/settings`);
    await open.page.getByLabel('Name', { exact: true }).fill('Contact us');
    await open.page.getByRole('button', { name: 'Save', exact: true }).click();
    await open.says('Saved');
    await heading('Contact us').waitFor();
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.name).toBe('Contact us');
  });

  it('nothing reaches beyond the window', async () => {
    for (const path of [`/forms/${form.formId}`, `/forms/${form.formId}/settings`, '/inbox', '']) {
      await open.go(path);
      await open.settled();
      expect(await open.page.evaluate<number>('document.documentElement.scrollWidth')).toBe(viewport.width);
    }
  });
});

it.each([sizes.laptop, sizes.wide])(
  'an index leads to the sections of the settings at $width px',
  async (viewport) => {
    const form = await filledForm();
    const open = await openDashboard(browser, server, { viewport });
    await open.go(`/forms/${form.formId}/settings`);
    const index = open.page.getByRole('navigation', { name: 'Sections of the settings' });
    const section = open.page.getByRole('region', { name: 'Delivery', exact: true });
    await index.getByRole('link', { name: 'Delivery', exact: true }).click();
    // At the top, below the headers, and the index is still visible.
    await expect.poll(async () => (await section.boundingBox())?.y ?? 999).toBeLessThan(200);
    await index.getByRole('link', { name: 'General', exact: true }).click();
    await expect.poll(() => open.page.evaluate<number>('scrollY')).toBeLessThan(200);
    expect(new URL(open.page.url()).hash).toBe('#general');
    expect(await open.faults()).toEqual([]);
    await open.close();
  },
);

describe('from 1,440 pixels on', () => {
  let open: OpenDashboard;
  let form: MadeForm;
  beforeAll(async () => {
    form = await filledForm();
    open = await openDashboard(browser, server, { viewport: { width: 1440, height: 900 } });
  });
  afterAll(async () => {
    expect(await open.faults()).toEqual([]);
    await open.close();
  });
  const pane = (): Locator => open.page.getByRole('region', { name: 'Shown submission' });
  const shows = (name: string) => pane().getByText(`From ${name}`, { exact: true }).waitFor();
  const row = (name: string) => open.page.getByRole('link', { name, exact: true });

  it('a click shows a submission beside the list, keys show the next, and a reload the same', async () => {
    await open.go(`/forms/${form.formId}`);
    await row('Linus').waitFor();
    expect(await pane().count()).toBe(0);
    await row('Linus').click();
    await shows('Linus');
    await open.page.keyboard.press('j');
    await shows('Alan');
    expect(await pane().count()).toBe(1);
    await open.page.reload();
    await shows('Alan');
    await expect.poll(() => open.page.evaluate('document.activeElement.innerText')).toBe('Alan');
    await open.page.keyboard.press('j');
    await shows('Katherine');
  });

  it('goes on when the submission is archived, and is closed with Esc', async () => {
    await open.go(`/forms/${form.formId}`);
    await row('Katherine').click();
    await shows('Katherine');
    await open.page.keyboard.press('e');
    await shows('Grace');
    await pane().getByRole('button', { name: 'Archive', exact: true }).click();
    await shows('Ada');
    await open.page.keyboard.press('Escape');
    await pane().waitFor({ state: 'detached' });
    expect(new URL(open.page.url()).hash).toBe('');
  });

  it('Enter opens the page, and the way back shows the same beside the list', async () => {
    await open.go(`/forms/${form.formId}`);
    await row('Linus').click();
    await shows('Linus');
    await open.page.keyboard.press('Enter');
    await open.page.getByRole('heading', { name: 'Linus', exact: true, level: 1 }).waitFor();
    await open.page.keyboard.press('Escape');
    await open.page.getByRole('heading', { name: 'Contact', exact: true, level: 1 }).waitFor();
    await shows('Linus');
  });

  it('a note that is being written is not lost to another row, nor by closing', async () => {
    await open.go(`/forms/${form.formId}`);
    await row('Linus').click();
    await shows('Linus');
    const note = pane().getByRole('textbox', { name: 'Add a note for your team' });
    await note.fill('half a tho');
    const question = open.page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    for (const leave of [row('Alan'), pane().getByRole('button', { name: 'Close' })]) {
      await leave.click();
      await question.getByRole('button', { name: 'Stay on this page' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await note.inputValue()).toBe('half a tho');
    }
    await shows('Linus');
    await row('Alan').click();
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await shows('Alan');
  });

  it('a ticked box opens nothing', async () => {
    await open.go(`/forms/${form.formId}`);
    await row('Linus').waitFor();
    const [first, second] = [0, 1].map((place) => open.page.locator('tbody input[type=checkbox]').nth(place));
    await first?.click();
    await second?.click();
    await open.page.getByText('2 selected', { exact: true }).waitFor();
    expect(await pane().count()).toBe(0);
  });
});

/** Submissions in the dashboard, as users work with them: the list that updates itself, and one submission in full. */
import { readFile } from 'node:fs/promises';
import type { Browser, Download, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { parseCsv } from '../../support/csv.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { keptSubmissions } from '../../support/kept.js';
import { type Bytes, picture } from '../../support/pictures.js';
import { startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';
import { deliveryBecomes, hasState, startHookServer, submit } from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([
    sharedBrowser(),
    startHookServer({ ...withAdmin, WEBHOOK_RETRY_DELAYS: '0.05,0.05,0.05,0.05' }),
  ]);
  api = client(server.url);
  open = await openDashboard(browser, server, {
    permissions: ['clipboard-read', 'clipboard-write'],
    reducedMotion: 'reduce',
  });
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const rows = (): Locator => open.page.locator('tbody tr[data-row]');
const row = (text: string): Locator => rows().filter({ hasText: text });
const titles = (): Promise<string[]> => rows().locator('.row-link').allInnerTexts();
const heads = async (): Promise<string[]> =>
  (await open.page.locator('thead th').allInnerTexts()).map((text) => text.trim());
const shown = (count: number): Promise<void> =>
  open.page.getByText(new RegExp(`^${count} submissions? · `)).waitFor();
const heading = (name: string): Promise<void> =>
  open.page.getByRole('heading', { name, level: 1, exact: true }).waitFor();

async function visitors(...names: string[]): Promise<MadeForm & { readonly ids: readonly string[] }> {
  const form = await makeForm(server.url);
  const ids: string[] = [];
  for (const name of names) {
    const email = `${name.toLowerCase()}@example.com`;
    ids.push(await submit(form.endpoint, { plan: 'small', email, name, message: `I am ${name}.` }));
  }
  return { ...form, ids };
}

async function openList(form: MadeForm, count: number): Promise<void> {
  await open.go(`/forms/${form.formId}`);
  await shown(count);
}

const contentOf = async (download: Download): Promise<Buffer> => readFile(await download.path());

describe('the list', () => {
  it('leads to the snippets while nothing has come, and fills by itself', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}`);
    await open.page.getByText('No submissions yet').waitFor();
    await open.page.getByRole('link', { name: 'Get a snippet' }).click();
    await open.page.locator('main pre').filter({ hasText: form.endpoint }).first().waitFor();
    await open.page.getByRole('tab', { name: 'Submissions' }).click();
    await open.page.getByText('No submissions yet').waitFor();
    await submit(form.endpoint, { name: 'Ada' });
    await shown(1);
    await expect.poll(titles).toEqual(['Ada']);
  });

  it('shows the newest first, in columns that the data has', async () => {
    await openList(await visitors('Ada', 'Grace', 'Edith'), 3);
    await expect.poll(titles).toEqual(['Edith', 'Grace', 'Ada']);
    await expect.poll(heads).toEqual(['', 'name', 'email', 'message', 'Received']);
    await expect
      .poll(async () => (await row('Grace').locator('td').allInnerTexts()).slice(2, 4))
      .toEqual(['grace@example.com', 'I am Grace.']);
  });

  it('tells of what is new without moving what is read, and shows it on demand', async () => {
    const form = await visitors('Ada', 'Grace');
    await openList(form, 2);
    await open.page.getByText('· live').waitFor();
    // The part above the list is complete, and no longer moves anything.
    await open.page.getByText('30 days · ').waitFor();
    // The user is working in this row.
    await row('Ada').locator('.row-link').focus();
    const place = await row('Ada').boundingBox();
    await submit(form.endpoint, { name: 'Edith' });
    await open.page.getByRole('button', { name: '1 new' }).waitFor();
    await expect.poll(titles).toEqual(['Grace', 'Ada']);
    await expect.poll(() => row('Ada').boundingBox()).toEqual(place);
    await open.page.getByText('2 submissions shown, 1 newer above · live').waitFor();
    await open.page.getByText('30 days · 3 received').waitFor();
    await submit(form.endpoint, { name: 'Mary' });
    const pill = open.page.getByRole('button', { name: '2 new' });
    await pill.waitFor();
    // Also after scrolling: in a low window, the page header and the column headers stay above the button.
    const size = open.page.viewportSize() ?? { width: 1280, height: 800 };
    await open.page.setViewportSize({ ...size, height: 300 });
    await open.page.evaluate('scrollTo(0, document.body.scrollHeight)');
    const bottomOf = async (selector: string) => {
      const box = await open.page.locator(selector).boundingBox();
      return box === null ? Number.NaN : box.y + box.height;
    };
    await expect
      .poll(async () => ((await pill.boundingBox())?.y ?? 0) - (await bottomOf('.page-head')))
      .toBeGreaterThanOrEqual(0);
    await open.page.setViewportSize(size);
    await pill.click();
    await shown(4);
    await expect.poll(titles).toEqual(['Mary', 'Edith', 'Grace', 'Ada']);
    await open.page.getByRole('button', { name: / new$/ }).waitFor({ state: 'detached' });
  });

  it('finds by the beginning of a word, and says when nothing fits', async () => {
    await openList(await visitors('Ada', 'Grace', 'Edith'), 3);
    await open.page.keyboard.press('/');
    await open.page.keyboard.type('gra');
    await shown(1);
    await expect.poll(titles).toEqual(['Grace']);
    await expect.poll(() => new URL(open.page.url()).searchParams.get('q')).toBe('gra');
    await open.page.reload();
    await shown(1);
    await open.page.getByRole('textbox', { name: 'Search in submissions' }).fill('nobody');
    await open.page.getByText('No matches').waitFor();
    await open.page.getByText('No submission has these words. Search matches').waitFor();
    await open.page.getByRole('button', { name: 'Show all' }).click();
    await shown(3);
  });

  it('narrows to what its webhook came to', async () => {
    const receiver = await startAnswering(({ body }) => ({ status: body.includes('Grace') ? 503 : 200 }));
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const ada = await submit(form.endpoint, { name: 'Ada' });
    const grace = await submit(form.endpoint, { name: 'Grace' });
    await deliveryBecomes(api, ada, hasState('delivered'));
    await deliveryBecomes(api, grace, hasState('failed'));
    await openList(form, 2);
    await row('Ada').getByText('Delivered').waitFor();
    await row('Grace').getByText('Failed').waitFor();
    const option = (name: string) => open.page.getByRole('option', { name, exact: true });
    await open.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await option('Delivery').click();
    await option('Waiting').click();
    await open.page.getByText('No matches').waitFor();
    for (const [state, name] of [
      ['Failed', 'Grace'],
      ['Delivered', 'Ada'],
    ] as const) {
      await open.page.getByRole('button', { name: /^Delivery: / }).click();
      await option(state).click();
      await row(name).waitFor();
      await shown(1);
      await expect.poll(titles).toEqual([name]);
    }
    await receiver.close();
  });

  it('remembers which columns were chosen', async () => {
    const form = await visitors('Ada');
    await openList(form, 1);
    await open.page.getByRole('button', { name: 'Columns' }).click();
    await open.page.getByRole('checkbox', { name: 'message' }).uncheck();
    await open.page.getByRole('checkbox', { name: 'plan' }).check();
    await open.page.keyboard.press('Escape');
    const wanted = ['', 'name', 'email', 'plan', 'Received'];
    await expect.poll(heads).toEqual(wanted);
    await open.page.reload();
    await shown(1);
    await expect.poll(heads).toEqual(wanted);
    await open.page.getByRole('button', { name: 'Columns' }).click();
    await open.page.getByRole('button', { name: 'Automatic', exact: true }).click();
    await expect.poll(heads).toEqual(['', 'name', 'email', 'message', 'Received']);
  });

  it('is walked with j and k, opened with Enter and left with Esc', async () => {
    const form = await visitors('Ada', 'Grace', 'Edith');
    await openList(form, 3);
    const active = () => open.page.locator('tr[data-active=true] .row-link').allInnerTexts();
    for (const key of ['j', 'j', 'j', 'j', 'k']) await open.page.keyboard.press(key);
    await expect.poll(active).toEqual(['Grace']);
    await open.page.keyboard.press('Enter');
    await heading('Grace');
    // The neighbours come from the list it was opened from.
    await open.page.keyboard.press('j');
    await heading('Ada');
    await open.page.getByRole('button', { name: 'Next submission', disabled: true }).waitFor();
    await open.page.keyboard.press('ArrowLeft');
    await heading('Grace');
    await open.page.keyboard.press('k');
    await heading('Edith');
    await open.page.keyboard.press('Escape');
    await heading('Contact');
    await shown(3);
    // Keys continue from the last submission viewed.
    await expect.poll(active).toEqual(['Edith']);
    await open.page.keyboard.press('j');
    await expect.poll(active).toEqual(['Grace']);
    await open.page.keyboard.press('Escape');
    await expect.poll(active).toEqual([]);
  });

  it('keeps its columns when something is selected', async () => {
    const form = await visitors('Ada', 'Grace', 'Edith');
    await openList(form, 3);
    await open.settled();
    const place = await row('Grace').locator('td').nth(2).boundingBox();
    await row('Ada').getByRole('checkbox').check();
    await row('Edith').getByRole('checkbox').check();
    await open.page.getByText('2 selected').waitFor();
    // The columns once shrank to a few letters as soon as a row was selected.
    await expect.poll(() => row('Grace').locator('td').nth(2).boundingBox()).toEqual(place);
  });

  it('is exported as a table and as JSON lines', async () => {
    const form = await visitors('Ada', 'Grace');
    await submit(form.endpoint, { name: 'Two\nlines, "quoted"' });
    await openList(form, 3);
    const exported = async (kind: string): Promise<Download> => {
      await open.page.getByRole('button', { name: 'Export' }).click();
      const [download] = await Promise.all([
        open.page.waitForEvent('download'),
        open.page.getByRole('menuitem', { name: kind }).click(),
      ]);
      return download;
    };
    const csv = await exported('CSV, for spreadsheets');
    expect(csv.suggestedFilename()).toMatch(/^contact-submissions-\d{4}-\d\d-\d\d\.csv$/);
    const [head = [], ...lines] = parseCsv((await contentOf(csv)).toString());
    const names = lines.map((line) => line[head.indexOf('name')]);
    expect(names).toEqual(['Two\nlines, "quoted"', 'Grace', 'Ada']);
    const excel = await contentOf(await exported('CSV, for Excel'));
    expect(excel).toEqual(Buffer.concat([Buffer.from('\ufeff'), await contentOf(csv)]));
    const [newest] = await keptSubmissions(server, form.formId);
    await client(server.url).post('/api/v1/submissions/update', {
      ids: [newest?.id],
      change: { folder: 'archive' },
    });
    const folder = parseCsv((await contentOf(await exported('CSV, only this folder (Inbox)'))).toString());
    expect(folder.slice(1).map((line) => line[head.indexOf('name')])).toEqual(['Grace', 'Ada']);
    const jsonl = await exported('JSON lines, for programs');
    expect(jsonl.suggestedFilename()).toMatch(/\.jsonl$/);
    const objects = (await contentOf(jsonl)).toString().trimEnd().split('\n');
    expect(objects.map((line) => JSON.parse(line).data)).toEqual(
      (await keptSubmissions(server, form.formId)).map(({ data }) => data),
    );
  });
});

describe('a submission', () => {
  it('shows its fields, folds what is long, and copies what was sent', async () => {
    const form = await makeForm(server.url);
    const story = 'Once upon a time. '.repeat(300);
    const data = { name: 'Ada', story, tags: ['a', 'b'], age: 36 };
    const id = await submit(form.endpoint, data);
    await open.go(`/submissions/${id}`);
    await heading('Ada');
    await expect
      .poll(() => open.page.locator('dt').allInnerTexts())
      .toEqual(['name', 'story', 'tags', 'age']);
    const field = (name: string) => open.page.locator('.field-list > div').filter({ hasText: name });
    const long = field('story');
    // Folded, it is no taller than its first lines.
    expect((await long.boundingBox())?.height).toBeLessThan(460);
    await long.getByRole('button', { name: 'Show all' }).click();
    await long.getByText('2,000 of 5,400 characters').waitFor();
    await long.getByRole('button', { name: 'Show more' }).click();
    await long.getByText('5,400 of 5,400 characters').waitFor();
    expect(await long.locator('.untrusted').last().textContent()).toBe(story);
    await long.getByRole('button', { name: 'Show less' }).click();
    expect(await open.copiedBy(long.getByRole('button', { name: 'Copy value' }))).toBe(story);
    await open.page.getByText('JSON', { exact: true }).click();
    await open.page.getByText('"name": "Ada"').waitFor();
    const json = await open.copiedBy(open.page.getByRole('button', { name: 'Copy JSON' }));
    expect(JSON.parse(json)).toEqual(data);
  });

  it('names what turns the writing direction, also where the browser shows plain text', async () => {
    const form = await makeForm(server.url);
    const name = `${'n'.repeat(40)}\u202egnp.exe`;
    const id = await submit(form.endpoint, { [name]: 'abc\u202egnp.exe' });
    await open.go(`/submissions/${id}`);
    await heading('abc[U+202E]gnp.exe');
    await expect.poll(() => open.page.title()).toBe('abc[U+202E]gnp.exe · Inlet');
    await expect
      .poll(() => open.page.locator('dt').first().getAttribute('title'))
      .toBe(`${'n'.repeat(40)}[U+202E]gnp.exe`);
  });

  it('has files that are seen, downloaded and shared', async () => {
    const form = await makeForm(server.url);
    const photo: Bytes = await picture('png', 300, 200);
    const { body } = await submitFiles(
      form.endpoint,
      [
        { field: 'photo', filename: 'garden.png', type: 'image/png', content: photo },
        { field: 'letter', filename: 'letter.txt', type: 'text/plain', content: 'Dear all' },
      ],
      { name: 'Ada' },
    );
    /** The page requests the transformed image, which redirects to its own address. */
    const small = async (): Promise<readonly [number, string | undefined]> => {
      const answer = await open.page.waitForResponse((each) =>
        /\/files\/[\w-]+\/download\?.*\bf=webp/.test(each.request().redirectedFrom()?.url() ?? ''),
      );
      return [answer.status(), answer.headers()['content-type']];
    };
    const [inList] = await Promise.all([small(), openList(form, 1)]);
    expect(inList).toEqual([200, 'image/webp']);
    const [onPage] = await Promise.all([small(), row('Ada').locator('.row-link').click()]);
    await heading('Ada');
    expect(onPage).toEqual([200, 'image/webp']);
    await expect
      .poll(() => open.page.evaluate<number>("document.querySelector('.thumbnail img').naturalWidth"))
      .toBeGreaterThan(0);

    const file = (name: string) => open.page.locator('.panel').filter({ hasText: name }).last();
    const [download] = await Promise.all([
      open.page.waitForEvent('download'),
      file('garden.png').getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('garden.png');
    expect(Buffer.compare(await contentOf(download), photo)).toBe(0);

    expect(await file('letter.txt').textContent()).toContain('Text');
    await file('letter.txt').getByRole('button', { name: 'Share a link' }).click();
    await open.page.getByRole('button', { name: 'Create link' }).click();
    const shared = await fetch(await open.copiedBy(open.page.getByRole('button', { name: 'Copy link' })));
    expect([shared.status, await shared.text()]).toEqual([200, 'Dear all']);
    expect((await api.get(`/api/v1/submissions/${body.submission_id}`)).body.files).toHaveLength(2);
  });
});

describe('what a visitor makes large', () => {
  const elements = (): Promise<number> => open.page.evaluate("document.querySelectorAll('*').length");

  it.each([
    ['a field of 900 kB', { name: 'Ada', essay: 'word '.repeat(180_000) }, '2,000 of 900,000 characters'],
    ['one word of 900 kB', { name: 'Ada', essay: 'w'.repeat(900_000) }, '2,000 of 900,000 characters'],
    [
      '900 fields',
      Object.fromEntries([['name', 'Ada'], ...Array.from({ length: 899 }, (_, n) => [`field ${n}`, `${n}`])]),
      '50 of 900 fields',
    ],
  ])('stays usable: %s', async (_, data, bounded) => {
    const form = await makeForm(server.url);
    const id = await submit(form.endpoint, data);
    await openList(form, 1);
    expect(await elements()).toBeLessThan(5_000);
    await row('Ada').locator('.row-link').click();
    if (bounded.endsWith('characters')) await open.page.getByRole('button', { name: 'Show all' }).click();
    await open.page.getByText(bounded).waitFor();
    expect(await elements()).toBeLessThan(5_000);
    await open.page.getByText('JSON', { exact: true }).click();
    await open.page.getByText('"name": "Ada"').waitFor();
    const json = await open.copiedBy(open.page.getByRole('button', { name: 'Copy JSON' }));
    expect(JSON.parse(json)).toEqual(data);
    expect(await elements()).toBeLessThan(5_000);
    await open.page.keyboard.press('Escape');
    await heading('Contact');
    expect((await api.get(`/api/v1/submissions/${id}`)).body.data).toEqual(data);
  });
});

/** The files of a submission in the dashboard: viewed by mouse and by keyboard, and hostile ones without harm. */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeForm } from '../../support/client.js';
import { type OpenDashboard, type OwnDashboard, startDashboard } from '../../support/dashboard-pages.js';
import { picture } from '../../support/pictures.js';
import type { RunningServer } from '../../support/server.js';
import { submitFiles, type Upload } from '../../support/upload.js';

let own: OwnDashboard;
let server: RunningServer;
let open: OpenDashboard;
beforeAll(async () => {
  own = await startDashboard();
  ({ server, open } = own);
});
afterAll(() => own.stop());

async function openWith(...files: readonly Omit<Upload, 'field'>[]): Promise<void> {
  const { endpoint } = await makeForm(server.url);
  const { body } = await submitFiles(
    endpoint,
    files.map((file, index) => ({ field: `file${index}`, ...file })),
    { name: 'Ada' },
  );
  await open.go(`/submissions/${body.submission_id}`);
}

const opener = (name: string): Locator =>
  open.page.getByRole('button', { name: `View ${name}`, exact: true });
const viewer = (name: string): Locator => open.page.getByRole('dialog', { name, exact: true });
const closed = () => open.page.getByRole('dialog').waitFor({ state: 'detached' });
const text = (filename: string, content: string, type = 'text/plain') => ({ filename, type, content });

describe('the viewer', () => {
  it('shows pictures large, goes through files with the arrows, enlarges, and gives the focus back', async () => {
    await openWith(
      { filename: 'garden.png', type: 'image/png', content: await picture('png', 600, 400) },
      { filename: 'lake.jpg', type: 'image/jpeg', content: await picture('jpeg', 500, 500) },
      text('notes.txt', 'Dear all'),
    );
    await opener('garden.png').focus();
    await open.page.keyboard.press('Enter');
    const shown = viewer('garden.png').getByRole('img', { name: 'garden.png', exact: true });
    await shown.waitFor();
    const width = async () => (await shown.boundingBox())?.width ?? 0;
    await expect.poll(width).toBeGreaterThan(300);
    const before = await width();
    await viewer('garden.png').getByRole('button', { name: 'Zoom in', exact: true }).click();
    await expect.poll(width).toBeGreaterThan(before * 1.5);
    await open.page.keyboard.press('-');
    await expect.poll(width).toBe(before);
    await open.page.keyboard.press('ArrowRight');
    await viewer('lake.jpg').getByText('2 of 3', { exact: true }).waitFor();
    await open.page.keyboard.press('ArrowRight');
    await viewer('notes.txt').getByText('Dear all', { exact: true }).waitFor();
    await open.page.keyboard.press('ArrowRight');
    await viewer('notes.txt').getByText('3 of 3', { exact: true }).waitFor();
    await open.page.keyboard.press('Escape');
    await closed();
    await expect
      .poll(() => open.page.evaluate<string | null>('document.activeElement.ariaLabel'))
      .toBe('View garden.png');
    // Esc closed the viewer but did not leave the page.
    await open.page.getByRole('heading', { name: 'Ada', level: 1, exact: true }).waitFor();
  });

  it('says how much of a long text it shows', async () => {
    await openWith(text('long.txt', `begin ${'x '.repeat(50_000)}end`));
    await opener('long.txt').click();
    await viewer('long.txt').getByText('The first 64 kB of 97.7 kB', { exact: true }).waitFor();
    await open.page.keyboard.press('Escape');
    await closed();
  });
});

describe('hostile files', () => {
  it('are shown as text, whatever they are called', async () => {
    const script = '<script>document.title = "owned"; alert(1)</script>';
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${script}</svg>`;
    await openWith(
      text('page.html', script, 'text/html'),
      text('drawing.svg', svg, 'image/svg+xml'),
      text('turned.txt', 'abc\u202edef'),
    );
    await opener('page.html').click();
    await viewer('page.html').getByText(script, { exact: true }).waitFor();
    await open.page.keyboard.press('ArrowRight');
    await viewer('drawing.svg').getByText(svg, { exact: true }).waitFor();
    await open.page.keyboard.press('ArrowRight');
    await viewer('turned.txt').getByText('abc[U+202E]def', { exact: true }).waitFor();
    await open.page.keyboard.press('Escape');
    await closed();
    expect(await open.page.title()).toBe('Ada · Inlet');
  });

  it('have no preview where their bytes are not what they claim', async () => {
    await openWith(
      text('fake.pdf', '<script>alert(1)</script>', 'application/pdf'),
      text('fake.png', '<script>alert(1)</script>', 'image/png'),
      text('real.txt', 'x'),
    );
    await opener('real.txt').waitFor();
    expect(await open.page.getByRole('button', { name: /^View / }).count()).toBe(1);
    expect(await open.page.getByRole('link', { name: 'Download', exact: true }).count()).toBe(3);
  });
});

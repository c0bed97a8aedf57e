/** A submission's PDF in the browser's built-in viewer. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wholeBrowser } from '../../support/chromium.js';
import { makeForm } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { smallPdf } from '../../support/small-pdf.js';
import { submitFiles } from '../../support/upload.js';

let browser: Browser;
let server: RunningServer;
let open: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([wholeBrowser(), startServer({ env: withAdmin })]);
  open = await openDashboard(browser, server);
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([browser.close(), server.dispose()]);
});

it('shows a PDF in the viewer of the browser', async () => {
  const { endpoint } = await makeForm(server.url);
  const cv = { field: 'cv', filename: 'cv.pdf', type: 'application/pdf', content: smallPdf('Hello') };
  const { body } = await submitFiles(endpoint, [cv], { name: 'Ada' });
  await open.go(`/submissions/${body.submission_id}`);
  await open.page.getByRole('button', { name: 'View cv.pdf', exact: true }).click();
  const viewer = open.page.getByRole('dialog', { name: 'cv.pdf', exact: true });
  await viewer.locator('iframe').waitFor();
  // A blocked document has no viewer inside.
  await expect
    .poll(() => open.page.frames().map((frame) => new URL(frame.url()).protocol))
    .toContain('chrome-extension:');
  await viewer.getByRole('button', { name: 'Close', exact: true }).click();
  await open.page.getByRole('dialog').waitFor({ state: 'detached' });
});

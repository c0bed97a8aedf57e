/**
 * A form with 100,000 submissions: the list holds and draws only what is near the window, and a key changes little of it. Timing depends on
 * the machine and is not tested here. LARGE_LIST_ROWS=100000 reads all pages.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type MadeForm, makeForm, request } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { apiKey, type RunningServer } from '../../support/server.js';
import { startHookServer } from '../../support/webhooks.js';

const count = 100_000;
/** Number of rows to scroll through. Scrolling to the end takes minutes. */
const depth = Number(process.env.LARGE_LIST_ROWS ?? 3_000);
const limitMs = 900_000;

let browser: Browser;
let server: RunningServer;
let form: MadeForm;
let open: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startHookServer(withAdmin)]);
  form = await makeForm(server.url);
  const first = Date.UTC(2024, 0, 1);
  const lines = Array.from(
    { length: count },
    (_, at) => `${new Date(first + at * 60_000).toISOString()},Person ${at},p${at}@example.com,Message ${at}`,
  );
  const answer = await request(`${server.url}/api/v1/forms/${form.formId}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' },
    body: `created_at,name,email,message\n${lines.join('\n')}\n`,
  });
  expect([answer.status, answer.body.imported]).toEqual([200, count]);
  open = await openDashboard(browser, server);
}, limitMs);
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const rowsDrawn = (): Promise<number> => open.page.locator('tbody tr[data-row]').count();
const focused = (): Promise<string> => open.page.evaluate('document.activeElement.innerText');

/** Scrolls down until the last of these rows is drawn. */
const scrollDown = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector('tr[data-row="${depth - 1}"] .row-link')) return resolve();
    window.scrollTo(0, document.documentElement.scrollHeight);
    requestAnimationFrame(look);
  };
  look();
})`;

/** Number of DOM mutations that a key causes. */
async function touchedBy(key: string): Promise<number> {
  await open.page.evaluate(`(() => {
    globalThis.touched = 0;
    globalThis.observer?.disconnect();
    globalThis.observer = new MutationObserver((records) => { globalThis.touched += records.length; });
    observer.observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true });
  })()`);
  await open.page.keyboard.press(key);
  // Two frames later, everything that the key caused is drawn.
  await open.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return open.page.evaluate<number>('touched');
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

it(
  'draws what is near the window, and little of it anew for a key',
  async () => {
    await open.go(`/forms/${form.formId}`);
    await open.page.getByText('Person 99999', { exact: true }).waitFor();
    expect(await rowsDrawn()).toBeLessThan(100);
    // Without scrolling, a key moves only the highlight and the focus.
    await open.settled();
    const still: number[] = [];
    for (let at = 1; at <= 9; at += 1) still.push(await touchedBy('j'));
    await expect.poll(focused).toBe(`Person ${count - 9}`);
    expect(median(still)).toBeLessThan(8);
    await open.page.evaluate(scrollDown);
    expect(await rowsDrawn()).toBeLessThan(100);
    const last = open.page.locator(`tr[data-row="${depth - 1}"]`);
    expect(await last.getAttribute('aria-rowindex')).toBe(String(depth + 1));

    // Up, well beyond the rows that are drawn.
    await last.locator('.row-link').focus();
    const touched: number[] = [];
    for (let at = 1; at <= 60; at += 1) {
      touched.push(await touchedBy('k'));
      await expect.poll(focused).toBe(`Person ${count - depth + at}`);
    }
    expect(await rowsDrawn()).toBeLessThan(100);
    expect(median(touched)).toBeLessThan(50);
  },
  limitMs,
);

it(
  'reads again what it no longer holds, on the way back',
  async () => {
    await open.page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight / 2)');
    await expect.poll(rowsDrawn).toBeGreaterThan(10);
    await open.page.evaluate('window.scrollTo(0, 0)');
    await open.page.getByText('Person 99999', { exact: true }).waitFor();
    expect(await rowsDrawn()).toBeLessThan(100);
  },
  limitMs,
);

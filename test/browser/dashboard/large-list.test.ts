/** A form with 100,000 submissions: the list holds and draws what is near the window, and answers keys within a frame. */
import type { Browser, CDPSession } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type MadeForm, makeForm, request } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { apiKey, type RunningServer } from '../../support/server.js';
import { startHookServer } from '../../support/webhooks.js';

const count = 100_000;
/** Of a screen with 60 Hz. */
const frameMs = 1_000 / 60;
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

/** Scrolls to the end as long as there is more; it is done when the list says how many there are. */
const scrollToEnd = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector('main table').ariaRowCount === '${count + 1}') return resolve();
    window.scrollTo(0, document.documentElement.scrollHeight);
    requestAnimationFrame(look);
  };
  look();
})`;

/** What a key costs: the time that the page's thread worked, whatever else the machine does, and the elements it touched. */
async function costOf(session: CDPSession, key: string): Promise<{ workMs: number; touched: number }> {
  const workedMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN);
  };
  await open.page.evaluate(`(() => {
    globalThis.touched = 0;
    globalThis.observer?.disconnect();
    globalThis.observer = new MutationObserver((records) => { globalThis.touched += records.length; });
    observer.observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true });
  })()`);
  const before = await workedMs();
  await open.page.keyboard.press(key);
  // Two frames later everything that the key led to is drawn.
  await open.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return { workMs: (await workedMs()) - before, touched: await open.page.evaluate<number>('touched') };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

it(
  'is scrolled to its end, and its keys cost no more there than a frame has',
  async () => {
    await open.go(`/forms/${form.formId}`);
    await open.page.getByText('Person 99999', { exact: true }).waitFor();
    expect(await rowsDrawn()).toBeLessThan(100);
    await open.page.evaluate(scrollToEnd);
    await open.page.getByText('Person 0', { exact: true }).waitFor();
    const table = open.page.locator('main table');
    expect(await table.getAttribute('aria-rowcount')).toBe(String(count + 1));
    const last = open.page.locator(`tr[data-row="${count - 1}"]`);
    expect(await last.getAttribute('aria-rowindex')).toBe(String(count + 1));
    expect(await rowsDrawn()).toBeLessThan(100);

    // Up from the last row, well beyond what is drawn.
    await last.locator('.row-link').focus();
    const session = await open.page.context().newCDPSession(open.page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const costs: { workMs: number; touched: number }[] = [];
    for (let at = 1; at <= 60; at += 1) {
      costs.push(await costOf(session, 'k'));
      expect(await focused()).toBe(`Person ${at}`);
    }
    expect(await rowsDrawn()).toBeLessThan(100);
    expect(median(costs.map(({ workMs }) => workMs))).toBeLessThan(frameMs);
    expect(median(costs.map(({ touched }) => touched))).toBeLessThan(50);
  },
  limitMs,
);

it(
  'holds what visitors wrote only near the window, and reads it again on the way back',
  async () => {
    await open.page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight / 2)');
    await open.page
      .getByText(/^Person [45]\d{4}$/)
      .first()
      .waitFor();
    await open.page.evaluate('window.scrollTo(0, 0)');
    await open.page.getByText('Person 99999', { exact: true }).waitFor();
    expect(await rowsDrawn()).toBeLessThan(100);
  },
  limitMs,
);

/** Applies to every dashboard page: visitor input is shown as text, and nothing violates the content security policy. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { fillInstance, pageNames, type RichInstance } from '../../support/rich-instance.js';
import { type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let server: RunningServer;
let instance: RichInstance;
let dashboard: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: withAdmin })]);
  instance = await fillInstance(server);
  dashboard = await openDashboard(browser, server);
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

/** Bidi and zero-width characters in the title, the text and the text attributes. Input values may contain them and are not checked. */
const hiddenOn = ({ page }: OpenDashboard): Promise<readonly string[]> =>
  page.evaluate<string[]>(`[
    document.title,
    document.body.innerText,
    ...[...document.querySelectorAll('[title], [aria-label], [alt], [placeholder]')].flatMap((element) =>
      ['title', 'aria-label', 'alt', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
    ),
  ].flatMap((text) => text.match(/.{0,20}[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u200f].{0,20}/g) ?? [])`);

describe.each(pageNames)('%s', (name) => {
  it('shows what visitors wrote as text', async () => {
    await dashboard.go(instance.paths[name] ?? '');
    await dashboard.settled();
    expect(await dashboard.page.locator('.broke-out').count()).toBe(0);
    const links = await dashboard.page.evaluate<string[]>(
      "[...document.querySelectorAll('main a')].map((link) => link.href)",
    );
    expect(links.filter((href) => !/^(https?|mailto|blob):/.test(href))).toEqual([]);
    expect(await hiddenOn(dashboard)).toEqual([]);
    expect(await dashboard.faults()).toEqual([]);
  });
});

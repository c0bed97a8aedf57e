/** Every page of the dashboard is usable by everybody: axe has no serious finding, and a phone shows all of it. */
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../support/chromium.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard, settled } from '../../support/dashboard-pages.js';
import { fillInstance, pageNames, type RichInstance } from '../../support/rich-instance.js';
import { type RunningServer, startServer } from '../../support/server.js';

let browser: Browser;
let server: RunningServer;
let instance: RichInstance;
let light: OpenDashboard;
let dark: OpenDashboard;
let phone: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startServer({ env: withAdmin })]);
  instance = await fillInstance(server);
  light = await openDashboard(browser, server, { colorScheme: 'light' });
  dark = await openDashboard(browser, server, { colorScheme: 'dark' });
  phone = await openDashboard(browser, server, { viewport: { width: 390, height: 844 } });
});
afterAll(async () => {
  await Promise.all([browser.close(), server.dispose()]);
});

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Dark differs from light by its colours alone. */
async function findingsOn(
  open: Pick<OpenDashboard, 'page'>,
  scheme: 'light' | 'dark',
): Promise<readonly string[]> {
  await open.page.evaluate(axe.source);
  const rules = scheme === 'dark' ? "runOnly: ['color-contrast']," : '';
  const found = await open.page.evaluate<readonly Finding[]>(
    `axe.run(document, { ${rules} resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
}

/** Before anybody is signed in there is no session, and nothing of a stranger. */
it.each(['/sign-in-asked-for', '/setup', '/setup#token=some-token'])(
  'the entrance %s has no serious finding of axe either, light and dark',
  async (path) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.goto(`${server.url}/dashboard${path}`);
      await page.locator('main h1').first().waitFor();
      expect(await findingsOn({ page }, colorScheme)).toEqual([]);
      await context.close();
    }
  },
);

describe.each(pageNames)('%s', (name) => {
  it('has no serious finding of axe, light and dark', async () => {
    for (const [open, scheme] of [
      [light, 'light'],
      [dark, 'dark'],
    ] as const) {
      await open.go(instance.paths[name] ?? '');
      await settled(open);
      expect(await findingsOn(open, scheme)).toEqual([]);
    }
  });

  it('fits a phone: nothing has to be pushed sideways', async () => {
    await phone.go(instance.paths[name] ?? '');
    await settled(phone);
    const [content, window] = await phone.page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    );
    expect(content).toBeLessThanOrEqual(window);
    // A table in a frame of its own would be cut there without a sign. Those beside charts are for readers of screens.
    const cut = await phone.page.evaluate<string[]>(
      `[...document.querySelectorAll('main table:not(.chart-unseen *)')]
        .filter((table) => table.getBoundingClientRect().right > document.documentElement.clientWidth)
        .map((table) => table.innerText)`,
    );
    expect(cut).toEqual([]);
  });
});

/**
 * What must hold on every page of the dashboard: what strangers wrote is text, nothing breaks the policy, and people who cannot
 * see or use a mouse find their way (axe: no serious finding).
 */
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../support/chromium.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { fillInstance, type RichInstance } from '../../support/rich-instance.js';
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
  light = await openDashboard(browser, server, { colorScheme: 'light', reducedMotion: 'reduce' });
  dark = await openDashboard(browser, server, { colorScheme: 'dark', reducedMotion: 'reduce' });
  phone = await openDashboard(browser, server, {
    viewport: { width: 390, height: 844 },
    reducedMotion: 'reduce',
  });
});
afterAll(async () => {
  await Promise.all([browser.close(), server.dispose()]);
});

/** No skeleton is left and nothing is being asked. */
async function settled({ page }: OpenDashboard): Promise<void> {
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
}

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

async function findingsOn(open: Pick<OpenDashboard, 'page'>): Promise<readonly string[]> {
  await open.page.evaluate(axe.source);
  const found = await open.page.evaluate<readonly Finding[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
}

/** Everything that is read out or pointed at, and the title of the window. What is being edited stays as it is. */
const hiddenOn = ({ page }: OpenDashboard): Promise<readonly string[]> =>
  page.evaluate<string[]>(`[
    document.title,
    document.body.innerText,
    ...[...document.querySelectorAll('[title], [aria-label], [alt], [placeholder]')].flatMap((element) =>
      ['title', 'aria-label', 'alt', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
    ),
  ].flatMap((text) => text.match(/.{0,20}[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u200f].{0,20}/g) ?? [])`);

const pages = [
  'overview',
  'projects',
  'project',
  'project settings',
  'project deliveries',
  'submissions',
  'form settings',
  'deliveries',
  'form quarantine',
  'turned away',
  'snippets',
  'submission',
  'quarantine',
  'api keys',
  'users',
  'plan',
  'instance',
  'first run',
  'an unknown page',
];

it('knows all of them', () => {
  expect(Object.keys(instance.paths)).toEqual(pages);
});

/** Before anybody is signed in there is no session, and nothing of a stranger. */
it.each(['/sign-in-asked-for', '/setup', '/setup#token=some-token'])(
  'the entrance %s has no serious finding of axe either, light and dark',
  async (path) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.goto(`${server.url}/dashboard${path}`);
      await page.locator('main h1').first().waitFor();
      expect(await findingsOn({ page })).toEqual([]);
      await context.close();
    }
  },
);

describe.each(pages)('%s', (name) => {
  it('shows what strangers wrote as text', async () => {
    await light.go(instance.paths[name] ?? '');
    await settled(light);
    expect(await light.page.locator('.broke-out').count()).toBe(0);
    const links = await light.page.evaluate<string[]>(
      "[...document.querySelectorAll('main a')].map((link) => link.href)",
    );
    expect(links.filter((href) => !/^(https?|mailto|blob):/.test(href))).toEqual([]);
    expect(await hiddenOn(light)).toEqual([]);
    expect(await light.faults()).toEqual([]);
  });

  it('has no serious finding of axe, light and dark', async () => {
    expect(await findingsOn(light)).toEqual([]);
    await dark.go(instance.paths[name] ?? '');
    await settled(dark);
    expect(await findingsOn(dark)).toEqual([]);
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

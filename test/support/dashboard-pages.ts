/** The dashboard in a browser, with somebody signed in, and everything that the browser complained about. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { cookieName, signedIn } from './dashboard.js';
import type { RunningServer } from './server.js';

export interface OpenDashboard {
  readonly page: Page;
  /** Uncaught exceptions, dialogs and violations of the policy. None is ever right. */
  faults(): Promise<readonly string[]>;
  /** To a path below /dashboard, waiting until its title stands there. */
  go(path: string): Promise<void>;
  close(): Promise<void>;
}

/** Watches a page before its first script runs. */
export async function watched(page: Page): Promise<() => Promise<readonly string[]>> {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`exception: ${error}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(`
    globalThis.refusedByPolicy = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      refusedByPolicy.push('policy: ' + event.effectiveDirective + ' ' + event.blockedURI);
    });
  `);
  return async () => [...faults, ...(await page.evaluate<string[]>('refusedByPolicy'))];
}

/** One session for each server: signing in is limited to a few times a minute. */
const sessions = new WeakMap<RunningServer, Promise<string>>();

function sessionOf(server: RunningServer): Promise<string> {
  let token = sessions.get(server);
  if (!token) {
    token = signedIn(server).then(({ cookie }) => cookie.slice(cookie.indexOf('=') + 1));
    sessions.set(server, token);
  }
  return token;
}

export async function openDashboard(
  browser: Browser,
  server: RunningServer,
  options: BrowserContextOptions = {},
): Promise<OpenDashboard> {
  // Moving pictures are drawn by the processor here, and nothing in them is looked at.
  const still = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' as const };
  const context = await browser.newContext({ ...still, ...options });
  await context.addCookies([{ name: cookieName, value: await sessionOf(server), url: server.url }]);
  const page = await context.newPage();
  const faults = await watched(page);
  return {
    page,
    faults,
    async go(path) {
      await page.goto(`${server.url}/dashboard${path}`);
      await page.locator('main h1').first().waitFor();
    },
    close: () => context.close(),
  };
}

/** No skeleton is left and nothing is being asked. */
export const settled = ({ page }: OpenDashboard): Promise<void> =>
  page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });

/** The dashboard in a browser with a signed-in user, and everything that the browser complained about. */
import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { leaveBrowser, sharedBrowser } from './chromium.js';
import { cookieName, signedIn, withAdmin } from './dashboard.js';
import { type RunningServer, startServer } from './server.js';
import { becomes } from './webhooks.js';

export interface OpenDashboard {
  readonly page: Page;
  /** Uncaught exceptions, dialogs, missing parts of the page, and violations of the policy. None is ever right. */
  faults(): Promise<readonly string[]>;
  /** Opens a path below /dashboard and waits for its title. */
  go(path: string): Promise<void>;
  /**
   * Waits until exactly these words are shown: "Saved" is not "Not saved".
   * Messages stay for seconds, so the words may still be from an earlier step.
   */
  says(words: string | RegExp): Promise<void>;
  /** Waits until no skeleton is left and no request is pending. */
  settled(): Promise<void>;
  /** Presses a copy button and returns what it copied. The page needs the clipboard permissions. */
  copiedBy(button: Locator): Promise<string>;
  close(): Promise<void>;
}

/** Watches a page, starting before its first script runs. */
export async function watched(page: Page): Promise<() => Promise<readonly string[]>> {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`exception: ${error}`));
  page.on('response', (response) => {
    const isPart = ['script', 'stylesheet', 'font'].includes(response.request().resourceType());
    if (isPart && response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
  });
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

/** The requests that the page waits for, without the stream of events, which never ends. */
export function pendingOf(page: Page): ReadonlySet<Request> {
  const pending = new Set<Request>();
  page.on('request', (request) => {
    // Requests of an earlier page no longer matter.
    if (request.isNavigationRequest()) pending.clear();
    if (request.resourceType() !== 'eventsource') pending.add(request);
  });
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  return pending;
}

/** What a screen reader says about a field besides its name: `aria-describedby`. */
export async function descriptionOf(field: Locator): Promise<string> {
  const ids = (await field.getAttribute('aria-describedby'))?.split(/\s+/) ?? [];
  const texts = await Promise.all(ids.map((id) => field.page().locator(`[id="${id}"]`).innerText()));
  return texts.join(' ');
}

/** Buttons say it only for a moment, which the page itself cannot miss. Its policy does not let the test tool poll with a function. */
const saysCopied = `new Promise((resolve) => {
  const isSaid = () =>
    [...document.querySelectorAll('button')].some((button) => (button.ariaLabel ?? button.textContent) === 'Copied');
  const look = () => (isSaid() ? resolve() : requestAnimationFrame(look));
  look();
})`;

/** One session per server: sign-ins are limited to a few per minute. */
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
  // Animations are drawn by the CPU here, and no test looks at them.
  const still = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' as const };
  const context = await browser.newContext({ ...still, ...options });
  await context.addCookies([{ name: cookieName, value: await sessionOf(server), url: server.url }]);
  const page = await context.newPage();
  const faults = await watched(page);
  const pending = pendingOf(page);
  return {
    page,
    faults,
    async go(path) {
      await page.goto(`${server.url}/dashboard${path}`);
      await page.locator('main h1').first().waitFor();
    },
    says: (words) => page.getByText(words, { exact: true }).filter({ visible: true }).first().waitFor(),
    async settled() {
      const skeletons = page.locator('.mantine-Skeleton-root');
      await becomes(
        async () => pending.size + (await skeletons.count()),
        (count) => count === 0,
      );
    },
    async copiedBy(button) {
      await Promise.all([page.evaluate(saysCopied), button.click()]);
      return page.evaluate<string>('navigator.clipboard.readText()');
    },
    close: () => context.close(),
  };
}

export interface OwnDashboard {
  readonly server: RunningServer;
  readonly open: OpenDashboard;
  /** Fails if the browser complained about anything. */
  stop(): Promise<void>;
}

/** The dashboard of a server that only this file uses. */
export async function startDashboard(): Promise<OwnDashboard> {
  const [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: withAdmin })]);
  const open = await openDashboard(browser, server);
  return {
    server,
    open,
    async stop() {
      expect(await open.faults()).toEqual([]);
      await Promise.all([leaveBrowser(browser), server.dispose()]);
    },
  };
}

/**
 * A real browser for the tests: the Chromium of the system, with nothing that connects to the outside on
 * its own. The headless shell is the same engine without windows: a page of the dashboard took 0.5 s of CPU
 * time in it, and 1.9 s in the whole browser, which draws tabs and a toolbar that nobody sees.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const whole = ['chromium', 'chromium-browser', 'google-chrome'];
const names = ['chromium-headless-shell', ...whole];

function executable(names: readonly string[]): string {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not here. Try the next folder.
      }
    }
  }
  throw new Error(
    `No Chromium found on PATH. Install one, on Debian: apt-get install -y --no-install-recommends ${names[0]}`,
  );
}

export const networkName = 'inlet.test';

/** How many times slower pages run: a test that passes only on a fast machine then fails. */
const slowdown = Number(process.env.BROWSER_SLOWDOWN ?? 1);

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
}

function prepare(context: BrowserContext): void {
  // Only what never comes takes this long. The limit of a test (vitest.config.ts) is longer, so that the error says what it waited for.
  context.setDefaultTimeout(90_000);
  // A page that is already closed needs no slowdown.
  if (slowdown > 1) context.on('page', (page) => void slowDown(page).catch(() => {}));
}

async function launch(programs: readonly string[]): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: executable(programs),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // A name that browsers do not trust like loopback: plain HTTP behaves as on another machine in the network.
      `--host-resolver-rules=MAP ${networkName} 127.0.0.1`,
    ],
  });
  browser.on('context', prepare);
  return browser;
}

let launched: Promise<Browser> | null = null;

/** One browser for all files of a worker, which run one after the other: a start takes 3 s of CPU time. */
export async function sharedBrowser(): Promise<Browser> {
  if (launched !== null && !(await launched).isConnected()) launched = null;
  launched ??= launch(names);
  return launched;
}

/** Has a PDF viewer, which the headless shell lacks. The caller must close it. */
export const wholeBrowser = (): Promise<Browser> => launch(whole);

/** Closes the pages of a file, with their cookies and storage. The browser ends with the worker, whose pipe it reads. */
export const leaveBrowser = async (browser: Browser): Promise<void> => {
  await Promise.all(browser.contexts().map((context) => context.close()));
};

export interface Observed {
  readonly page: Page;
  /** Console errors and uncaught exceptions. */
  readonly errors: readonly string[];
  /** The origin of every request. */
  origins(): readonly string[];
}

export async function openPage(browser: Browser): Promise<Observed> {
  const page = await browser.newPage();
  const errors: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (!/^(?:data|blob|about):/.test(request.url())) origins.add(new URL(request.url()).origin);
  });
  return { page, errors, origins: () => [...origins] };
}

/** Takes a screenshot for a person to look at, only with SCREENSHOTS=1. */
export async function look(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS === '1')
    await page.screenshot({ path: `/tmp/shots/${name}.png`, fullPage: true });
}

/**
 * A real browser for the tests: the Chromium of the system, with nothing that talks to the outside on its own. The headless shell is
 * the same engine without the windows around it: a page of the dashboard took 0.5 s of processor time in it, and 1.9 s in the whole
 * browser, which draws tabs and a toolbar that nobody sees.
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
        // Not here; the next place.
      }
    }
  }
  throw new Error(
    `No Chromium found on PATH. Install one, on Debian: apt-get install -y --no-install-recommends ${names[0]}`,
  );
}

export const networkName = 'inlet.test';

/** How many times slower pages run than they could: a test that is right only on a fast machine then fails. */
const slowdown = Number(process.env.BROWSER_SLOWDOWN ?? 1);

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
}

function prepare(context: BrowserContext): void {
  // Only what never comes takes so long, and the limit of a test (vitest.config.ts) is longer: it says what it waited for.
  context.setDefaultTimeout(90_000);
  // A page that is closed by then needs no slowing down.
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
      // A name that no browser trusts like loopback: plain HTTP behaves there as on a machine in the network.
      `--host-resolver-rules=MAP ${networkName} 127.0.0.1`,
    ],
  });
  browser.on('context', prepare);
  return browser;
}

let launched: Promise<Browser> | null = null;

/** One for all files of a worker, which run one after the other: a start takes 3 s of processor time. */
export async function sharedBrowser(): Promise<Browser> {
  if (launched !== null && !(await launched).isConnected()) launched = null;
  launched ??= launch(names);
  return launched;
}

/** With its viewer of PDFs, which the headless shell lacks. Close it yourself. */
export const wholeBrowser = (): Promise<Browser> => launch(whole);

/** After a file: its pages, cookies and storage are gone. The browser ends with the worker, whose pipe it reads. */
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

/** For a person to look at; only when asked for with SCREENSHOTS=1. */
export async function look(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS === '1')
    await page.screenshot({ path: `/tmp/shots/${name}.png`, fullPage: true });
}

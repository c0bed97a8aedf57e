/** Every page of the documentation on a phone, and one of each kind on a desk too. */
import { readdirSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findingsOn } from '../support/axe.js';
import { leaveBrowser, type Observed, openPage, sharedBrowser } from '../support/chromium.js';
import { waitUntil } from '../support/kept.js';
import { type RunningServer, startServer } from '../support/server.js';

const maxBytes = 150_000;
const desk = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

let browser: Browser;
let server: RunningServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer()]);
});
afterAll(() => Promise.all([leaveBrowser(browser), server.dispose()]));

/** The paths of the pages, without extensions and without the 404 page. */
const builtPages = readdirSync(new URL('../../dist/site', import.meta.url), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((name) => name.endsWith('.html') && name !== '404.html')
  .map((name) => `/docs/${name.replace(/(index)?\.html$/, '')}`);

interface Seen {
  readonly ids: readonly string[];
  readonly links: readonly string[];
}

/** A page of the crawl, which opens each page once. */
interface Crawled extends Seen {
  /** How many pixels it is wider than a phone. */
  readonly tooWide: number;
  /** Bytes that it loads with an empty cache, without images. */
  readonly bytes: number;
}

const look = `({
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  links: [...document.querySelectorAll('a[href]')].map(({ href }) => href),
})`;
const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Opens the page and waits until its script runs. */
async function open(page: Page, path: string): Promise<Seen> {
  await page.goto(`${server.url}${path}`);
  await waitUntil(() => page.evaluate<boolean>("document.querySelector('#app')?.__vue_app__ !== undefined"));
  return page.evaluate<Seen>(look);
}

/** All pages reachable by links from the first one. */
async function crawl({ page }: Observed): Promise<ReadonlyMap<string, Crawled>> {
  const seen = new Map<string, Crawled>();
  const taken = await countBytes(page);
  const paths = new Set(['/docs/']);
  await page.setViewportSize(phone);
  for (const path of paths) {
    const found = await open(page, path);
    seen.set(path, { ...found, bytes: taken(), tooWide: await page.evaluate<number>(tooWide) });
    for (const link of found.links) {
      const { origin, pathname } = new URL(link);
      if (origin === server.url && pathname.startsWith('/docs/')) paths.add(pathname);
    }
  }
  return seen;
}

/** Links to a page or a heading that does not exist. Links to other parts of the program are requested. */
async function brokenLinks(seen: ReadonlyMap<string, Seen>): Promise<readonly string[]> {
  const broken: string[] = [];
  const elsewhere = new Set<string>();
  for (const [path, { links }] of seen) {
    for (const link of links) {
      const { origin, pathname, hash } = new URL(link);
      if (origin !== server.url) continue;
      const target = seen.get(pathname);
      if (target === undefined) elsewhere.add(pathname);
      else if (hash !== '' && !target.ids.includes(decodeURIComponent(hash.slice(1))))
        broken.push(`${path} → ${pathname}${hash}`);
    }
  }
  for (const pathname of elsewhere)
    if ((await fetch(`${server.url}${pathname}`)).status >= 400) broken.push(pathname);
  return broken;
}

/**
 * Counts the bytes a page loads with an empty cache, without images. The browser keeps its cache, which takes a third of the processor
 * time: what a page uses again counts as much as it took when it was loaded from the network.
 */
async function countBytes(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const urls = new Map<string, string>();
  const sizes = new Map<string, number>();
  const images = new Set<string>();
  const used = new Set<string>();
  session.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    urls.set(requestId, request.url);
    used.add(request.url);
    if (type === 'Image') images.add(request.url);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const url = urls.get(requestId) ?? '';
    sizes.set(url, Math.max(sizes.get(url) ?? 0, encodedDataLength));
  });
  return () => {
    const counted = [...used].filter((url) => !images.has(url));
    used.clear();
    return counted.reduce((sum, url) => sum + (sizes.get(url) ?? 0), 0);
  };
}

describe('the whole site', () => {
  let handset: Observed;
  let seen: ReadonlyMap<string, Crawled>;
  beforeAll(async () => {
    handset = await openPage(browser);
    seen = await crawl(handset);
  });

  it('can be reached by links, page by page', () => {
    expect([...seen.keys()].filter((path) => !builtPages.includes(path))).toEqual([]);
    expect(builtPages.filter((path) => !seen.has(path))).toEqual([]);
    expect(seen.size).toBeGreaterThan(60);
  });

  it('has no link to what is not there', async () => {
    expect(await brokenLinks(seen)).toEqual([]);
  });

  it('has no error, breaks its policy nowhere, and asks nobody else', () => {
    expect(handset.errors).toEqual([]);
    expect(handset.origins()).toEqual([server.url]);
  });

  it(`takes at most ${maxBytes} bytes a page`, () => {
    const sizes = [...seen].map(([path, { bytes }]) => ({ path, bytes }));
    expect(sizes.filter(({ bytes }) => bytes > maxBytes)).toEqual([]);
    // A count that misses something would be small.
    expect(sizes.filter(({ bytes }) => bytes < 50_000)).toEqual([]);
  });

  it('fits on a phone', () => {
    expect([...seen].filter(([, page]) => page.tooWide > 0).map(([path]) => path)).toEqual([]);
  });
});

/** One page of each kind. */
const kinds = [
  '',
  'guides/webhooks',
  'guides/destinations/',
  'reference/settings',
  'reference/api/',
  'explanation/durability',
  'nothing',
];

it.each(kinds)('/docs/%s has no finding of axe, light and dark, on a desk and on a phone', async (path) => {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  await open(page, `/docs/${path}`);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
    for (const viewport of [desk, phone]) {
      await page.setViewportSize(viewport);
      expect(await findingsOn(page, colorScheme)).toEqual([]);
    }
  }
  await context.close();
});

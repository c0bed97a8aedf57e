/** Solves a form's challenge in a real browser: in workers, on a page that forbids workers, and without crypto.subtle. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChallengeService, startChallengeService } from '../support/challenge-service.js';
import { leaveBrowser, networkName, openPage, sharedBrowser } from '../support/chromium.js';
import { startWebsite, type Website } from '../support/website.js';

let browser: Browser;
let service: ChallengeService;
let website: Website;

const pageWith = (base: string, id: string, attributes = '', head = ''): string =>
  `${head}<script src="${base}/inlet.js" defer></script>
  <form method="post" action="${base}/f/${id}" ${attributes}><input name="name"><button>Send</button></form>`;

beforeAll(async () => {
  [browser, service] = await Promise.all([sharedBrowser(), startChallengeService()]);
  const { base, networkBase } = service;
  const policy = `default-src 'none'; script-src ${base}; connect-src ${base}`;
  const strict = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  website = await startWebsite({
    '/told': pageWith(base, 'told', 'data-challenge'),
    '/old': pageWith(base, 'old', 'data-challenge'),
    '/untold': pageWith(base, 'untold'),
    '/strict': pageWith(base, 'strict', 'data-challenge', strict),
    '/network': pageWith(networkBase, 'network'),
  });
});
afterAll(() => Promise.all([leaveBrowser(browser), website.close(), service.close()]));

const askedOf = (id: string): readonly string[] =>
  service.asked.filter((line) => line.includes(`/f/${id}`)).map((line) => line.replace(`/f/${id}`, ''));

async function openForm(name: string, origin = website.origin): Promise<Page> {
  const { page } = await openPage(browser);
  await page.addInitScript(`window.workers = 0;
    window.Worker = class extends Worker { constructor(url) { super(url); window.workers += 1; } };`);
  await page.goto(`${origin}/${name}`);
  return page;
}

const send = async (page: Page): Promise<void> => {
  await page.click('button');
  await page.locator('[data-inlet-status=success]').waitFor();
};

it('is solved while the visitor fills in the form, for each sending anew', async () => {
  const page = await openForm('told');
  expect(askedOf('told')).toEqual([]);
  await Promise.all([page.waitForResponse(`${service.base}/f/told/challenge`), page.focus('[name=name]')]);
  await page.fill('[name=name]', 'Ada');
  await send(page);
  expect(askedOf('told').slice(0, 2)).toEqual(['GET /challenge', 'POST ']);
  expect(await page.evaluate('window.workers')).toBeGreaterThan(0);
  await page.fill('[name=name]', 'Eve');
  await page.click('button');
  await page.waitForFunction('!document.querySelector("[name=name]").value');
  expect(askedOf('told').filter((line) => line === 'POST ').length).toBe(2);
  expect(service.accepted.map((fields) => fields.get('name'))).toEqual(['Ada', 'Eve']);
  await page.close();
});

it('is fetched anew when it has ended', async () => {
  const page = await openForm('old');
  await Promise.all([page.waitForResponse(`${service.base}/f/old/challenge`), page.focus('[name=name]')]);
  await send(page);
  expect(askedOf('old').slice(0, 3)).toEqual(['GET /challenge', 'GET /challenge', 'POST ']);
  await page.close();
});

it('is solved when the form turns out to ask for it, and from then on at once', async () => {
  const page = await openForm('untold');
  await send(page);
  const first = ['POST ', 'GET /challenge', 'POST '];
  expect(askedOf('untold')).toEqual(first);
  await page.fill('[name=name]', 'Eve');
  await page.click('button');
  await page.waitForFunction('!document.querySelector("[name=name]").value');
  expect(askedOf('untold')).toEqual([...first, 'GET /challenge', 'POST ']);
  await page.close();
});

it('is solved by the page itself where its policy forbids workers', async () => {
  const page = await openForm('strict');
  const [complaint] = await Promise.all([
    page.waitForEvent('console', (message) => /worker/i.test(message.text())),
    send(page),
  ]);
  expect(complaint.text()).toContain('blob:');
  expect(askedOf('strict')).toContain('POST ');
  await page.close();
});

it('is solved on plain HTTP in a network, where there is no crypto.subtle', async () => {
  const page = await openForm('network', website.origin.replace('127.0.0.1', networkName));
  expect(await page.evaluate('window.isSecureContext')).toBe(false);
  await send(page);
  expect(askedOf('network')).toEqual(['POST ', 'GET /challenge', 'POST ']);
  await page.close();
});

/** /docs in a real browser: it renders, without errors, and asks nobody but this server. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, look, networkName, openPage, sharedBrowser } from '../support/chromium.js';
import { type RunningServer, startServer } from '../support/server.js';

let browser: Browser;
let server: RunningServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer()]);
});
afterAll(() => Promise.all([leaveBrowser(browser), server.dispose()]));

it('shows every operation, the submission endpoint first', async () => {
  const { page, errors, origins } = await openPage(browser);
  const answer = await page.goto(`${server.url}/docs`);
  expect(answer?.status()).toBe(200);
  const shown = async () => {
    const paths = await page.locator('.opblock-summary-path').allTextContents();
    return paths.map((path) => path.replaceAll('\u200b', '').trim());
  };
  for (const path of ['/api/v1/projects', '/api/v1/submissions/{id}', '/api/v1/files/{id}/download']) {
    await expect.poll(shown).toContain(path);
  }
  expect((await shown())[0]).toBe('/f/{form_id}');
  await look(page, 'docs');
  await page.locator('.opblock-summary').first().click();
  await page.waitForSelector('.opblock-body');
  await look(page, 'docs-open');
  expect(errors).toEqual([]);
  expect(origins()).toEqual([server.url]);
});

it('renders over plain HTTP in a network too, where a browser trusts nothing', async () => {
  const { page, origins } = await openPage(browser);
  const origin = `http://${networkName}:${server.port}`;
  await page.goto(`${origin}/docs`);
  await page.waitForSelector('.swagger-ui .opblock');
  expect(origins()).toEqual([origin]);
});

it('allows itself nothing from outside', async () => {
  const answer = await fetch(`${server.url}/docs`);
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toMatch(/https?:|[a-z]\.[a-z]/);
});

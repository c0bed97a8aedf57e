/** Questions of newcomers and operators, as they would type them: the page is among the first three search results. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaveBrowser, openPage, sharedBrowser } from '../support/chromium.js';
import { type RunningServer, startServer } from '../support/server.js';

let server: RunningServer;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer()]);
  ({ page } = await openPage(browser));
  await page.goto(`${server.url}/docs`);
  await page.getByRole('button', { name: 'Search' }).click();
});
afterAll(() => Promise.all([leaveBrowser(browser), server.dispose()]));

/** Where the first three results lead, relative to /docs/. */
const found = (): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('[role=option] a')].slice(0, 3).map(({ pathname, hash }) => pathname.slice('/docs/'.length) + hash)`,
  );

it.each([
  ['how do I verify a webhook in PHP?', 'guides/webhooks#php'],
  ['what does 413 mean?', 'reference/errors#413-payload-too-large'],
  ['how do I move to PostgreSQL?', 'guides/postgresql#move-to-postgresql'],
  ['how do I erase a person?', 'guides/privacy-requests#erase-it'],
  ['how do I use OIDC with Keycloak?', 'guides/single-sign-on#keycloak'],
  ['how do I get one mail a day?', 'guides/email#get-one-mail-a-day'],
  ['why was my submission quarantined?', 'guides/spam#see-why-a-submission-was-quarantined'],
  ['how do I restore a backup?', 'guides/backup#restore-a-backup'],
  ['GDPR', 'guides/privacy-requests#handle-a-privacy-request'],
  ['data retention', 'guides/retention#know-how-long-everything-is-kept'],
  ['delete old submissions automatically', 'guides/retention#delete-submissions-and-files-automatically'],
  [
    'who did what? who changed a setting?',
    'guides/audit-log#find-out-who-deleted-a-submission-or-changed-a-setting',
  ],
  ['how do I add a user?', 'guides/users#add-more-users'],
  ['roles and permissions', 'guides/users#choose-a-role'],
  ['I forgot my password', 'guides/users#reset-a-forgotten-password'],
  ['create an API key', 'guides/users#create-an-api-key'],
  ['export submissions to CSV', 'guides/export#export-submissions'],
  ['maximum upload size', 'guides/files#receive-files'],
  ['CORS', 'guides/allowed-origins#choose-which-websites-may-submit-a-form'],
  ['test a form on localhost', 'guides/allowed-origins#test-on-your-own-machine'],
  ['how do I run it in Docker?', 'guides/going-live#run-a-container'],
  [
    'why was my webhook not delivered?',
    'guides/destinations/webhook#find-out-why-a-webhook-was-not-delivered',
  ],
  ['how many submissions can it handle?', 'guides/sizing#how-many-submissions-one-machine-can-handle'],
  ['redirect to my thank you page', 'guides/visitor-pages#thank-you-and-error-pages'],
  ['WordPress', 'guides/html#use-a-website-builder'],
  ['high availability', 'guides/scaling#run-many-processes'],
])('%s', async (question, answer) => {
  await page.getByRole('searchbox').fill(question);
  await expect.poll(found).toContain(answer);
});

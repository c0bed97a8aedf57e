/** "Try it" in the API reference of an instance: readers send real requests to it, under the page's content security policy. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, type Observed, openPage, sharedBrowser } from '../support/chromium.js';
import { client, type MadeForm, makeForm } from '../support/client.js';
import { apiKey, type RunningServer, startServer } from '../support/server.js';

let browser: Browser;
let server: RunningServer;
let form: MadeForm;
beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer()]);
  form = await makeForm(server.url, { project: { name: 'Shown in the docs' } });
});
afterAll(async () => {
  await leaveBrowser(browser);
  await server?.dispose();
});

/** Opens the form of one operation on the page. */
async function openForm(path: string, heading: string): Promise<Observed & { readonly names: string[] }> {
  const observed = await openPage(browser);
  const names: string[] = [];
  observed.page.on('request', (request) => {
    if (request.url().includes('/api/v1/'))
      names.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await observed.page.goto(`${server.url}/docs/reference/api/${path}`);
  const button = `xpath=//h2[contains(., "${heading}")]/following::button[text()="Try it"][1]`;
  await observed.page.locator(button).click();
  await observed.page.getByLabel('API key').waitFor();
  return { ...observed, names };
}

const send = (page: Page) => page.getByRole('button', { name: 'Send request' }).click();
const response = (page: Page) => page.getByRole('region', { name: 'Response' });

describe('Try it', () => {
  it('reads from the instance with a key, after a click and not before', async () => {
    const { page, errors, origins, names } = await openForm('projects', 'List projects');
    await page.getByLabel('API key').fill(apiKey);
    expect(names).toEqual([]);
    await send(page);
    await response(page).getByText('"name": "Shown in the docs"').waitFor();
    await response(page).getByText(/^200/).waitFor();
    expect(await response(page).textContent()).toMatch(
      /\d ms.*content-type: application\/json.*x-request-id: /,
    );
    expect(names).toEqual(['GET /api/v1/projects']);
    expect(errors).toEqual([]);
    expect(origins()).toEqual([new URL(server.url).origin]);
  });

  it('creates what the example says', async () => {
    const { page, errors } = await openForm('projects', 'Create a project');
    await page.getByLabel('API key').fill(apiKey);
    const body = page.getByLabel('Body');
    expect(JSON.parse(await body.inputValue())).toMatchObject({ name: 'Website' });
    await body.fill('{"name":"Made in the docs"}');
    await send(page);
    await response(page).getByText(/^201/).waitFor();
    const { body: listed } = await client(server.url).get('/api/v1/projects');
    expect(listed.data.map(({ name }: { name: string }) => name)).toContain('Made in the docs');
    expect(errors).toEqual([]);
  });

  it('asks before it deletes', async () => {
    const { page, names } = await openForm('forms', 'Delete a form');
    await page.getByLabel('API key').fill(apiKey);
    await page.getByRole('textbox', { name: 'id required' }).fill(form.formId);
    await send(page);
    await page.getByText('This deletes for real.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Send request' }).waitFor();
    expect(names).toEqual([]);
    await send(page);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await response(page).getByText(/^204/).waitFor();
    expect((await client(server.url).get(`/api/v1/forms/${form.formId}`)).status).toBe(404);
  });

  it('shows what an error says', async () => {
    const { page } = await openForm('projects', 'List projects');
    await page.getByLabel('API key').fill('not-a-key');
    await send(page);
    await response(page).getByText('"code": "invalid_api_key"').waitFor();
    await response(page).getByText(/^401/).waitFor();
  });
});

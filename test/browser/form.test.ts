/** What a visitor sees: a plain HTML form and a script on another website, in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, look, openPage, sharedBrowser } from '../support/chromium.js';
import { client, type MadeForm, makeForm } from '../support/client.js';
import { getSubmission, kept, keptSubmissions } from '../support/kept.js';
import { type RunningServer, startServer } from '../support/server.js';
import { startWebsite, type Website } from '../support/website.js';

let browser: Browser;
let server: RunningServer;
let website: Website;
let open: MadeForm;
let thankful: MadeForm;
let listed: MadeForm;
let foreign: MadeForm;
let inactive: MadeForm;

/** The website runs on loopback, which live mode rejects. */
const local = { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'] };

const formPage = (form: MadeForm, more = ''): string => `
  <h1>Contact</h1>
  <form method="post" enctype="multipart/form-data" action="${form.endpoint}">
    <input name="name"><textarea name="message"></textarea>
    <input type="checkbox" name="topic[]" value="a" checked><input type="checkbox" name="topic[]" value="b" checked>
    <input type="file" name="cv"><input type="file" name="unused">
    <input name="_gotcha" style="display:none">${more}<button>Send</button>
  </form>`;

beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer()]);
  open = await makeForm(server.url, { form: { name: 'Contact us', ...local } });
  listed = await makeForm(server.url, { form: { ...local, allowed_origins: ['127.0.0.1'] } });
  foreign = await makeForm(server.url, { form: { ...local, allowed_origins: ['example.com'] } });
  inactive = await makeForm(server.url, { form: { name: 'Closed <form>', ...local, is_active: false } });
  thankful = await makeForm(server.url, { form: local });
  website = await startWebsite({
    '/': '<p>Home</p>',
    '/thanks': '<h1>Our own thanks</h1>',
    '/open': formPage(open),
    '/named': formPage(open, '<input type="hidden" name="_page" value="/named?from=menu">'),
    '/inactive': formPage(inactive),
    '/thankful': formPage(thankful),
    '/upload': formPage(listed),
  });
  await client(server.url).patch(`/api/v1/forms/${thankful.formId}`, {
    success_redirect: `${website.origin}/thanks?from=form#top`,
  });
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), website.close(), server.dispose()]);
});

describe('a plain HTML form', () => {
  it('with a file lands on the success page', async () => {
    const { page, errors, origins } = await openPage(browser);
    await page.goto(`${website.origin}/open`);
    await page.fill('[name=name]', 'Ada Löv');
    await page.fill('[name=message]', 'Zeile 1\nZeile 2 "&" <b>');
    await page.setInputFiles('[name=cv]', {
      name: 'Lebenslauf "neu" 🎉.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('my life'),
    });
    await page.click('button');
    await page.waitForURL(`${server.url}/f/${open.publicId}/success?*`);
    expect(await page.textContent('h1')).toBe('Thank you');
    expect(await page.textContent('main')).toContain('Contact us');
    await look(page, 'success');

    const target = new URL(page.url());
    expect(target.searchParams.get('status')).toBe('success');
    expect(target.searchParams.get('files')).toBe('1');
    const stored = await getSubmission(server, target.searchParams.get('submission_id') ?? '');
    expect(stored.body.data).toEqual({
      name: 'Ada Löv',
      message: 'Zeile 1\r\nZeile 2 "&" <b>',
      topic: ['a', 'b'],
    });
    expect(stored.body.files).toMatchObject([{ field: 'cv', filename: 'Lebenslauf "neu" 🎉.txt', size: 7 }]);
    expect(stored.body.metadata.user_agent).toContain('Chrome');
    expect(stored.body.metadata.submitted_from).toMatch(new RegExp(`^${website.origin}`));
    expect(errors).toEqual([]);
    expect(origins().toSorted()).toEqual([server.url, website.origin].toSorted());
    await page.close();
  });

  it('goes on to the page that the owner chose', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${website.origin}/thankful`);
    await page.click('button');
    await page.waitForURL(`${website.origin}/thanks?*`);
    const { searchParams, hash } = new URL(page.url());
    expect([...searchParams.keys()]).toEqual(['from', 'submission_id', 'status']);
    expect(hash).toBe('#top');
    expect(await page.textContent('h1')).toBe('Our own thanks');
    await page.close();
  });

  it('that fails shows a readable page with a way back', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${website.origin}/inactive`);
    const [answer] = await Promise.all([page.waitForNavigation(), page.click('button')]);
    expect(answer?.status()).toBe(403);
    expect(await page.textContent('h1')).toBe('This form is closed');
    expect(await page.textContent('main')).toContain('Closed <form>');
    expect(await page.textContent('main')).toContain('Form is not active');
    await look(page, 'error');
    // To another origin, a browser sends only the origin that the visitor came from.
    await page.click('text=Leave without sending');
    await page.waitForURL(`${website.origin}/`);
    await page.close();
  });

  it('that names its page leads back to it', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${website.origin}/named?from=menu#here`);
    await page.click('button');
    await page.waitForURL(`${server.url}/f/${open.publicId}/success?*`);
    await page.click('text=Back to the page');
    await page.waitForURL(`${website.origin}/named?from=menu`);
    await page.close();
  });

  it('that fails still has what was typed when the visitor goes back', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${website.origin}/inactive`);
    await page.fill('[name=name]', 'Ada');
    await page.fill('[name=message]', 'A long letter');
    await page.click('button');
    await page.getByText('What you typed is still there.').waitFor();
    await page.goBack();
    await page.waitForURL(`${website.origin}/inactive`);
    await expect.poll(() => page.inputValue('[name=message]')).toBe('A long letter');
    expect(await page.inputValue('[name=name]')).toBe('Ada');
    await page.close();
  });

  it('with a file that is too large shows why', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${website.origin}/upload`);
    const buffer = Buffer.alloc(12 * 1024 * 1024, 1);
    await page.setInputFiles('[name=cv]', {
      name: 'large.bin',
      mimeType: 'application/octet-stream',
      buffer,
    });
    const [answer] = await Promise.all([page.waitForNavigation(), page.click('button')]);
    expect(answer?.status()).toBe(413);
    expect(await page.textContent('main')).toContain('The file is larger than 10 MB. Choose a smaller one');
    await look(page, 'too-large');
    expect(await kept(server, listed.formId)).toMatchObject({ submissions: 0 });
    await page.close();
  });
});

describe('a script on another origin', () => {
  /** Runs in the page. Returns the name of the error for what the page could not read. */
  async function fetchFrom(
    endpoint: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<unknown> {
    const { page } = await openPage(browser);
    await page.goto(website.origin);
    try {
      return await page.evaluate(
        async (sent) => {
          try {
            const answer = await fetch(sent.endpoint, {
              method: 'POST',
              headers: sent.headers,
              body: sent.body,
            });
            const limit = answer.headers.get('x-ratelimit-limit');
            return { status: answer.status, limit, body: await answer.json() };
          } catch (error) {
            return String(error).split(':', 1)[0];
          }
        },
        { endpoint, headers, body },
      );
    } finally {
      await page.close();
    }
  }

  const json = { 'content-type': 'application/json' };

  it('reads the answer to its JSON, by preflight, without a list and with one', async () => {
    for (const form of [open, listed]) {
      const answer = await fetchFrom(form.endpoint, json, '{"from":"script"}');
      expect(answer).toEqual({
        status: 200,
        limit: '10000000',
        body: { success: true, submission_id: expect.any(String), files: [] },
      });
    }
    const [newest] = await keptSubmissions(server, listed.formId);
    expect(newest?.data).toEqual({ from: 'script' });
  });

  it('reads the answer to a form that it sends without asking for a format, and with headers of its library', async () => {
    for (const headers of [
      {},
      { 'x-requested-with': 'XMLHttpRequest', 'cache-control': 'no-cache', baggage: 'a=1' },
    ]) {
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await fetchFrom(listed.endpoint, { ...type, ...headers }, 'from=script');
      expect(answer).toMatchObject({ status: 200, body: { success: true, files: [] } });
    }
    const { page } = await openPage(browser);
    await page.goto(`${website.origin}/upload`);
    const answers = await page.evaluate<{ byFetch: object; byXhr: object; html: string }>(`(async () => {
      const url = ${JSON.stringify(listed.endpoint)};
      const body = new FormData(document.querySelector('form'));
      const byFetch = await (await fetch(url, { method: 'POST', body })).json();
      const byXhr = await new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open('POST', url);
        // Listening for progress makes the browser ask beforehand.
        request.upload.onprogress = () => {};
        request.onload = () => resolve(JSON.parse(request.responseText));
        request.onerror = reject;
        request.send(body);
      });
      const html = await (await fetch(url, { method: 'POST', body, headers: { accept: 'text/html' } })).text();
      return { byFetch, byXhr, html };
    })()`);
    expect(answers).toMatchObject({ byFetch: { success: true }, byXhr: { success: true } });
    expect(answers.html).toContain('Your message has been received.');
    await page.close();
  });

  it('may send the service key and an idempotency key', async () => {
    const full = await client(server.url).get(`/api/v1/forms/${listed.formId}`);
    const headers = { ...json, 'x-service-key': full.body.sandbox_api_key, 'idempotency-key': 'once' };
    const first = await fetchFrom(listed.endpoint, headers, '{"a":1}');
    expect(first).toMatchObject({ status: 200 });
    expect(await fetchFrom(listed.endpoint, headers, '{"a":1}')).toEqual(first);
  });

  it('reads errors too', async () => {
    expect(await fetchFrom(listed.endpoint, json, '{"a":')).toMatchObject({
      status: 400,
      body: { error: 'Invalid content type', code: 'invalid_json', detail: expect.any(String) },
    });
  });

  it('of an origin that is not allowed reads nothing, and nothing is stored', async () => {
    expect(await fetchFrom(foreign.endpoint, json, '{"a":1}')).toBe('TypeError');
    const simple = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    expect(await fetchFrom(foreign.endpoint, simple, 'a=1')).toBe('TypeError');
    expect((await kept(server, foreign.formId)).submissions).toBe(0);
  });
});

/** /inlet.js in a real browser, on a page of another origin: what the visitor sees and what arrives. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, look, openPage, sharedBrowser } from '../support/chromium.js';
import { type MadeForm, makeForm } from '../support/client.js';
import { getSubmission, keptSubmissions } from '../support/kept.js';
import { type RunningServer, startServer } from '../support/server.js';
import { startWebsite, type Website } from '../support/website.js';

let browser: Browser;
let server: RunningServer;
let website: Website;
/** Pages of the website. Tests add their own. */
const pages: Record<string, string> = { '/': '<p>Home</p>', '/thanks': '<h1>Our own thanks</h1>' };

beforeAll(async () => {
  [browser, server, website] = await Promise.all([sharedBrowser(), startServer(), startWebsite(pages)]);
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), website.close(), server.dispose()]);
});

interface Made {
  readonly form: MadeForm;
  readonly page: Page;
  readonly errors: readonly string[];
}

const inputs = `<label>Name <input name="name"></label><textarea name="message"></textarea>
  <button name="via" value="button">Send</button>`;

/** Records the events in order, without the form data of inlet:submit. */
const recorder = `window.seen = [];
  for (const name of ['submit', 'progress', 'success', 'error']) addEventListener('inlet:' + name, (event) => {
    const bar = document.querySelector('form progress');
    const { formData, abort, ...detail } = event.detail;
    window.seen.push({ name, detail, bar: bar && bar.getAttribute('aria-label'), button: document.querySelector('button').disabled });
  });`;

let count = 0;

/** Makes a form and a page with it, and opens the page. */
async function open(
  parts: {
    attributes?: string;
    inputs?: string;
    head?: string;
    after?: string;
    project?: object;
    form?: object;
    script?: (address: string) => string;
  } = {},
): Promise<Made> {
  // The website runs on loopback, which live mode rejects.
  const form = await makeForm(server.url, {
    project: { ...parts.project },
    form: { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'], ...parts.form },
  });
  const script = parts.script ?? ((address: string) => `<script src="${address}" defer></script>`);
  count += 1;
  pages[`/form-${count}`] = `<html lang="en"><head>${parts.head ?? ''}
    ${script(`${server.url}/inlet.js`)}</head><body><h1>Contact</h1>
    <form method="post" action="${form.endpoint}" ${parts.attributes ?? ''}>${parts.inputs ?? inputs}</form>
    ${parts.after ?? ''}</body></html>`;
  const { page, errors } = await openPage(browser);
  await page.addInitScript(recorder);
  await page.goto(`${website.origin}/form-${count}`);
  return { form, page, errors };
}

interface Seen {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
  readonly detail: any;
  readonly bar: string | null;
  readonly button: boolean;
}
const seen = (page: Page): Promise<readonly Seen[]> => page.evaluate('window.seen');

/** The text of the status line, once it shows this state. */
const outcome = async (page: Page, state: 'success' | 'error'): Promise<string> => {
  const status = page.locator(`[data-inlet-status=${state}]`);
  await status.waitFor();
  return (await status.textContent()) ?? '';
};

const stored = async (form: MadeForm) => (await keptSubmissions(server, form.formId)).map(({ data }) => data);

describe('without JavaScript', () => {
  it('the form works as it is', async () => {
    const { form, page } = await open();
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(page.url());
    await plain.fill('[name=name]', 'Ada');
    await plain.click('button');
    await plain.waitForURL(`${server.url}/f/${form.publicId}/success?*`);
    expect(await stored(form)).toEqual([{ name: 'Ada', message: '', via: 'button' }]);
    await Promise.all([context.close(), page.close()]);
  });
});

describe('sending', () => {
  it('stays on the page, says that it arrived, and empties the form', async () => {
    const { form, page, errors } = await open();
    const address = page.url();
    await page.fill('[name=name]', 'Ada Löv');
    await page.fill('[name=message]', 'Line 1\nLine 2 & more');
    await page.focus('button');
    await page.keyboard.press('Enter');
    expect(await outcome(page, 'success')).toBe('Thank you. Your message has been sent.');
    await look(page, 'client-success');
    expect(page.url()).toBe(address);
    expect(await page.inputValue('[name=name]')).toBe('');
    expect(await page.getAttribute('[data-inlet-status]', 'role')).toBe('status');
    expect(await page.locator('form').getAttribute('aria-busy')).toBeNull();
    expect(await page.isEnabled('button')).toBe(true);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BUTTON');

    const all = await seen(page);
    expect(all.map(({ name }) => name)).toEqual(['submit', 'success']);
    const { submissionId, files } = all[1]?.detail ?? {};
    expect(files).toEqual([]);
    const { body } = await getSubmission(server, submissionId);
    expect(body.metadata.submitted_from).toBe(address);
    expect(body.data).toEqual({ name: 'Ada Löv', message: 'Line 1\r\nLine 2 & more', via: 'button' });
    expect((await stored(form)).length).toBe(1);
    expect(errors).toEqual([]);
    expect(await page.evaluate('document.cookie + localStorage.length + sessionStorage.length')).toBe('00');
    await page.close();
  });

  it('with files shows how far it is', async () => {
    const { form, page } = await open({
      attributes: 'enctype="multipart/form-data" lang="de"',
      inputs: '<input type="file" name="cv"><input type="file" name="unused"><button>Senden</button>',
    });
    const buffer = Buffer.alloc(3 * 1024 * 1024, 'x');
    await page.setInputFiles('[name=cv]', { name: 'cv.txt', mimeType: 'text/plain', buffer });
    await page.click('button');
    expect(await outcome(page, 'success')).toBe('Danke. Ihre Nachricht wurde gesendet.');
    const all = await seen(page);
    const steps = all.filter(({ name }) => name === 'progress');
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.every(({ bar, button }) => bar === 'Wird gesendet …' && button)).toBe(true);
    const last = steps.at(-1)?.detail;
    expect(last.loaded).toBe(last.total);
    expect(last.total).toBeGreaterThan(buffer.length);
    const success = all.at(-1);
    expect(success).toMatchObject({ name: 'success', bar: null, button: false });
    expect(success?.detail.files).toMatchObject([{ filename: 'cv.txt', size: buffer.length }]);
    expect(await stored(form)).toEqual([{}]);
    await page.close();
  });

  it('sends a file even if the form forgot to say that it has any', async () => {
    const { page } = await open({ inputs: '<input type="file" name="cv"><button>Send</button>' });
    await page.setInputFiles('[name=cv]', {
      name: 'a.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('a'),
    });
    await page.click('button');
    await outcome(page, 'success');
    expect((await seen(page)).at(-1)?.detail.files).toMatchObject([{ filename: 'a.txt', size: 1 }]);
    await page.close();
  });

  it('happens once, however often the button is pressed while it goes on', async () => {
    const { form, page } = await open();
    let sent = 0;
    let letGo = (): void => {};
    const pressed = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(form.endpoint, async (route) => {
      sent += 1;
      await pressed;
      await route.continue();
    });
    await page.dblclick('button');
    await expect.poll(() => page.isDisabled('button')).toBe(true);
    await page.locator('form[aria-busy=true]').waitFor();
    expect(await page.textContent('[data-inlet-status=sending]')).toBe('Sending…');
    await page.press('[name=name]', 'Enter');
    await page.evaluate("document.querySelector('form').requestSubmit()");
    letGo();
    await outcome(page, 'success');
    expect(sent).toBe(1);
    expect((await stored(form)).length).toBe(1);
    await page.close();
  });

  it('leaves a button disabled that was', async () => {
    const { page } = await open({
      inputs: '<button>Send</button><button id="never" disabled>Never</button>',
    });
    await page.click('button >> nth=0');
    await outcome(page, 'success');
    expect(await page.isEnabled('button >> nth=0')).toBe(true);
    expect(await page.isDisabled('#never')).toBe(true);
    await page.close();
  });

  it('goes on to the page that the form names, and to no script', async () => {
    const { page } = await open({ attributes: 'data-redirect="/thanks?from=form"' });
    await page.click('button');
    await page.waitForURL(`${website.origin}/thanks?from=form`);
    await page.close();
    const hostile = await open({ attributes: 'data-redirect="javascript:window.wrong=1"' });
    await hostile.page.click('button');
    await outcome(hostile.page, 'success');
    expect(await hostile.page.evaluate('window.wrong')).toBeUndefined();
    await hostile.page.close();
  });

  it('goes on to the page that the owner chose, unless this page says otherwise', async () => {
    const form = { success_redirect: `${website.origin}/thanks?from=setting#top` };
    const led = await open({ form });
    await led.page.click('button');
    await led.page.waitForURL(/\/thanks\?from=setting&submission_id=[\w-]+&status=success#top$/);
    expect(led.errors).toEqual([]);
    await led.page.close();
    for (const attributes of ['data-redirect=""', 'data-success="Soon"', 'data-hide-on-success']) {
      const { page } = await open({ form, attributes });
      await page.click('button');
      await outcome(page, 'success');
      await page.close();
    }
    const { page } = await open({ form, attributes: 'data-redirect="/thanks?from=page"' });
    await page.click('button');
    await page.waitForURL(`${website.origin}/thanks?from=page`);
    await page.close();
  });

  it('takes the words and the place that the page gives it', async () => {
    const { page } = await open({
      attributes: 'data-success="We <b>write</b> soon." data-hide-on-success',
      inputs: `<p id="mine" data-inlet-status hidden></p>${inputs}`,
    });
    await page.click('button');
    expect(await outcome(page, 'success')).toBe('We <b>write</b> soon.');
    expect(await page.isVisible('#mine')).toBe(true);
    expect(await page.isVisible('form')).toBe(false);
    expect(await page.evaluate('document.activeElement.id')).toBe('mine');
    await page.close();
  });

  it('sends a form whose field has the name of something that every form has', async () => {
    const names = [
      ...['elements', 'closest', 'append', 'dataset', 'dispatchEvent', 'setAttribute', 'getAttribute'],
      ...['querySelector', 'submit', 'reset', 'contains'],
    ];
    const { form, page, errors } = await open();
    for (const name of names) {
      // Clicked by a script in the page: the browser automation itself fails on forms with these names.
      await page.evaluate(`document.body.innerHTML = \`<form action="${form.endpoint}" method="post">
          <input name="${name}" value="kept"><button>Send</button></form>\`;
        document.querySelector('button').click()`);
      await page.locator('[data-inlet-status="success"]').waitFor();
    }
    expect((await stored(form)).toReversed()).toEqual(names.map((name) => ({ [name]: 'kept' })));
    expect(errors).toEqual([]);
    await page.close();
  });

  it('takes no image for its own script', async () => {
    const asked: string[] = [];
    const { page } = await open({
      head: '<img name="currentScript" src="https://elsewhere.test/x.png">',
      attributes: 'data-challenge',
    });
    page.on('request', (request) => asked.push(request.url()));
    await page.reload();
    await page.fill('[name=name]', 'Ada');
    await page.click('button');
    await outcome(page, 'success');
    const solvers = asked.filter((url) => /inlet-solver/.test(url));
    expect(new Set(solvers)).toEqual(new Set([`${server.url}/inlet-solver.js`]));
    await page.close();
  });

  it.each([
    ['a module', (address: string) => `<script type="module" src="${address}"></script>`],
    ['an import', (address: string) => `<script type="module">import '${address}'</script>`],
    ['a version', (address: string) => `<script src="${address}?v=1" defer></script>`],
  ])('works as %s', async (_, script) => {
    const { form, page, errors } = await open({ script });
    await page.click('button');
    await outcome(page, 'success');
    expect(await stored(form)).toHaveLength(1);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('as a copy on another website says why it does nothing', async () => {
    const { page } = await open({ script: () => '' });
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    const copy = await (await fetch(`${server.url}/inlet.js`)).text();
    await page.addScriptTag({ content: copy });
    await expect.poll(() => said.join()).toContain('inlet.js: my own address is unknown.');
    await page.close();
  });

  it('sends a form that came later, whatever its fields are called', async () => {
    const { form, page } = await open();
    await page.evaluate(`document.querySelector('form').remove();
      document.body.insertAdjacentHTML('beforeend', \`<form method="get" action="/nowhere"><input name="action" value="a">
        <input name="method" value="m"><input name="reset" value="r">
        <button formmethod="post" formaction="${form.endpoint}">Send</button></form>\`)`);
    await page.click('button');
    await outcome(page, 'success');
    expect(await stored(form)).toEqual([{ action: 'a', method: 'm', reset: 'r' }]);
    await page.close();
  });
});

describe('what is not its business', () => {
  it.each([
    ['a form that opts out', 'data-inlet="off"'],
    ['a form whose button asks for GET', 'data-get'],
  ])('%s goes the way of the browser', async (_, attributes) => {
    const method = attributes === 'data-get' ? 'formmethod="get"' : '';
    const { page } = await open({ attributes, inputs: `<button ${method}>Send</button>` });
    await Promise.all([page.waitForURL(`${server.url}/**`), page.click('button')]);
    await page.close();
  });

  it('a submission that the page has prevented, on the form or by the event', async () => {
    const { form, page } = await open();
    await page.evaluate(`window.stop = (event) => event.preventDefault();
      document.querySelector('form').addEventListener('submit', window.stop)`);
    await page.click('button');
    expect(await seen(page)).toEqual([]);
    await page.evaluate(`document.querySelector('form').removeEventListener('submit', window.stop);
      addEventListener('inlet:submit', window.stop)`);
    await page.click('button');
    expect((await seen(page)).map(({ name }) => name)).toEqual(['submit']);
    expect(await page.isEnabled('button')).toBe(true);
    expect(await stored(form)).toEqual([]);
    await page.close();
  });
});

describe('what goes wrong', () => {
  it('is shown in its place: a file that is too large, with the limit', async () => {
    const { form, page } = await open({
      inputs: '<input name="name"><input type="file" name="cv"><button>Send</button>',
    });
    const buffer = Buffer.alloc(12 * 1024 * 1024, 1);
    await page.fill('[name=name]', 'Ada');
    await page.setInputFiles('[name=cv]', { name: 'a.bin', mimeType: 'application/octet-stream', buffer });
    await page.click('button');
    expect(await outcome(page, 'error')).toBe('File too large (max. 10 MB)');
    await look(page, 'client-error');
    expect(await page.inputValue('[name=name]')).toBe('Ada');
    expect(await page.locator('progress').count()).toBe(0);
    expect((await seen(page)).at(-1)).toMatchObject({ name: 'error', detail: { status: 413 } });
    expect(await stored(form)).toEqual([]);
    await page.close();
  });

  it('says when to retry', async () => {
    const { page } = await open({ project: { rate_limit_per_minute: 1 }, attributes: 'lang="fr-CH"' });
    // A rate-limit window may end between the first two. The third is rejected in any case.
    for (let i = 0; i < 3 && (await page.locator('[data-inlet-status=error]').count()) === 0; i += 1) {
      await page.click('button');
      await page.waitForFunction('!document.querySelector("form").ariaBusy');
    }
    const said = /^Trop de messages\. Veuillez renvoyer dans (\d+) s\.$/.exec(await outcome(page, 'error'));
    const { detail } = (await seen(page)).at(-1) ?? {};
    expect(detail).toMatchObject({
      status: 429,
      error: 'Rate limit exceeded. Please try again later.',
      code: 'too_many_submissions',
    });
    expect(detail.retryAfterSeconds).toBe(Number(said?.[1]));
    expect(detail.retryAfterSeconds).toBeLessThanOrEqual(60);
    await page.close();
  });

  it('keeps what others say as text, and may be said in the words of the page', async () => {
    const { form, page } = await open();
    const hostile = '<img src=x onerror="window.wrong=1">';
    await page.route(form.endpoint, (route) =>
      route.fulfill({
        status: 403,
        headers: { 'access-control-allow-origin': '*', 'content-type': 'application/json' },
        body: JSON.stringify({ error: hostile }),
      }),
    );
    await page.click('button');
    expect(await outcome(page, 'error')).toBe(`This form cannot be sent from here (${hostile})`);
    expect(await page.locator('img').count()).toBe(0);
    await page.evaluate("document.querySelector('form').dataset.error = '<i>Call us</i>'");
    await page.click('button');
    await page.getByText('<i>Call us</i>').waitFor();
    expect(await page.locator('i').count()).toBe(0);
    await page.close();
  });

  it('is sent again by itself after a lost response, and is stored once', async () => {
    const { form, page } = await open();
    const keys: (string | undefined)[] = [];
    await page.route(form.endpoint, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.fill('[name=name]', 'Ada');
    await page.click('button');
    await outcome(page, 'success');
    expect(keys).toEqual([expect.stringMatching(/^[\d-]{7,}$/), keys[0]]);
    expect(await stored(form)).toMatchObject([{ name: 'Ada' }]);
    await page.close();
  });

  it('is sent again by itself when the service says so, for a while', async () => {
    const { form, page } = await open();
    let tries = 0;
    await page.route(form.endpoint, (route) => {
      tries += 1;
      if (tries > 2) return route.continue();
      const headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After' };
      return route.fulfill({ status: tries === 1 ? 503 : 429, headers: { ...headers, 'retry-after': '1' } });
    });
    await page.click('button');
    await outcome(page, 'success');
    expect(tries).toBe(3);
    expect(await stored(form)).toHaveLength(1);
    await page.close();
  });

  it('is left to the visitor when nothing helps, and goes on under the same key', async () => {
    const { form, page } = await open();
    const keys: (string | undefined)[] = [];
    let isDown = true;
    await page.route(`${form.endpoint}**`, (route) => {
      if (route.request().method() === 'POST') keys.push(route.request().headers()['idempotency-key']);
      return isDown ? route.abort('connectionreset') : route.continue();
    });
    const sendAs = async (name: string, state: 'success' | 'error'): Promise<string> => {
      await page.fill('[name=name]', name);
      await page.click('button');
      return await outcome(page, state);
    };
    expect(await sendAs('Ada', 'error')).toBe('No connection. Please send again.');
    expect((await seen(page)).at(-1)?.detail).toEqual({ status: 0 });
    expect(await page.inputValue('[name=name]')).toBe('Ada');
    expect(keys).toHaveLength(4);
    isDown = false;
    await sendAs('Ada', 'success');
    expect(new Set(keys).size).toBe(1);

    // After a success, the same text is a new message. So is another text after a failure.
    await sendAs('Ada', 'success');
    isDown = true;
    await sendAs('Eve', 'error');
    isDown = false;
    await sendAs('Eva', 'success');
    expect(new Set(keys).size).toBe(4);
    expect((await stored(form)).map(({ name }) => name)).toEqual(['Eva', 'Ada', 'Ada']);
    await page.close();
  });

  it('is given up when nothing moves any more, and sent again', async () => {
    const { form, page } = await open();
    let tries = 0;
    await page.route(form.endpoint, (route) => {
      tries += 1;
      if (tries > 1) return route.continue();
    });
    await page.clock.install();
    await page.click('button');
    await expect.poll(() => tries).toBe(1);
    const status = page.locator('[data-inlet-status]');
    await page.clock.runFor(29_000);
    expect(await status.getAttribute('data-inlet-status')).toBe('sending');
    await expect
      .poll(async () => {
        await page.clock.runFor(2_000);
        return await status.getAttribute('data-inlet-status');
      })
      .toBe('success');
    expect(tries).toBe(2);
    await page.close();
  });

  it('ends when the page cancels it', async () => {
    const { form, page } = await open();
    await page.route(form.endpoint, () => {});
    await page.evaluate(
      "addEventListener('inlet:submit', ({ detail }) => { window.cancel = detail.abort; })",
    );
    const asked = page.waitForRequest(form.endpoint);
    await page.click('button');
    await asked;
    await page.evaluate('window.cancel()');
    expect(await outcome(page, 'error')).toBe('Cancelled.');
    expect((await seen(page)).at(-1)?.detail).toEqual({ status: 0, code: 'aborted' });
    expect(await page.isEnabled('button')).toBe(true);
    expect(await stored(form)).toEqual([]);
    await page.close();
  });

  it('is an origin that is not allowed: the visitor sees that, and the console says what to do', async () => {
    const { form, page } = await open({ form: { allowed_origins: ['example.com'] } });
    const said: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'warning') said.push(message.text());
    });
    await page.click('button');
    expect(await outcome(page, 'error')).toBe('This form does not accept messages from this site.');
    expect((await seen(page)).at(-1)?.detail).toEqual({ status: 0, code: 'origin_not_allowed' });
    expect(said).toEqual([
      `inlet.js: ${form.endpoint} does not accept submissions from ${website.origin}. ` +
        `Add 127.0.0.1 to Allowed origins in the settings of the form or its project: ${server.url}/dashboard`,
    ]);
    await page.close();
  });

  it.each([
    ['for all to read', {}],
    ['hidden from this page', { allowed_origins: ['example.com'] }],
  ])('is a closed form, %s', async (_, settings) => {
    const { page } = await open({ form: { is_active: false, ...settings }, attributes: 'lang="es"' });
    await page.click('button');
    expect(await outcome(page, 'error')).toBe('Este formulario está cerrado.');
    expect((await seen(page)).at(-1)?.detail).toMatchObject({ code: 'form_inactive' });
    await page.close();
  });

  it.each([
    ['turnstile', 'cf-turnstile-response', 'cf-chl-widget-abc12_response', 'cf-chl-widget-abc12'],
    ['hcaptcha', 'h-captcha-response', 'h-captcha-response-0t37epmk3c0d', '0t37epmk3c0d'],
    ['grecaptcha', 'g-recaptcha-response', 'g-recaptcha-response-1', 1],
    ['grecaptcha', 'g-recaptcha-response', 'g-recaptcha-response', 0],
  ])('resets the widget of %s, field %s (%s), whose token is spent', async (name, field, id, widget) => {
    const { form, page } = await open({
      inputs: `<textarea name="${field}" id="${id}">token</textarea><button>Send</button>`,
    });
    await page.evaluate(`window.resets = []; window.${name} = { reset: (id) => window.resets.push(id) }`);
    await page.route(form.endpoint, (route) =>
      route.fulfill({ status: 400, headers: { 'access-control-allow-origin': '*' }, json: {} }),
    );
    await page.click('button');
    await outcome(page, 'error');
    await page.unroute(form.endpoint);
    await page.click('button');
    await outcome(page, 'success');
    expect(await page.evaluate('window.resets')).toEqual([widget, widget]);
    await page.close();
  });
});

it('needs no more of a strict page than to load it and to reach the service', async () => {
  const policy = `default-src 'none'; script-src ${server.url}; connect-src ${server.url}`;
  const { form, page, errors } = await open({
    head: `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    inputs: '<input type="file" name="cv"><button>Send</button>',
  });
  await page.setInputFiles('[name=cv]', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
  await page.click('button');
  await outcome(page, 'success');
  const colour = await page.evaluate('getComputedStyle(document.querySelector("[data-inlet-status]")).color');
  expect(colour).toBe('rgb(26, 128, 56)');
  expect((await stored(form)).length).toBe(1);
  expect(errors).toEqual([]);
  await page.close();
});

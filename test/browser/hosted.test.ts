/** A hosted page in a real browser: filled in and sent with and without scripts, on a phone, and in a website's frame. */
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, look, networkName, sharedBrowser } from '../support/chromium.js';
import { type Client, client, type MadeForm, makeForm } from '../support/client.js';
import { everyField } from '../support/every-field.js';
import { getSubmission, keptSubmissions } from '../support/kept.js';
import { blackPng } from '../support/pictures.js';
import { type RunningServer, startServer } from '../support/server.js';
import { startWebsite, type Website } from '../support/website.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let form: MadeForm;
let framed: MadeForm;
let website: Website;

const embedded = ({ endpoint }: MadeForm): string => `<h1>Our website</h1>
  <iframe src="${endpoint}" title="Contact" height="600" style="width: 100%; border: 0"></iframe>
  <script src="${server.url}/inlet-embed.js" defer></script>`;

const hosted = (settings: Record<string, unknown> = {}): Promise<MadeForm> =>
  makeForm(server.url, { form: { hosted_page: true, fields: everyField, ...settings } });

beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer()]);
  api = client(server.url);
  // The allowed origin is not the instance's own. The hosted page may send its form all the same.
  form = await hosted({ name: 'Talk to us', allowed_origins: ['example.com'] });
  framed = await hosted({ allowed_origins: ['127.0.0.1'] });
  website = await startWebsite({ '/': embedded(framed) });
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), website.close(), server.dispose()]);
});

interface Opened {
  readonly page: Page;
  /** Errors that the browser logged, such as violations of the content security policy. */
  readonly complaints: readonly string[];
}

async function open(url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, complaints };
}

const picture = { name: 'plan.png', mimeType: 'image/png', buffer: Buffer.from(blackPng(16, 16)) };

async function fillIn(page: Page | Frame): Promise<void> {
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('A quote').check();
  await page.getByLabel('Country').selectOption('Spain');
  await page.getByLabel('Design').check();
  await page.getByLabel('Hosting').check();
  await page.getByLabel('Website').fill('https://example.com');
  await page.getByLabel('Phone').fill('+34 600 000 000');
  await page.getByLabel('Budget').fill('2.5');
  await page.getByLabel('People').fill('3');
  await page.getByLabel('Preferred day').fill('2027-03-01');
  await page.getByLabel('Preferred time').fill('09:30');
  await page.getByLabel('Message').fill('Hello there,\nworld');
  await page.getByLabel('Files').setInputFiles(picture);
  await page.getByLabel('I have read the privacy notice').check();
}

const send = (page: Page | Frame): Promise<void> => page.locator('button[type=submit]').click();

async function newest(of: MadeForm) {
  const [first] = await keptSubmissions(server, of.formId);
  return (await getSubmission(server, first?.id ?? '')).body;
}

const everything = {
  name: 'Ada',
  email: 'ada@example.com',
  topic: 'A quote',
  country: 'Spain',
  interests: ['Design', 'Hosting'],
  site: 'https://example.com',
  phone: '+34 600 000 000',
  budget: '2.5',
  people: '3',
  day: '2027-03-01',
  hour: '09:30',
  message: 'Hello there,\r\nworld',
  terms: 'yes',
  campaign: 'spring',
};

describe('a page with every type of field', () => {
  it('is sent without leaving it, with the progress of its upload', async () => {
    const { page, complaints } = await open(`${form.endpoint}?campaign=spring`);
    await fillIn(page);
    await page.evaluate(`new MutationObserver((records) => {
      for (const { addedNodes } of records)
        for (const node of addedNodes) if (node.nodeName === 'PROGRESS') document.body.dataset.progress = 'seen';
    }).observe(document.body, { childList: true, subtree: true })`);
    await send(page);
    await page.getByText('Thank you\nYour message has been received.').waitFor();
    expect(await page.locator('form').isVisible()).toBe(false);
    expect(await page.locator('body').getAttribute('data-progress')).toBe('seen');
    expect(page.url()).toBe(`${form.endpoint}?campaign=spring`);
    expect(complaints).toEqual([]);
    const stored = await newest(form);
    expect(stored.data).toEqual(everything);
    expect(stored.files).toMatchObject([{ field: 'files', filename: 'plan.png', type: 'image/png' }]);
    expect(stored.metadata.submitted_from).toBe(form.endpoint);
    await look(page, 'hosted-sent');
    await page.context().close();
  });

  it('is sent without scripts', async () => {
    const { page, complaints } = await open(`${form.endpoint}?campaign=spring`, { javaScriptEnabled: false });
    await fillIn(page);
    await send(page);
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    expect(complaints).toEqual([]);
    const stored = await newest(form);
    expect(stored.data).toEqual(everything);
    expect(stored.files).toHaveLength(1);
    await page.context().close();
  });

  it('shows without scripts what is wrong, keeps what was typed, and is sent then', async () => {
    const { page } = await open(form.endpoint, { javaScriptEnabled: false, locale: 'de-DE' });
    await fillIn(page);
    // Browsers accept this, the rules do not.
    await page.getByLabel('E-mail').fill('ada@example');
    await send(page);
    const alert = page.getByRole('alert');
    await alert.getByRole('heading', { name: 'Bitte prüfen Sie Ihre Angaben' }).waitFor();
    await look(page, 'hosted-errors');
    const email = page.getByLabel('E-mail');
    expect(await email.inputValue()).toBe('ada@example');
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Message').inputValue()).toBe('Hello there,\nworld');
    expect(await page.getByLabel('Hosting').isChecked()).toBe(true);
    await alert.getByRole('link', { name: 'E-mail' }).click();
    await email.fill('ada@example.com');
    await send(page);
    await page.getByRole('heading', { name: 'Vielen Dank' }).waitFor();
    await page.context().close();
  });

  it('solves the challenge of its form', async () => {
    const asking = await hosted({
      captcha_enabled: true,
      fields: [{ name: 'note', type: 'text' }],
      allowed_origins: ['example.com'],
    });
    const { page, complaints } = await open(asking.endpoint);
    await page.getByLabel('note').fill('Hello');
    await send(page);
    await page.getByText('Your message has been received.').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('leads to the page of the owner, with and without scripts', async () => {
    const thanks = await startWebsite({ '/thanks': '<h1>Our own thanks</h1>' });
    const thankful = await hosted({
      fields: [{ name: 'note', type: 'text' }],
      success_redirect: `${thanks.origin}/thanks`,
    });
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await open(thankful.endpoint, { javaScriptEnabled });
      await page.getByLabel('note').fill('Hello');
      await send(page);
      await page.getByRole('heading', { name: 'Our own thanks' }).waitFor();
      await page.context().close();
    }
    await thanks.close();
  });

  it.each(['light', 'dark'] as const)('has no finding of axe, %s, also with errors', async (colorScheme) => {
    const { page } = await open(form.endpoint, { colorScheme, reducedMotion: 'reduce' });
    const findings = async (): Promise<readonly string[]> => {
      await page.evaluate(axe.source);
      const found = await page.evaluate<readonly { id: string; nodes: readonly { html: string }[] }[]>(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
      );
      return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    };
    expect(await findings()).toEqual([]);
    await look(page, `hosted-${colorScheme}`);
    await page.evaluate('document.forms[0].noValidate = true');
    await send(page);
    await page.locator('[data-inlet-error]:not(:empty)').first().waitFor();
    expect(await findings()).toEqual([]);
    await look(page, `hosted-errors-${colorScheme}`);
    // Sent by the browser, as without the script.
    await page.evaluate("document.forms[0].dataset.inlet = 'off'");
    await send(page);
    await page.getByRole('alert').getByRole('heading').waitFor();
    expect(await findings()).toEqual([]);
    await page.context().close();
  });

  it('fits a phone, also with text twice as large, and can be touched', async () => {
    const { page } = await open(form.endpoint, { viewport: { width: 320, height: 640 } });
    for (const scale of [1, 2]) {
      await page.locator('html').evaluate((root, times) => {
        root.style.fontSize = `${times * 100}%`;
      }, scale);
      expect(await page.locator('html').evaluate((root) => root.scrollWidth)).toBe(320);
    }
    await page.locator('html').evaluate((root) => {
      root.style.fontSize = '';
    });
    for (const name of ['Your name', 'Country', 'Preferred day'])
      expect((await page.getByLabel(name).boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect((await page.locator('button[type=submit]').boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await look(page, 'hosted-phone');
    await page.context().close();
  });
});

describe('in the frame of a website', () => {
  const frameOf = async (page: Page): Promise<Frame> => {
    const element = await page.locator('iframe').elementHandle();
    const frame = await element?.contentFrame();
    if (!frame) throw new Error('There is no frame');
    return frame;
  };
  const heightOf = (page: Page): Promise<number> =>
    page.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().height);
  const fits = async (page: Page, frame: Frame): Promise<boolean> =>
    (await heightOf(page)) === (await frame.locator('html').evaluate((root) => root.offsetHeight));

  it('it is as high as its page, before and after sending', async () => {
    const { page, complaints } = await open(website.origin);
    const frame = await frameOf(page);
    await frame.getByLabel('Your name').waitFor();
    await expect.poll(() => fits(page, frame), { timeout: 30_000 }).toBe(true);
    expect(await heightOf(page)).toBeGreaterThan(900);
    await look(page, 'hosted-framed');
    await fillIn(frame);
    await send(frame);
    await frame.getByText('Your message has been received.').waitFor();
    await expect.poll(() => heightOf(page), { timeout: 30_000 }).toBeLessThan(400);
    expect(await fits(page, frame)).toBe(true);
    expect(complaints).toEqual([]);
    expect((await newest(framed)).data.name).toBe('Ada');
    await page.context().close();
  });

  it('it is not shown on an origin that is not allowed', async () => {
    const { page, complaints } = await open(website.origin.replace('127.0.0.1', networkName));
    await expect.poll(() => complaints.join(), { timeout: 30_000 }).toContain('frame-ancestors');
    expect(await (await frameOf(page)).locator('form').count()).toBe(0);
    expect(await heightOf(page)).toBe(600);
    await page.context().close();
  });

  it('its height is believed only from its own window and origin, and only if it is one', async () => {
    const { page } = await open(website.origin);
    const frame = await frameOf(page);
    await frame.getByLabel('Your name').waitFor();
    await expect.poll(() => fits(page, frame), { timeout: 30_000 }).toBe(true);
    const height = await heightOf(page);
    // From the website itself: neither window nor origin is the frame's.
    await page.evaluate("postMessage({ type: 'inlet:height', height: 77 }, '*')");
    // From another page of the website, in a frame whose src is a hosted page.
    await page.evaluate(`(() => {
      const other = document.createElement('iframe');
      other.srcdoc = '<script>parent.postMessage({ type: "inlet:height", height: 78 }, "*")</' + 'script>';
      other.src = ${JSON.stringify(framed.endpoint)};
      document.body.append(other);
    })()`);
    for (const wrong of ['-1', '0', '1e9', '1.5', 'NaN', '"300px"', 'null', '{}'])
      await frame.evaluate(`parent.postMessage({ type: 'inlet:height', height: ${wrong} }, '*')`);
    await frame.evaluate("parent.postMessage(null, '*')");
    // Once this one has arrived, all others have, too.
    await frame.evaluate("parent.postMessage({ type: 'inlet:height', height: 1234 }, '*')");
    await expect
      .poll(() =>
        page
          .locator('iframe')
          .first()
          .evaluate((each) => each.style.height),
      )
      .toBe('1234px');
    expect(height).not.toBe(1234);
    expect(
      await page
        .locator('iframe')
        .nth(1)
        .evaluate((each) => each.style.height),
    ).toBe('');
    await page.context().close();
  });

  it('it tells its height also to a script that comes after it', async () => {
    const late = await startWebsite({ '/': embedded(framed).replace(/<script.*/, '') });
    const { page } = await open(late.origin);
    const frame = await frameOf(page);
    await frame.getByLabel('Your name').waitFor();
    await page.evaluate(`document.head.append(Object.assign(document.createElement('script'), {
      src: ${JSON.stringify(`${server.url}/inlet-embed.js`)},
    }))`);
    await expect.poll(() => fits(page, frame), { timeout: 30_000 }).toBe(true);
    await page.context().close();
    await late.close();
  });
});

it('a form that is closed says so', async () => {
  const closed = await hosted({ name: 'Old form' });
  await api.patch(`/api/v1/forms/${closed.formId}`, { is_active: false });
  const { page } = await open(closed.endpoint);
  await page.getByRole('heading', { name: 'This form is closed' }).waitFor();
  await look(page, 'hosted-closed');
  await page.context().close();
});

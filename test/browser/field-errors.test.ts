/** Field errors as a visitor sees them: at the inputs with /inlet.js, and on a page without JavaScript. */
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, look, openPage, sharedBrowser } from '../support/chromium.js';
import { client, type MadeForm, makeForm } from '../support/client.js';
import { keptSubmissions } from '../support/kept.js';
import { type RunningServer, startServer } from '../support/server.js';
import { startWebsite, type Website } from '../support/website.js';

let browser: Browser;
let server: RunningServer;
let website: Website;
const pages: Record<string, string> = {};

beforeAll(async () => {
  [browser, server, website] = await Promise.all([sharedBrowser(), startServer(), startWebsite(pages)]);
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), website.close(), server.dispose()]);
});

const fillIn = 'Please fill in this field.';

let count = 0;
/** Opens a page with a form that has these rules. `markup` gets the attributes of its form element. */
async function open(
  fields: readonly object[],
  markup: (form: string) => string,
  { language = 'en', head = '' } = {},
): Promise<{ form: MadeForm; page: Page; errors: readonly string[] }> {
  const form = await makeForm(server.url, {
    form: { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'], fields },
  });
  count += 1;
  const attributes = `id="form" method="post" action="${form.endpoint}"`;
  pages[`/${count}`] = `<html lang="${language}"><head><title>Contact</title>${head}
    <script src="${server.url}/inlet.js" defer></script></head>
    <body><main><h1>Contact</h1>${markup(attributes)}</main></body></html>`;
  const { page, errors } = await openPage(browser);
  await page.goto(`${website.origin}/${count}`);
  return { form, page, errors };
}

const status = (page: Page, state: string) => page.locator(`[data-inlet-status=${state}]`);
/** What a screen reader adds to the name of an input. */
const description = async (page: Page, selector: string): Promise<string> => {
  const ids = (await page.locator(selector).getAttribute('aria-describedby')) ?? '';
  const texts = ids.split(' ').map((id) => page.locator(`[id="${id}"]`).textContent());
  return (await Promise.all(texts)).join(' ');
};
const findings = async (page: Page): Promise<unknown> => {
  await page.evaluate(axe.source);
  return await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))",
  );
};
const focused = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement.getAttribute('name') || document.activeElement.tagName");

async function send(page: Page, state: 'success' | 'error'): Promise<string> {
  await page.click('button');
  await status(page, state).waitFor();
  return (await status(page, state).textContent()) ?? '';
}

describe('with inlet.js', () => {
  it('each message stands at its input until the input changes', async () => {
    const { form, page, errors } = await open(
      [
        { name: 'email', type: 'email', required: true },
        { name: 'name', type: 'text', required: true },
        { name: 'age', type: 'integer', min: 18 },
      ],
      (attributes) => `<form ${attributes}>
        <p><label for="n">Name</label> <input id="n" name="name" aria-describedby="hint"> <small id="hint">As in your passport</small></p>
        <p><label>E-mail <input name="email" value="ada@"></label></p>
        <p><label>Age <input name="age" value="18"></label></p><button>Send</button></form>`,
    );
    await page.evaluate("addEventListener('inlet:error', ({ detail }) => { window.detail = detail; })");
    expect(await send(page, 'error')).toBe('Please check your entries.');
    await look(page, 'client-fields');
    expect(await description(page, '[name=name]')).toBe(`As in your passport ${fillIn}`);
    expect(await description(page, '[name=email]')).toContain('such as name@example.com.');
    expect(await page.getAttribute('[name=email]', 'aria-invalid')).toBe('true');
    expect(await page.getAttribute('[name=age]', 'aria-invalid')).toBeNull();
    // The first on the page, not of the rules.
    expect(await focused(page)).toBe('name');
    expect(await page.locator('label', { hasText: 'E-mail' }).textContent()).not.toContain('Please');
    expect(await page.evaluate('window.detail')).toMatchObject({
      ...{ status: 422, code: 'invalid_fields' },
      fields: [
        { field: 'email', code: 'type_email' },
        { field: 'name', code: 'required', message: fillIn },
      ],
    });
    expect(await findings(page)).toEqual([]);

    await page.fill('[name=name]', 'Ada');
    expect(await page.getAttribute('[name=name]', 'aria-describedby')).toBe('hint');
    expect(await page.getAttribute('[name=name]', 'aria-invalid')).toBeNull();
    expect(await page.locator('[data-inlet-error]').count()).toBe(1);
    // The same mistake again has one message, not two.
    await send(page, 'error');
    await page.locator('[data-inlet-error=email]').waitFor();
    expect(await page.locator('[data-inlet-error]').count()).toBe(1);
    expect(await focused(page)).toBe('email');
    await page.fill('[name=email]', 'ada@example.com');
    expect(await page.getAttribute('[name=email]', 'aria-describedby')).toBeNull();
    await send(page, 'success');
    expect((await keptSubmissions(server, form.formId)).map(({ data }) => data)).toEqual([
      { name: 'Ada', email: 'ada@example.com', age: '18' },
    ]);
    expect(errors).toEqual([expect.stringContaining('422'), expect.stringContaining('422')]);
    await page.close();
  });

  it('groups, lists and files have one message each, behind their labels', async () => {
    const required = { required: true };
    const { page } = await open(
      [
        { name: 'plan', type: 'choice', choices: ['a', 'b'], ...required },
        { name: 'days', type: 'choice', choices: ['mon', 'tue'], multiple: true, ...required },
        { name: 'terms', type: 'boolean', ...required },
        { name: 'country', type: 'choice', choices: ['at', 'ch'], ...required },
        { name: 'cv', type: 'file', ...required },
        { name: 'note', type: 'textarea', ...required },
      ],
      (attributes) => `<form ${attributes}>
        <fieldset><legend>Plan</legend><input type="radio" name="plan" value="a" id="a"><label for="a">A</label>
          <input type="radio" name="plan" value="b" id="b"><label for="b">B</label></fieldset>
        <label><input type="checkbox" name="days[]" value="mon"> Mon</label><label id="tue"><input type="checkbox" name="days[]" value="tue"> Tue</label>
        <label id="agree"><input type="checkbox" name="terms"> I agree</label>
        <label>Country <select name="country"><option></option><option>at</option></select></label>
        <label>CV <input type="file" name="cv"></label><button>Send</button></form>
        <label>Note <textarea name="note" form="form"></textarea></label>`,
    );
    await send(page, 'error');
    expect(await page.locator('[data-inlet-error]').count()).toBe(6);
    // Not between a button and its label, where `input:checked + label` would no longer match.
    const sibling = (field: string) =>
      page
        .locator(`[data-inlet-error=${field}]`)
        .evaluate((place) => place.previousElementSibling?.outerHTML);
    expect(await sibling('plan')).toBe('<label for="b">B</label>');
    expect(await sibling('days')).toContain('id="tue"');
    expect(await sibling('terms')).toContain('id="agree"');
    expect(await page.locator('[name=plan][aria-invalid=true]').count()).toBe(2);
    expect(await description(page, '#a')).toBe('Please choose one of the options.');
    expect(await description(page, '#tue input')).toBe('Please choose at least one of the options.');
    expect(await description(page, '[name=terms]')).toBe('Please tick this box.');
    expect(await description(page, '[name=cv]')).toBe('Please choose a file.');
    expect(await description(page, '[name=note]')).toBe(fillIn);
    expect(await focused(page)).toBe('plan');
    expect(await findings(page)).toEqual([]);
    await look(page, 'client-field-groups');

    await page.check('#a');
    await page.check('#tue input');
    await page.check('[name=terms]');
    await page.selectOption('[name=country]', 'at');
    await page.setInputFiles('[name=cv]', {
      name: 'a.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('a'),
    });
    await page.fill('[name=note]', 'x');
    expect(await page.locator('[data-inlet-error], [aria-invalid], [aria-describedby]').count()).toBe(0);
    await send(page, 'success');
    await page.close();
  });

  it('what nobody sees is said below the form, as text', async () => {
    const { page } = await open(
      [
        { name: 'token', type: 'hidden', required: true },
        { name: '<b>absent</b>', type: 'text', required: true },
        { name: 'folded', type: 'number' },
      ],
      (attributes) => `<form ${attributes}><input type="hidden" name="token">
        <input name="folded" value="x" style="display: none"><button>Send</button></form>`,
    );
    expect(await send(page, 'error')).toBe(
      `Please check your entries. token: ${fillIn} <b>absent</b>: ${fillIn} folded: Please enter a number.`,
    );
    expect(await page.locator('b').count()).toBe(0);
    expect(await focused(page)).toBe('BUTTON');
    await page.close();
  });

  it('places and names that the page chose stay, and a reset clears them', async () => {
    const { page, errors } = await open(
      ['elements', 'labels', 'a"]b'].map((name) => ({ name, type: 'text', required: true })),
      (
        attributes,
      ) => `<form ${attributes}><input name="elements" aria-label="1"><input name="labels" aria-label="2">
        <input name='a"]b' aria-label="3"><button>Send</button><p id="mine" class="own" data-inlet-error='a"]b'></p></form>`,
    );
    await page.click('button');
    await expect.poll(() => page.textContent('#mine')).toBe(fillIn);
    expect(await page.getAttribute('#mine', 'style')).toBeNull();
    expect(await page.locator('[data-inlet-error]').count()).toBe(3);
    await page.evaluate("HTMLFormElement.prototype.reset.call(document.querySelector('form'))");
    expect(await page.textContent('#mine')).toBe('');
    expect(await page.locator('[data-inlet-error]').count()).toBe(1);
    expect(await page.locator('[aria-invalid], [aria-describedby]').count()).toBe(0);
    expect(errors).toEqual([expect.stringContaining('422')]);
    await page.close();
  });

  it('nothing is shown if the page prevents it', async () => {
    const { page } = await open(
      [{ name: 'a', type: 'text', required: true }],
      (attributes) => `<form ${attributes}><input name="a" aria-label="A"><button>Send</button></form>`,
    );
    await page.evaluate(
      "addEventListener('inlet:error', (event) => { event.preventDefault(); window.fields = event.detail.fields; })",
    );
    await page.click('button');
    await expect.poll(() => page.evaluate('window.fields')).toMatchObject([{ field: 'a', code: 'required' }]);
    expect(await page.locator('[data-inlet-error], [aria-invalid]').count()).toBe(0);
    await page.close();
  });

  it.each([
    ['de-AT', '', 'Bitte füllen Sie dieses Feld aus.', 'Bitte prüfen Sie Ihre Angaben.'],
    ['fr', '', 'Veuillez remplir ce champ.', 'Veuillez vérifier votre saisie.'],
    ['es', '', 'Rellene este campo.', 'Revise los datos.'],
    ['zh', '', '请填写此项。', '请检查您填写的内容。'],
    ['it', '', fillIn, 'Please check your entries.'],
    [
      'de',
      '<input type="hidden" name="_language" value="fr">',
      'Veuillez remplir ce champ.',
      'Bitte prüfen Sie Ihre Angaben.',
    ],
  ])('speaks the language of the page: %s %s', async (language, own, message, summary) => {
    const { page } = await open(
      [{ name: 'a', type: 'text', required: true }],
      (attributes) => `<form ${attributes}>${own}<input name="a" aria-label="A"><button>Send</button></form>`,
      { language },
    );
    expect(await send(page, 'error')).toBe(summary);
    expect(await description(page, '[name=a]')).toBe(message);
    await page.close();
  });

  it('a message takes a line of its own in the layout of the page', async () => {
    const { page } = await open(
      ['a', 'b'].map((name) => ({ name, type: 'text', required: true })),
      (attributes) => `<form ${attributes} class="grid"><label for="a">A</label><input id="a" name="a">
        <label for="b">B</label><input id="b" name="b"><button>Send</button></form>`,
      { head: '<style>.grid { display: grid; grid-template-columns: 100px 300px; gap: 8px }</style>' },
    );
    await send(page, 'error');
    await look(page, 'client-field-grid');
    const left = async (selector: string) => (await page.locator(selector).boundingBox())?.x;
    expect(await left('[name=b]')).toBe(await left('[name=a]'));
    expect(await left('label[for=b]')).toBe(await left('label[for=a]'));
    await page.close();
  });

  it('a form that is closed says so', async () => {
    const { form, page } = await open([], (attributes) => `<form ${attributes}><button>Send</button></form>`);
    await client(server.url).patch(`/api/v1/forms/${form.formId}`, { closes_at: '2020-01-01T00:00:00.000Z' });
    expect(await send(page, 'error')).toBe('This form is closed.');
    await page.close();
  });
});

describe('without JavaScript', () => {
  it('a page lists the errors by label, and the way back keeps what was typed', async () => {
    const { form, page } = await open(
      [
        { name: 'name', type: 'text' },
        { name: 'email', type: 'email', label: 'Your e-mail', required: true },
        { name: 'plan', type: 'choice', choices: ['a', 'b'] },
        { name: 'note', type: 'textarea' },
        { name: 'age', type: 'integer', max: 99 },
      ],
      (
        attributes,
      ) => `<form ${attributes}><input name="name"><input name="email"><textarea name="note"></textarea>
        <input type="checkbox" name="plan" value="a"><input name="age" value="200"><button>Send</button></form>`,
    );
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(page.url());
    await plain.fill('[name=name]', 'Ada');
    await plain.fill('[name=email]', 'ada@');
    await plain.fill('[name=note]', 'Line 1\nLine 2');
    await plain.check('[name=plan]');
    await plain.click('button');
    await plain.getByRole('heading', { name: 'Please check your entries' }).waitFor();
    const items = plain.getByRole('listitem');
    expect(await items.allTextContents()).toEqual([
      'Your e-mail Please enter an e-mail address, such as name@example.com.',
      'age Please enter 99 or less.',
    ]);
    await look(plain, 'page-fields');
    await plain.goBack();
    expect(await plain.inputValue('[name=name]')).toBe('Ada');
    expect(await plain.inputValue('[name=email]')).toBe('ada@');
    expect(await plain.inputValue('[name=note]')).toBe('Line 1\nLine 2');
    expect(await plain.isChecked('[name=plan]')).toBe(true);
    await plain.fill('[name=email]', 'ada@example.com');
    await plain.fill('[name=age]', '30');
    await plain.click('button');
    await plain.waitForURL(`${server.url}/f/${form.publicId}/success?*`);
    expect(await keptSubmissions(server, form.formId)).toHaveLength(1);
    await Promise.all([context.close(), page.close()]);
  });
});

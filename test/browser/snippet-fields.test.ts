/** Snippets of forms with rules of every type, and with names and labels that look like code: filled in and sent by a browser. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, look, openPage, sharedBrowser } from '../support/chromium.js';
import { client, type MadeForm, makeForm, submitJson } from '../support/client.js';
import { keptSubmissions } from '../support/kept.js';
import { canRun } from '../support/needs.js';
import { type RunningServer, startServer } from '../support/server.js';
import { bundle, frameworks, renderedByAstro } from '../support/snippet-frameworks.js';
import { startWebsite, type Website } from '../support/website.js';

const run = promisify(execFile);

let server: RunningServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), sharedBrowser()]);
});
afterAll(async () => {
  await Promise.all([server.dispose(), leaveBrowser(browser)]);
});

const local = { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'] };
/** Expressions of various frameworks, and whatever would end their context. */
const hostile = `{window.hit = 1} {{ window.hit = 1 }} \${window.hit = 1} <b>"it's"</b> &amp; \`x\` */ </form>{#if} \\`;
/** Browsers do not escape backslashes of names in multipart bodies. */
const oddName = hostile.replaceAll('\\', '');
const oddChoices = ['plain', 'two words', ' two  blanks ', '{x}', '"q" & <b>', "it's"];
/** Frameworks collapse spaces, as browsers do on display. */
const plain = (text: string): string => text.trim().replaceAll(/ +/g, ' ');
const manyChoices = Array.from({ length: 25 }, (_, i) => `tag ${i}`);

const rules = [
  {
    ...{ name: 'full_name', type: 'text', label: `Name ${hostile}`, required: true },
    ...{ min_length: 2, max_length: 50, placeholder: hostile, help: `Help ${hostile}` },
  },
  { name: 'about', type: 'textarea', max_length: 500 },
  { name: 'email', type: 'email', label: 'E-mail', required: true, multiple: true },
  { name: 'site', type: 'url' },
  { name: 'phone', type: 'tel' },
  { name: 'weight', type: 'number', min: 0.5, max: 99.5 },
  { name: 'children', type: 'integer', min: -0.5, max: 10 },
  { name: 'born', type: 'date' },
  { name: 'from', type: 'time' },
  { name: 'terms', type: 'boolean', required: true },
  { name: 'plan', type: 'choice', choices: ['free', '{pro}'], required: true, help: 'Which plan?' },
  { name: 'topic', type: 'choice', choices: oddChoices, placeholder: 'Choose {one}' },
  { name: 'days', type: 'choice', choices: ['mon', 'tue', '"wed"'], multiple: true },
  { name: 'tags', type: 'choice', choices: manyChoices, multiple: true, required: true },
  { name: 'cv', type: 'file', accept: ['.txt', 'image/*'], required: true },
  { name: 'shots', type: 'file', multiple: true, max_files: 2 },
  { name: 'source', type: 'hidden', max_length: 20 },
  { name: '__proto__', type: 'text' },
  { name: 'constructor', type: 'text' },
  { name: oddName, type: 'text' },
];

async function snippetOf(form: MadeForm, name: string): Promise<string> {
  const { body } = await client(server.url).get(`/api/v1/forms/${form.formId}/snippets`);
  return body.data.find((snippet: { readonly name: string }) => snippet.name === name).code;
}

const named = (name: string): string => `[name="${name.replaceAll(/["\\]/g, '\\$&')}"]`;

async function fillIn(page: Page): Promise<void> {
  const texts = {
    ...{ full_name: 'Grace', about: 'Line 1', email: 'grace@example.com', site: 'https://example.com' },
    ...{ phone: '+43 1', weight: '1.25', children: '3', born: '2000-02-29', from: '09:30' },
    ...{ ['__proto__']: 'p', constructor: 'c', [oddName]: 'h' },
  };
  await page.locator(named('full_name')).waitFor();
  for (const [name, text] of Object.entries(texts)) await page.fill(named(name), text);
  await page.check(named('terms'));
  await page.check(`${named('plan')}[value="{pro}"]`);
  await page.selectOption(named('topic'), ' two  blanks ');
  await page.check(`${named('days')}[value=mon]`);
  await page.check(`${named('days')}[value='"wed"']`);
  await page.selectOption(named('tags'), ['tag 3', 'tag 24']);
  const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') };
  await page.setInputFiles(named('cv'), file);
  await page.setInputFiles(named('shots'), [file, { ...file, name: 'b.txt' }]);
  await page.evaluate("document.querySelector('[name=source]').value = 'ad'");
}

const filledIn = {
  ...{ full_name: 'Grace', about: 'Line 1', email: 'grace@example.com', site: 'https://example.com' },
  ...{ phone: '+43 1', weight: '1.25', children: '3', born: '2000-02-29', from: '09:30', terms: 'on' },
  ...{ plan: '{pro}', topic: ' two  blanks ', days: ['mon', '"wed"'], tags: ['tag 3', 'tag 24'] },
  ...{ source: 'ad', ['__proto__']: 'p', constructor: 'c', [oddName]: 'h' },
};

/** What the browser enforces, and what a screen reader announces. */
async function constraints(page: Page): Promise<unknown> {
  const read = (name: string, ...attributes: string[]) =>
    page
      .locator(named(name))
      .first()
      .evaluate((input, all) => all.map((attribute) => input.getAttribute(attribute)), attributes);
  const has = (name: string, attribute: string) => page.locator(`${named(name)}[${attribute}]`).count();
  const helpId = await page.locator(named('full_name')).getAttribute('aria-describedby');
  const help = await page.locator(`[id="${helpId}"]`).textContent();
  return {
    help,
    labels: [
      await page.getByLabel(`Name ${hostile}`, { exact: true }).count(),
      await page.getByRole('group', { name: 'Plan' }).count(),
      await page.getByRole('radio', { name: '{pro}', exact: true }).count(),
      await page.getByLabel('I do not exist').count(),
    ],
    name: await read('full_name', 'minlength', 'maxlength', 'placeholder', 'type'),
    isRequired: [
      await has('full_name', 'required'),
      await has('about', 'required'),
      await has('tags', 'required'),
    ],
    weight: await read('weight', 'type', 'min', 'max', 'step'),
    children: await read('children', 'type', 'min', 'max', 'step'),
    email: await read('email', 'type', 'autocomplete', 'multiple'),
    born: await read('born', 'type'),
    from: await read('from', 'type'),
    topic: (await page.locator(`${named('topic')} option`).allTextContents()).map(plain),
    cv: await read('cv', 'type', 'accept', 'multiple'),
    shots: await has('shots', 'multiple'),
    source: await read('source', 'type'),
  };
}

const expected = {
  help: `Help ${hostile}`,
  labels: [1, 1, 1, 0],
  name: ['2', '50', hostile, null],
  isRequired: [1, 0, 1],
  weight: ['number', '0.5', '99.5', 'any'],
  children: ['number', '0', '10', null],
  email: ['email', 'email', null],
  born: ['date'],
  from: ['time'],
  topic: ['Choose {one}', ...oddChoices.map(plain)],
  cv: ['file', '.txt,image/*', null],
  shots: 1,
  source: ['hidden'],
};

const pageOf: Readonly<Record<string, (code: string) => Promise<Website>>> = {
  html: (code) => startWebsite({ '/contact': code }),
  astro: (code) => startWebsite({ '/contact': renderedByAstro(code, '/contact') }),
  ...Object.fromEntries(
    Object.entries(frameworks).map(([name, framework]) => [
      name,
      async (code: string) =>
        startWebsite(
          { '/contact': '<script type="module" src="/bundle.js"></script>' },
          { '/bundle.js': await bundle(framework, code) },
        ),
    ]),
  ),
};

describe.each(Object.entries(pageOf))('%s', (name, websiteOf) => {
  it('has a label and the constraints of each rule, and is accepted as filled in', async () => {
    const fields = rules;
    const form = await makeForm(server.url, { form: { ...local, fields, unknown_fields: 'reject' } });
    const website = await websiteOf(await snippetOf(form, name));
    const { page, errors } = await openPage(browser);
    await page.goto(`${website.origin}/contact`);
    await fillIn(page);
    await look(page, `snippet-${name}`);
    expect(await constraints(page)).toEqual(expected);
    await page.getByRole('button', { name: 'Send' }).click();
    const said = page.getByRole('status').or(page.getByRole('alert')).first();
    await expect.poll(() => said.innerText()).toContain('Thank you');
    expect(errors).toEqual([]);
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(await page.locator('b').count()).toBe(0);
    const [stored, ...others] = await keptSubmissions(server, form.formId);
    expect(others).toEqual([]);
    expect(Object.entries(stored?.data ?? {})).toEqual(expect.arrayContaining(Object.entries(filledIn)));
    expect(stored).toMatchObject({
      files: [{ filename: 'a.txt' }, { filename: 'a.txt' }, { filename: 'b.txt' }],
    });
    await page.close();
    await website.close();
  });

  it('says what is wrong with a field', async () => {
    const fields = [{ name: 'site', type: 'url' }];
    const form = await makeForm(server.url, { form: { ...local, fields } });
    const website = await websiteOf(await snippetOf(form, name));
    const { page } = await openPage(browser);
    await page.goto(`${website.origin}/contact`);
    // A URL to browsers, but not a web address.
    await page.fill(named('site'), 'ftp://example.com');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Please enter a web address that starts with https:// or http://.').waitFor();
    await page.close();
    await website.close();
  });
});

describe('without rules', () => {
  it('has the fields that arrived, except what is rare', async () => {
    const form = await makeForm(server.url, { form: local });
    for (let i = 0; i < 30; i += 1)
      await submitJson(form.endpoint, {
        ...{ first_name: `Person ${i}`, mail: `p${i}@example.com`, age: String(i), born: '2000-01-01' },
        ...{ topic: i % 2 ? 'sales' : 'support', message: `Hello ${i}`, ...(i % 3 && { news: 'on' }) },
        ...(i === 7 && { 'bot </form>': 'x' }),
      });
    const code = await snippetOf(form, 'html');
    for (const line of [
      '<label>First name <input name="first_name" required></label>',
      '<label>Mail <input type="email" name="mail" autocomplete="email" required></label>',
      '<label>Age <input type="number" name="age" required></label>',
      '<label>Born <input type="date" name="born" required></label>',
      '<label>Message <textarea name="message" required></textarea></label>',
      '<label><input type="checkbox" name="news"> News</label>',
      '<input type="radio" required name="topic" value="sales">',
    ])
      expect(code).toContain(line);
    expect(code).not.toMatch(/bot|multipart/);
  });

  it('has a contact form before anything arrived', async () => {
    const form = await makeForm(server.url, { form: local });
    expect(
      await snippetOf(form, 'html'),
    ).toBe(`<form action="${form.endpoint}" method="post" enctype="multipart/form-data">
  <p><label>Name <input name="name" autocomplete="name" required></label></p>
  <p><label>E-mail <input type="email" name="email" autocomplete="email" required></label></p>
  <p><label>Message <textarea name="message" required></textarea></label></p>
  <p><label>File <input type="file" name="file"></label></p>
  <div style="position: absolute; left: -9999px" aria-hidden="true">
    <label>Leave this empty <input type="text" name="_gotcha" tabindex="-1" autocomplete="off" data-1p-ignore data-lpignore="true"></label>
  </div>
  <button type="submit">Send</button>
</form>
<!-- Optional: sends the form without leaving the page. -->
<script src="${server.url}/inlet.js" defer></script>
`);
  });
});

const programs = [
  { name: 'curl', command: 'sh', words: (code: string) => ['-c', code] },
  { name: 'php', command: 'php', words: (code: string) => ['-r', code.replace(/^<\?php\n/, '')] },
  { name: 'python', command: 'python3', words: (code: string) => ['-c', code] },
  {
    name: 'fetch',
    command: 'node',
    words: (code: string) => ['--input-type=module', '-e', `const location = {};${code}`],
  },
];
for (const { name, command, words } of programs) {
  // A shell may not support --version.
  describe.runIf(command === 'sh' || canRun(command))(`${name}, run by ${command}`, () => {
    it('sends an example of each rule that the rule accepts', async () => {
      const fields = rules.filter(({ type }) => type !== 'file');
      const form = await makeForm(server.url, { form: { fields, unknown_fields: 'reject' } });
      await run(command, words(await snippetOf(form, name)));
      const [stored] = await keptSubmissions(server, form.formId);
      expect(Object.keys(stored?.data ?? {}).sort()).toEqual(fields.map((rule) => rule.name).sort());
      expect(stored?.data).toMatchObject({
        weight: 42,
        children: 10,
        terms: true,
        topic: 'plain',
        days: ['mon', 'tue'],
      });
    });
  });
}

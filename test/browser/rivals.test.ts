/**
 * The examples of docs/migrate, verbatim, in a real browser and from another origin: pages and packages written for other form services,
 * with Inlet's address and the form's old name as an alias.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { type Plugin, rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, openPage, sharedBrowser } from '../support/chromium.js';
import { client, makeForm } from '../support/client.js';
import { getSubmission, keptSubmissions } from '../support/kept.js';
import { type RunningServer, startServer } from '../support/server.js';
import { startWebsite, type Website } from '../support/website.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const addressInGuides = 'https://forms.example.com';
const websiteInGuides = 'https://example.com';

/** Each service's old address, and the name of the form in its guide. */
const services = {
  formspree: { address: 'https://formspree.io', alias: 'mqkvgjzd' },
  web3forms: { address: 'https://api.web3forms.com', alias: '5f0d3c4e-7a1b-4f0e-9a43-2b8f1c6d7e90' },
  staticforms: { address: 'https://api.staticforms.xyz', alias: 'sf_k3y0123456789abcdef' },
  formspark: { address: 'https://submit-form.com', alias: 'Zq4Ld9x' },
  basin: { address: 'https://usebasin.com', alias: '8f1c6d7e90ab' },
  formcarry: { address: 'https://formcarry.com', alias: 'Xy2bCq9Lw' },
  netlify: { address: '', alias: 'Contact us' },
  forminit: { address: 'https://getform.io', alias: 'ab12cd34' },
  formsubmit: { address: 'https://formsubmit.co', alias: 'you@example.com' },
} as const;
type Service = keyof typeof services;
const serviceNames = Object.keys(services) as Service[];

const guides = Object.fromEntries(
  await Promise.all(
    serviceNames.map(async (name) => [name, await readFile(join(root, `docs/migrate/${name}.md`), 'utf8')]),
  ),
) as Record<Service, string>;

/** The page before and after, from the lines of a diff. */
function exampleOf(service: Service, heading: string): { readonly before: string; readonly after: string } {
  const section = guides[service].split(/^##+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const [, diff] = /^```diff\n([\s\S]+?)\n```$/m.exec(section) ?? [];
  if (diff === undefined) throw new Error(`The guide for ${service} has no example for ${heading}`);
  const without = (sign: string) =>
    diff
      .split('\n')
      .filter((line) => !line.startsWith(sign))
      .map((line) => line.slice(1))
      .join('\n');
  return { before: without('+'), after: without('-') };
}

const pageIn = (service: Service, heading: string): string => exampleOf(service, heading).after;

describe('the guides', () => {
  it('are one for each service', async () => {
    const files = await readdir(join(root, 'docs/migrate'));
    expect(files.sort()).toEqual([...serviceNames.map((name) => `${name}.md`), 'index.md'].sort());
  });

  const onlyAddress = serviceNames
    .filter((name) => name !== 'netlify')
    .flatMap((name) => ['HTML', 'JavaScript'].map((heading) => [name, heading] as const))
    .filter(([name, heading]) => heading === 'HTML' || !['formspree', 'forminit'].includes(name));
  it.each(onlyAddress)('change nothing but the address: %s, %s', (name, heading) => {
    const { before, after } = exampleOf(name, heading);
    expect(before.replaceAll(services[name].address, addressInGuides)).toBe(after);
  });
});

const inComponent = (code: string): string => `${code}
import { createRoot } from 'react-dom/client';
createRoot(document.body.appendChild(document.createElement('main'))).render(<Contact />);`;

/** As in these packages' READMEs. The page shows the result. */
const web3formsReact = `import { useState } from 'react';
import useWeb3Forms from '@web3forms/react';

function Contact() {
  const [result, setResult] = useState('');
  const { submit } = useWeb3Forms({
    access_key: '${services.web3forms.alias}',
    settings: { from_name: 'Acme Inc', subject: 'New Contact Message' },
    onSuccess: (message, body) => setResult('Success: ' + message + ' ' + JSON.stringify(body.data)),
    onError: (message) => setResult('Error: ' + message),
  });
  const send = (event) => {
    event.preventDefault();
    submit(Object.fromEntries(new FormData(event.currentTarget)));
  };
  return <form onSubmit={send}><input name="email" /><button>Send</button><output>{result}</output></form>;
}`;
const formsparkReact = `import { useState } from 'react';
import { FormsparkError, useFormspark } from '@formspark/use-formspark';

function Contact() {
  const [submit, submitting] = useFormspark({ formId: '${services.formspark.alias}' });
  const [result, setResult] = useState('');
  const send = async (event) => {
    event.preventDefault();
    const email = event.currentTarget.email.value;
    try {
      const body = await submit({ email, _email: { subject: 'New lead' } });
      setResult('Success: ' + body.success);
    } catch (error) {
      setResult(error instanceof FormsparkError ? error.message + ': ' + error.body.error : String(error));
    }
  };
  return (
    <form onSubmit={send}><input name="email" /><button disabled={submitting}>Send</button><output>{result}</output></form>
  );
}`;
const formcarryReact = `import { useForm } from '@formcarry/react';

function Contact() {
  const { state, submit } = useForm({ id: '${services.formcarry.alias}', extraData: { page: 'contact' } });
  if (state.submitted) return <div>{state.response.title} We received your submission.</div>;
  return (
    <form onSubmit={submit}>
      <input name="email" /><button>Send</button><output>{state.error && 'Error: ' + state.error.message}</output>
    </form>
  );
}`;
/** From the package's README, with its other kind of body. */
const forminitBlocks = `import { Forminit } from 'forminit';

const form = document.body.appendChild(document.createElement('form'));
form.innerHTML = '<input name="email"><button>Send</button><output></output>';
const forminit = new Forminit();
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { data, redirectUrl, error } = await forminit.submit('${services.forminit.alias}', {
    blocks: [
      { type: 'sender', properties: { email: form.email.value, firstName: 'Ada' } },
      { type: 'text', name: 'message', value: 'Hello' },
    ],
  });
  form.querySelector('output').value = error ? 'Error: ' + error.message : 'Success! ' + (data.hashId && redirectUrl);
});`;

const withSender = (code: string): string => `${code}
const form = document.body.appendChild(document.createElement('form'));
form.innerHTML = '<input name="email"><button>Send</button><output></output>';
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  form.querySelector('output').value = await send(new FormData(form));
});`;
const formspreeCore = withSender(pageIn('formspree', '@formspree/core'));
/** Version 2 returns results in another shape. */
const formspreeCore2 = withSender(`import { createClient } from 'formspree-core-2';
const formspree = createClient();
const send = async (data) => {
  const options = { endpoint: '${addressInGuides}' };
  const { body, response } = await formspree.submitForm('${services.formspree.alias}', data, options);
  return response.ok ? body.next : body.errors[0].code + ': ' + body.errors[0].message;
};`);
/** How a page of a Formspree project differs. */
const formspreeProject = formspreeCore
  .replace('createClient()', "createClient({ project: '123456' })")
  .replaceAll(services.formspree.alias, 'contactForm');

interface Case {
  readonly service: Service;
  /** A page, or a script to be bundled. */
  readonly page?: string;
  readonly script?: string;
  readonly alias?: string;
  /** What the page shows, and what is stored. */
  readonly shows: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly control?: Readonly<Record<string, string>>;
  readonly hasFile?: boolean;
  /** What it shows when the form does not exist, and when it is not active. */
  readonly unknown?: string;
  readonly inactive?: string;
}

const html = { unknown: 'Form not found' };
const scripted = { unknown: 'Form not found', inactive: 'Form is not active' };
const email = 'ada@example.com';
const message = 'Hello';
const control = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'New lead']));
const ourThanks = 'Our own thanks';
const thanks = 'Your message has been received.';

const cases: Readonly<Record<string, Case>> = {
  'Formspree, HTML': {
    service: 'formspree',
    page: pageIn('formspree', 'HTML'),
    shows: ourThanks,
    data: { email, message },
    control: { _subject: 'New lead', _next: 'WEBSITE/thanks' },
    ...html,
  },
  '@formspree/react': {
    service: 'formspree',
    script: inComponent(pageIn('formspree', '@formspree/react')),
    shows: 'Thanks for joining!',
    data: { email },
    ...scripted,
  },
  '@formspree/ajax': {
    service: 'formspree',
    page: pageIn('formspree', '@formspree/ajax'),
    shows: 'Thank you!',
    data: { email },
    ...scripted,
  },
  '@formspree/core 4': {
    service: 'formspree',
    script: formspreeCore,
    shows: '/success',
    data: { email },
    ...scripted,
  },
  '@formspree/core 2': {
    service: 'formspree',
    script: formspreeCore2,
    shows: '/success',
    data: { email },
    unknown: 'FORM_NOT_FOUND: Form not found',
    inactive: 'INACTIVE: Form is not active',
  },
  '@formspree/core 4 with a project': {
    service: 'formspree',
    script: formspreeProject,
    alias: '123456/contactForm',
    shows: '/success',
    data: { email },
    ...scripted,
  },
  'Web3Forms, HTML': {
    service: 'web3forms',
    page: pageIn('web3forms', 'HTML'),
    shows: ourThanks,
    data: { email, message },
    control: { access_key: 'ALIAS', subject: 'New lead', redirect: 'WEBSITE/thanks' },
    ...html,
  },
  'Web3Forms, JavaScript': {
    service: 'web3forms',
    page: pageIn('web3forms', 'JavaScript'),
    shows: 'Email sent successfully!',
    data: { email, message },
    control: { access_key: 'ALIAS' },
    ...scripted,
  },
  '@web3forms/react': {
    service: 'web3forms',
    script: inComponent(web3formsReact),
    shows: `Success: Email sent successfully! {"email":"${email}"}`,
    data: { email },
    control: { access_key: 'ALIAS', from_name: 'Acme Inc', subject: 'New Contact Message' },
    ...scripted,
  },
  'StaticForms, HTML': {
    service: 'staticforms',
    page: pageIn('staticforms', 'HTML'),
    shows: ourThanks,
    data: { email, message },
    control: { apiKey: 'ALIAS', replyTo: 'sales@example.com', redirectTo: 'WEBSITE/thanks' },
    ...html,
  },
  'StaticForms, JavaScript': {
    service: 'staticforms',
    page: pageIn('staticforms', 'JavaScript'),
    shows: 'Form submitted successfully',
    data: { email, message },
    control: { apiKey: 'ALIAS' },
    ...scripted,
  },
  'Formspark, HTML': {
    service: 'formspark',
    page: pageIn('formspark', 'HTML'),
    shows: ourThanks,
    data: { email, message },
    control: { _redirect: 'WEBSITE/thanks', _append: 'false', ...control('_email.subject') },
    ...html,
    unknown: 'Not found',
  },
  'Formspark, JavaScript': {
    service: 'formspark',
    page: pageIn('formspark', 'JavaScript'),
    shows: 'Thank you',
    data: { message },
    control: control('_email.subject'),
    // Shows nothing for an unknown form, because it does not catch the network error.
    inactive: 'Not sent: 403',
  },
  '@formspark/use-formspark': {
    service: 'formspark',
    script: inComponent(formsparkReact),
    shows: 'Success: true',
    data: { email },
    control: control('_email.subject'),
    unknown: 'Failed to fetch',
    inactive: 'Formspark responded with 403: Form is not active',
  },
  'Basin, HTML': {
    service: 'basin',
    page: pageIn('basin', 'HTML'),
    shows: thanks,
    data: { email, message },
    hasFile: true,
    ...html,
  },
  'Basin, JavaScript': {
    service: 'basin',
    page: pageIn('basin', 'JavaScript'),
    shows: 'Success: true',
    data: { email },
    ...scripted,
  },
  'formcarry, HTML': {
    service: 'formcarry',
    page: pageIn('formcarry', 'HTML'),
    shows: thanks,
    data: { name: 'Ada', email },
    hasFile: true,
    ...html,
  },
  'formcarry, JavaScript': {
    service: 'formcarry',
    page: pageIn('formcarry', 'JavaScript'),
    shows: 'We received your submission, thank you!',
    data: { email },
    ...scripted,
  },
  '@formcarry/react': {
    service: 'formcarry',
    script: inComponent(formcarryReact),
    shows: 'Thank you! We received your submission.',
    data: { email, page: 'contact' },
    unknown: 'Error: Form not found',
    inactive: 'Error: Form is not active',
  },
  'Netlify, HTML': {
    service: 'netlify',
    page: pageIn('netlify', 'HTML'),
    shows: thanks,
    data: { email, message },
    control: { 'form-name': 'ALIAS', subject: 'New lead' },
    ...html,
  },
  'Netlify, JavaScript': {
    service: 'netlify',
    page: pageIn('netlify', 'JavaScript'),
    shows: 'Thank you for your submission',
    data: { email },
    control: { 'form-name': 'ALIAS' },
    unknown: 'Not sent: 404',
    inactive: 'Not sent: 403',
  },
  'Getform, HTML': {
    service: 'forminit',
    page: pageIn('forminit', 'HTML'),
    shows: thanks,
    data: { name: 'Ada', email, message },
    ...html,
  },
  'Forminit, JavaScript': {
    service: 'forminit',
    page: pageIn('forminit', 'JavaScript'),
    shows: 'Success! ',
    data: { fullName: 'Ada', email, message },
    control: { forminitFormId: 'ALIAS' },
    unknown: 'Error: Form not found',
    inactive: 'Error: Form is not active',
  },
  'forminit with blocks': {
    service: 'forminit',
    script: forminitBlocks,
    shows: '/success',
    data: { email, firstName: 'Ada', message },
    unknown: 'Error: Form not found',
    inactive: 'Error: Form is not active',
  },
  'FormSubmit, HTML': {
    service: 'formsubmit',
    page: pageIn('formsubmit', 'HTML'),
    shows: ourThanks,
    data: { email, message },
    control: { ...control('_subject'), _next: 'WEBSITE/thanks', _captcha: 'false' },
    ...html,
    unknown: 'Not found',
  },
  'FormSubmit, JavaScript': {
    service: 'formsubmit',
    page: pageIn('formsubmit', 'JavaScript'),
    shows: 'The form was submitted successfully.',
    data: { email },
    control: { _template: 'table' },
    ...scripted,
  },
};

/** The plugin from the guides, for one of the addresses that packages have in their code. */
async function toInlet(address: string): Promise<Plugin> {
  const guide = await readFile(join(root, 'docs/migrate/index.md'), 'utf8');
  const [, code = ''] = /^```js plugin\n([\s\S]+?)\n```$/m.exec(guide) ?? [];
  const module = code.replace(services.web3forms.address, address);
  const { default: made } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
  return made.plugins[0];
}

const fixedAddresses = [
  ...[services.web3forms, services.formspark, services.formcarry].map(({ address }) => address),
  'https://forminit.com',
];

/** Bundles code the way a website would. */
async function bundle(code: string, plugins: readonly Plugin[]): Promise<string> {
  const entry = join(root, 'example.jsx');
  const example: Plugin = {
    name: 'example',
    resolveId: (id: string) => (id === entry ? entry : null),
    load: (id: string) => (id === entry ? code : null),
  };
  const bundled = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [example, ...plugins],
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'warn',
  });
  const { output } = await bundled.generate({ format: 'esm' });
  return output[0].code;
}

const published = (file: string): Promise<string> => readFile(join(root, 'node_modules', file), 'utf8');

let browser: Browser;
let server: RunningServer;
let website: Website;
const forms = new Map<Service, string>();
let inactive = '';

/** The website runs on loopback, which live mode rejects. */
const local = { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'], allowed_origins: ['127.0.0.1'] };
const aliasOf = ({ service, alias }: Pick<Case, 'service' | 'alias'>): string =>
  alias ?? services[service].alias;
/** The form's name in the page. A form of a project has the project elsewhere in the page. */
const nameIn = (alias: string): string => alias.split('/').at(-1) ?? '';
/** Prefixes of aliases that lead to no form and to an inactive one. */
const ends = { stored: '', unknown: 'no-', inactive: 'off-' };
type End = keyof typeof ends;
const pathOf = (name: string, end: End): string => `/${names.indexOf(name)}/${end}`;
const names = Object.keys(cases);

const addAlias = async (formId: string, alias: string): Promise<void> => {
  const { status, text } = await client(server.url).post(`/api/v1/forms/${formId}/aliases`, { alias });
  if (status !== 201) throw new Error(text);
};

async function makeForms(): Promise<void> {
  ({ formId: inactive } = await makeForm(server.url, { form: { ...local, is_active: false } }));
  for (const name of serviceNames) {
    const { formId } = await makeForm(server.url, { form: { ...local, name } });
    forms.set(name, formId);
  }
  const made = new Set<string>();
  for (const example of Object.values(cases)) {
    const alias = aliasOf(example);
    if (made.has(alias)) continue;
    made.add(alias);
    const name = nameIn(alias);
    await addAlias(forms.get(example.service) ?? '', alias);
    await addAlias(inactive, alias.replace(name, `${ends.inactive}${name}`));
  }
}

async function makePages(): Promise<Website> {
  const plugins = await Promise.all(fixedAddresses.map(toInlet));
  const pages: Record<string, string> = { '/thanks': `<h1>${ourThanks}</h1>` };
  const scripts: Record<string, string> = {
    '/@formspree/ajax@1': await published('@formspree/ajax/dist/global.js'),
    '/forminit.umd.js': await published('forminit/dist/forminit.umd.js'),
  };
  for (const [name, { page, script, ...example }] of Object.entries(cases)) {
    const code = page ?? (await bundle(script ?? '', plugins));
    const form = nameIn(aliasOf(example));
    for (const end of Object.keys(ends) as End[]) {
      const path = pathOf(name, end);
      const text = code
        .replaceAll('https://unpkg.com', '')
        .replaceAll(addressInGuides, server.url)
        .replaceAll(form, `${ends[end]}${form}`);
      pages[path] = script === undefined ? text : `<script type="module" src="${path}.js"></script>`;
      if (script !== undefined) scripts[`${path}.js`] = text;
    }
  }
  return startWebsite(pages, scripts);
}

beforeAll(async () => {
  [browser, server] = await Promise.all([sharedBrowser(), startServer()]);
  await makeForms();
  website = await makePages();
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), website?.close(), server?.dispose()]);
});

/** Submits like a visitor. Fills in the website's address first, which is known only now. */
async function send(page: Page, path: string, typed = email): Promise<void> {
  await page.addInitScript('window.alert = (text) => document.body.append(text)');
  await page.goto(`${website.origin}${path}`);
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await page.evaluate(
    `for (const hidden of document.querySelectorAll('[value^="${websiteInGuides}"]'))
      hidden.value = hidden.value.replace('${websiteInGuides}', location.origin)`,
  );
  const values = { '[name=name], [name$=fullName]': 'Ada', '[name$=email]': typed, textarea: message };
  for (const [selector, value] of Object.entries(values))
    for (const field of await page.locator(selector).all()) await field.fill(value);
  const file = page.locator('input[type=file]');
  if ((await file.count()) > 0)
    await file.setInputFiles({ name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('seven b') });
  await page.getByRole('button', { name: 'Send' }).click();
}

async function expectShown(page: Page, text: string): Promise<void> {
  await expect.poll(() => page.evaluate<string>('document.body.innerText')).toContain(text);
}

describe('a page of another service', () => {
  it.each(names)('%s: the form is stored once, and failures are shown', async (name) => {
    const example = cases[name] as Case;
    const formId = forms.get(example.service) ?? '';
    const before = (await keptSubmissions(server, formId)).length;
    const { page, errors } = await openPage(browser);
    await send(page, pathOf(name, 'stored'));
    await expectShown(page, example.shows);
    expect(errors).toEqual([]);
    const submissions = await keptSubmissions(server, formId);
    expect(submissions).toHaveLength(before + 1);
    const { body } = await getSubmission(server, submissions[0]?.id ?? '');
    const asked = JSON.stringify(example.control ?? null)
      .replaceAll('WEBSITE', website.origin)
      .replaceAll('ALIAS', aliasOf(example));
    expect(body.data).toEqual(example.data);
    expect(body.metadata.control_fields ?? null).toEqual(JSON.parse(asked));
    expect(body.files).toMatchObject(example.hasFile ? [{ filename: 'cv.txt', size: 7 }] : []);

    for (const end of ['unknown', 'inactive'] as const) {
      const words = example[end];
      if (words === undefined) continue;
      await send(page, pathOf(name, end));
      await expectShown(page, words);
    }
    expect(await keptSubmissions(server, formId)).toHaveLength(before + 1);
    await page.close();
  });

  it.each([
    ['@formspree/react', 'Email should be an email'],
    ['@formspree/ajax', 'should be an email'],
  ])('%s shows an error at its field', async (name, text) => {
    const formId = forms.get('formspree') ?? '';
    const before = await keptSubmissions(server, formId);
    const { page } = await openPage(browser);
    // The browser's own validation accepts this address.
    await send(page, pathOf(name, 'stored'), 'ada@localhost');
    await expectShown(page, text);
    if (name === '@formspree/ajax') {
      expect(await page.locator('[data-fs-error=email]').innerText()).toBe(text);
      expect(await page.locator('[name=email]').getAttribute('aria-invalid')).toBe('true');
    }
    expect(await keptSubmissions(server, formId)).toEqual(before);
    await page.close();
  });

  it('nothing is stored in a form that is not active', async () => {
    expect(await keptSubmissions(server, inactive)).toEqual([]);
  });
});

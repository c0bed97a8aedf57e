/**
 * Every mail as Chromium renders it, on a desktop and on a phone, light and dark: nothing is cut off at the side, and all text has enough
 * contrast. MAIL_PICTURES names a folder for a picture and the plain text of each.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../support/chromium.js';
import { inlet } from '../support/cli.js';
import { type Answer, type Client, client, type MadeForm, makeForm, submitJson } from '../support/client.js';
import { madePerson, nextAddress, send, signedIn } from '../support/dashboard.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { apiKey, type RunningServer, startServer } from '../support/server.js';
import { mailing, mailsAbout } from '../support/sign-in.js';
import { onePixelPng, submitFiles } from '../support/upload.js';
import { startTurning, submit } from '../support/webhooks.js';

const folder = process.env.MAIL_PICTURES ?? null;

let browser: Browser;
let mails: MailServer;
let server: RunningServer;
let api: Client;
let form: MadeForm;
/** Submission ids, by what the submissions show. */
const ids = new Map<string, string>();
beforeAll(async () => {
  mails = await startMailServer();
  const env = { ...mailing(mails), WEBHOOK_RETRY_DELAYS: '0.02,0.02,0.02,0.02' };
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env })]);
  api = client(server.url);
  form = await makeForm(server.url, {
    project: { name: 'Maison Verte' },
    form: {
      ...{ name: 'Project enquiry', allowed_origins: ['maison.example'] },
      fields: [
        {
          name: 'question_1',
          type: 'text',
          label: question,
        },
        { name: 'plans', type: 'file', multiple: true, label: 'Plans and photos' },
      ],
    },
  });
  for (const [name, data] of Object.entries(submissions)) {
    const stored = await submitJson(form.endpoint, data, { origin: 'https://maison.example' });
    ids.set(name, idIn(stored));
  }
  const files = ['plan of the ground floor.pdf', `${'a-very-long-name-'.repeat(12)}.png`];
  const uploads = files.map((filename) => ({
    ...{ field: 'plans', filename, type: 'image/png', content: onePixelPng },
  }));
  ids.set('files', idIn(await submitFiles(form.endpoint, uploads, { name: 'Ada Lovelace' }, fromMaison)));
  if (folder !== null) mkdirSync(folder, { recursive: true });
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), server.dispose()]);
  await mails.close();
});

const question = 'How did you hear about us, and who recommended us to you?';
const fromMaison = { origin: 'https://maison.example' };

function idIn({ status, body, text }: Answer): string {
  expect(status, text).toBe(200);
  return body.submission_id;
}

const many = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => [`question_${n + 1}`, `Answer ${n + 1}`]),
);
const submissions: Readonly<Record<string, object>> = {
  usual: {
    ...{ name: 'Ada Lovelace', email: 'ada@example.org' },
    message: 'Hello,\n\nwe would like a quote.\n\nAda',
  },
  'right to left': {
    ...{ name: 'محمد علي', email: 'mohammed@example.org' },
    message: 'مرحبا، أود الحصول على عرض أسعار.',
  },
  long: {
    ...{
      name: 'Grace Hopper',
      email: 'grace@example.org',
      homepage: `https://example.org/${'x'.repeat(300)}`,
    },
    ...{ message: `${'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(8)} arrives`, ...many },
    essay: 'It was a dark and stormy night. '.repeat(500),
  },
  hostile: {
    name: '<b>Ada</b>\r\nBcc: eve@evil.example',
    email: 'eve@evil.example, "a@b" <c@evil.example>',
    'x"><script>alert(1)</script>': '</td></tr></table><h1>Pay now</h1><img src=x onerror=alert(1)>',
    direction: '\u202etxt.exe \u2066inside\u2069',
    link: 'javascript:alert(1) https://evil.example/login',
    zalgo: `Z${'\u0300\u0301\u0302\u0316'.repeat(40)}`,
    controls: 'a\u0000b\u001b[31mred\u0007',
    nested: { list: [1, { deep: ['<i>', null, true] }], empty: {} },
    blank: '',
  },
};

interface ShownMail {
  readonly html: string;
  readonly text: string;
}

const draft = (kind: string, config: object, about?: string) => async (): Promise<ShownMail> => {
  const submission = about === undefined ? {} : { submission_id: ids.get(about) };
  const body = { kind, config, ...submission };
  const shown = await api.post(`/api/v1/forms/${form.formId}/mail-preview`, body);
  expect(shown.status, shown.text).toBe(200);
  return shown.body;
};

/** The last mail as the mail server received it. */
async function received(to: string, subject: string): Promise<ShownMail> {
  const { html = '', text = '' } = (await mailsAbout(mails, to, subject)).at(-1) ?? {};
  return { html, text };
}

async function changedAddress(): Promise<{ readonly old: string; readonly now: string }> {
  const somebody = await madePerson(server, apiKey);
  const me = await signedIn(server, somebody);
  const now = `new-${somebody.email}`;
  const asked = await me.ask('PUT', '/session/email', { email: now, current_password: somebody.password });
  expect(asked.status, asked.text).toBe(202);
  return { old: somebody.email, now };
}

/** Makes a destination fail until the owner is alerted. It then works again, or responds that it is gone. */
async function alerted(subject: string): Promise<ShownMail> {
  const { email } = await madePerson(server, apiKey);
  const receiver = await startTurning({ status: 500 });
  const { formId, endpoint } = await makeForm(server.url, { form: { name: 'Project enquiry' } });
  const config = { url: receiver.url };
  const body = { kind: 'webhook', name: 'Customer database', config };
  expect((await api.post(`/api/v1/forms/${formId}/destinations`, body)).status).toBe(201);
  for (let n = 0; n < 2; n += 1) await submit(endpoint);
  await received(email, 'Failing: Customer database');
  receiver.turnTo({ status: subject === 'Disabled' ? 410 : 200 });
  if (subject !== 'Failing') await submit(endpoint);
  const told = await received(email, `${subject}: Customer database`);
  await receiver.close();
  return told;
}

const to = ['studio@example.com'];
const reply = {
  ...{ field: 'email', subject: 'Thank you, {{fields.name}}' },
  text: 'Dear {{fields.name}},\n\nthank you for your message. We reply within two days.\n\nMaison Verte',
};
const digest = { to, digest: { every: 'day', hour: 8, time_zone: 'Europe/Paris' } };
const mailsByName: Readonly<Record<string, () => Promise<ShownMail>>> = {
  notification: draft('notification', { to }, 'usual'),
  'notification right to left': draft('notification', { to, language: 'de' }, 'right to left'),
  'notification of long values': draft('notification', { to }, 'long'),
  'notification of hostile values': draft('notification', { to }, 'hostile'),
  'notification with links to files': draft('notification', { to }, 'files'),
  'notification with attached files': draft('notification', { to, files: 'attached' }, 'files'),
  'own text': draft('notification', { to, text: 'New: {{fields.name}}\n\n{{fields.message}}' }, 'long'),
  'own HTML': draft('notification', { to, html: '<h1>New message from {{fields.name}}, today</h1>' }, 'long'),
  reply: draft('reply', reply, 'usual'),
  'reply of own HTML': draft(
    'reply',
    { ...reply, html: '<h1>Thank you, {{fields.name}}</h1><p>We reply within two days.</p>' },
    'usual',
  ),
  confirmation: draft('confirmation', { field: 'email' }, 'usual'),
  digest: draft('digest', digest),
  async invitation() {
    const email = 'invited@example.com';
    const asked = await api.post('/api/v1/users/invitations', { email, role: 'editor' });
    expect(asked.status, asked.text).toBe(201);
    return received(email, 'You are invited to Default');
  },
  async reset() {
    const { email } = await madePerson(server, apiKey);
    await send(server.url, 'POST', '/session/reset', { 'x-forwarded-for': nextAddress() }, { email });
    return received(email, 'Set a new password');
  },
  'new address': async () => received((await changedAddress()).now, 'Confirm your new e-mail address'),
  'old address': async () => received((await changedAddress()).old, 'Your e-mail address is about to change'),
  'failing destination': () => alerted('Failing'),
  'recovered destination': () => alerted('Works again'),
  'disabled destination': () => alerted('Disabled'),
  async test() {
    const { dataDir } = server;
    await inlet(['doctor', '--mail', 'you@example.com'], { dataDir, env: mailing(mails) });
    return received('you@example.com', 'Test mail from Inlet');
  },
};

/** Texts whose contrast with their background is below 4.5 after all opacities, or below 3 if bold or large. */
const paleTexts = `(() => {
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const mix = (top, a, below) => top.map((part, index) => part * a + below[index] * (1 - a));
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const paper = getComputedStyle(document.documentElement).colorScheme === 'dark' || matchMedia('(prefers-color-scheme: dark)').matches
    ? [18, 18, 18] : [255, 255, 255];
  const pale = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({ opacityProperty: true }) || element.offsetHeight < 2) continue;
    const chain = [];
    for (let at = element; at; at = at.parentElement) chain.unshift(getComputedStyle(at));
    let behind = paper;
    let opacity = 1;
    for (const style of chain) {
      opacity *= Number(style.opacity);
      const { rgb, a } = parse(style.backgroundColor);
      behind = mix(rgb, a * opacity, behind);
    }
    const own = chain.at(-1);
    const { rgb, a } = parse(own.color);
    const [one, other] = [light(mix(rgb, a * opacity, behind)), light(behind)].sort((x, y) => y - x);
    const contrast = (one + 0.05) / (other + 0.05);
    const isLarge = parseFloat(own.fontSize) >= 24 || (parseFloat(own.fontSize) >= 18.6 && Number(own.fontWeight) >= 700);
    if (contrast < (isLarge ? 3 : 4.5)) pale.push(contrast.toFixed(2) + ' ' + node.data.trim().slice(0, 60));
  }
  return pale;
})()`;

/** Texts whose lines are closer together than their letters are high, so that two lines run into each other. */
const crowdedTexts = `[...document.body.querySelectorAll('*')]
  .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .filter((element) => element.offsetHeight > 1)
  .filter((element) => {
    const { fontSize, lineHeight } = getComputedStyle(element);
    return parseFloat(lineHeight) < 1.1 * parseFloat(fontSize);
  })
  .map((element) => element.textContent.trim().slice(0, 60))`;

const desktop = { width: 800, height: 900 };
const phone = { width: 390, height: 844 };
const screens = {
  desktop: { viewport: desktop, colorScheme: 'light' },
  'desktop dark': { viewport: desktop, colorScheme: 'dark' },
  phone: { viewport: phone, colorScheme: 'light' },
  'phone dark': { viewport: phone, colorScheme: 'dark' },
} as const;

const fileFor = (into: string, name: string): string => join(into, name.replaceAll(' ', '-'));

describe.each(Object.entries(mailsByName))('the mail: %s', (name, make) => {
  let mail: ShownMail;
  beforeAll(async () => {
    mail = await make();
    if (folder !== null) writeFileSync(fileFor(folder, `${name}.txt`), mail.text);
  });

  it.each(Object.entries(screens))('reads well: %s', async (screen, options) => {
    const context = await browser.newContext(options);
    try {
      const page = await context.newPage();
      await page.setContent(mail.html);
      if (folder !== null)
        await page.screenshot({ path: fileFor(folder, `${name}-${screen}.png`), fullPage: true });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width);
      expect(await page.evaluate(paleTexts)).toEqual([]);
      expect(await page.evaluate(crowdedTexts)).toEqual([]);
    } finally {
      await context.close();
    }
  });
});

it('gives the name of a field the whole line on a phone, and a column beside its value elsewhere', async () => {
  const { html } = await draft('notification', { to }, 'long')();
  const context = await browser.newContext({ viewport: phone });
  try {
    const page = await context.newPage();
    await page.setContent(html);
    const name = page.getByText(question, { exact: true });
    expect((await name.boundingBox())?.width).toBe(350);
    await page.setViewportSize(desktop);
    expect((await name.boundingBox())?.width).toBe(160);
  } finally {
    await context.close();
  }
});

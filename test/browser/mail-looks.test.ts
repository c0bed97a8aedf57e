/**
 * Every mail as Chromium draws it, on a desktop and on a phone, light and dark: nothing is cut off at the side, and all text
 * stands out from its background. MAIL_PICTURES names a folder that gets a picture of each.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeLetter } from '#inlet/adapters/destinations/email/letter.js';
import { leaveBrowser, sharedBrowser } from '../support/chromium.js';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../support/client.js';
import { madePerson, nextAddress, send } from '../support/dashboard.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { apiKey, type RunningServer, startServer } from '../support/server.js';
import { mailing, mailsAbout } from '../support/sign-in.js';

const folder = process.env.MAIL_PICTURES ?? null;

let browser: Browser;
let mails: MailServer;
let server: RunningServer;
let api: Client;
let form: MadeForm;
beforeAll(async () => {
  mails = await startMailServer();
  [browser, server] = await Promise.all([sharedBrowser(), startServer({ env: mailing(mails) })]);
  api = client(server.url);
  form = await makeForm(server.url, {
    project: { name: 'Maison Verte' },
    form: { name: 'Project enquiry', allowed_origins: ['maison.example'] },
  });
  const many = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`question_${n + 1}`, `Answer ${n + 1}`]),
  );
  for (const data of [
    { name: 'Ada Lovelace', email: 'ada@example.org', message: 'Hello,\n\nwe would like a quote.\n\nAda' },
    { name: 'محمد علي', email: 'mohammed@example.org', message: 'مرحبا، أود الحصول على عرض أسعار.' },
    {
      ...{
        name: 'Grace Hopper',
        email: 'grace@example.org',
        homepage: `https://example.org/${'x'.repeat(300)}`,
      },
      ...{ message: `${'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(8)} arrives`, ...many },
    },
  ])
    expect((await submitJson(form.endpoint, data, { origin: 'https://maison.example' })).status).toBe(200);
  if (folder !== null) mkdirSync(folder, { recursive: true });
});
afterAll(async () => {
  await Promise.all([leaveBrowser(browser), server.dispose()]);
  await mails.close();
});

const drafts: Readonly<Record<string, { readonly kind: string; readonly config: object }>> = {
  notification: { kind: 'notification', config: { to: ['studio@example.com'] } },
  'own text': {
    kind: 'notification',
    config: { to: ['studio@example.com'], text: 'New: {{fields.name}}\n\n{{fields.message}}' },
  },
  reply: {
    kind: 'reply',
    config: {
      ...{ field: 'email', subject: 'Thank you, {{fields.name}}' },
      text: 'Dear {{fields.name}},\n\nthank you for your message. We reply within two days.\n\nMaison Verte',
    },
  },
  confirmation: { kind: 'confirmation', config: { field: 'email' } },
  digest: {
    kind: 'digest',
    config: {
      to: ['studio@example.com'],
      digest: { every: 'day', hour: 8, time_zone: 'Europe/Paris' },
    },
  },
};

/** Mails by which people get in, as the mail server got them. */
const entrances: Readonly<Record<string, () => Promise<string | undefined>>> = {
  async invitation() {
    const email = 'invited@example.com';
    const asked = await api.post('/api/v1/users/invitations', { email, role: 'editor' });
    expect(asked.status, asked.text).toBe(201);
    return (await mailsAbout(mails, email, 'You are invited to Default')).at(-1)?.html;
  },
  async reset() {
    const { email } = await madePerson(server, apiKey);
    await send(server.url, 'POST', '/session/reset', { 'x-forwarded-for': nextAddress() }, { email });
    return (await mailsAbout(mails, email, 'Set a new password')).at(-1)?.html;
  },
};

async function htmlOf(name: string): Promise<string> {
  if (name === 'alert') return alert;
  const entrance = await entrances[name]?.();
  if (entrance !== undefined) return entrance;
  const shown = await api.post(`/api/v1/forms/${form.formId}/mail-preview`, drafts[name]);
  expect(shown.status, shown.text).toBe(200);
  return shown.body.html;
}

/** As domain/destinations/alerts.ts writes it. */
const { html: alert } = composeLetter({
  ...{ language: 'en', preview: 'Failing since 08:00', overline: 'Maison Verte' },
  ...{ heading: 'Deliveries to CRM are failing', lead: '' },
  paragraphs: ['The last attempts failed since 18 Nov 2026, 08:00 UTC.', 'The endpoint returned 503.'],
  button: { label: 'Open the destination', link: 'https://forms.example.com/dashboard' },
  footer: ['You get this mail because you have an account on this Inlet.'],
});

/** Texts whose contrast with what is behind them is less than 4.5, after all opacities; bold or large ones 3. */
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

const screens = {
  desktop: { viewport: { width: 1_000, height: 900 }, colorScheme: 'light' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  dark: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
} as const;

describe.each([...Object.keys(drafts), ...Object.keys(entrances), 'alert'])('the mail: %s', (name) => {
  it.each(Object.entries(screens))('reads well: %s', async (screen, options) => {
    const context = await browser.newContext(options);
    try {
      const page = await context.newPage();
      await page.setContent(await htmlOf(name));
      if (folder !== null)
        await page.screenshot({
          path: join(folder, `${name.replace(' ', '-')}-${screen}.png`),
          fullPage: true,
        });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width);
      expect(await page.evaluate(paleTexts)).toEqual([]);
    } finally {
      await context.close();
    }
  });
});

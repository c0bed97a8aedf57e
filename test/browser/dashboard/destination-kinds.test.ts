/** The guided form of each destination kind: filled in, corrected, saved without showing a secret again, and tested. */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { discordPath, startDiscord } from '../../support/fakes/discord.js';
import { type FakeGoogle, startGoogleSheets } from '../../support/fakes/google-sheets.js';
import type { Provider } from '../../support/fakes/provider.js';
import { startTeams, teamsPath } from '../../support/fakes/teams.js';
import { startTelegram, telegramToken } from '../../support/fakes/telegram.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import { type Receiver, startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { signatureOf, startHookServer, submit } from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
let discord: Provider;
let teams: Provider;
let telegram: Provider;
let google: FakeGoogle;
let mails: MailServer;
let receiver: Receiver;
beforeAll(async () => {
  [discord, teams, telegram, google, mails, receiver] = await Promise.all([
    startDiscord(),
    startTeams(),
    startTelegram(),
    startGoogleSheets(),
    startMailServer(),
    startAnswering(),
  ]);
  const env = {
    ...withAdmin,
    TELEGRAM_API_URL: telegram.origin,
    GOOGLE_API_URL: google.origin,
    SMTP_URL: mails.url,
    MAIL_FROM: 'inlet@forms.example.com',
  };
  [browser, server] = await Promise.all([sharedBrowser(), startHookServer(env)]);
  api = client(server.url);
  open = await openDashboard(browser, server, { permissions: ['clipboard-read', 'clipboard-write'] });
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
  await Promise.all([discord, teams, telegram, google, mails, receiver].map((one) => one.close()));
});

const button = (name: string): Locator => open.page.getByRole('button', { name, exact: true });
const field = (label: string): Locator =>
  open.page.getByLabel(label, { exact: true }).and(open.page.locator('input, textarea'));
/** The text at a field: its description or its error. */
const wordsAt = (label: string, words: string): Locator =>
  open.page
    .locator('.mantine-InputWrapper-root')
    .filter({ has: field(label) })
    .getByText(words, { exact: true });
const dialog = (): Locator => open.page.getByRole('dialog');

async function fill(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await field(label).fill(value);
}

async function begin(form: MadeForm, title: string): Promise<void> {
  await open.go(`/forms/${form.formId}/destinations/new`);
  await open.page.getByRole('navigation', { name: 'Kinds' }).getByRole('link', { name: title }).click();
  await open.page.getByRole('heading', { name: `Add destination: ${title}`, exact: true }).waitFor();
}

async function add(title: string): Promise<void> {
  await button('Add destination').click();
  await open.says(`${title} was added. Send a test to see that it works.`);
}

async function rename(name: string): Promise<void> {
  await field('Name').fill(name);
  await button('Save').click();
  await open.page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
}

/** Leaves the dialog open with the request and response. */
async function sendTest(outcome: 'delivered' | 'not delivered' = 'delivered'): Promise<void> {
  await button('Send a test').click();
  await dialog().getByText(`The test was ${outcome}`, { exact: true }).waitFor();
}

async function closeDialog(): Promise<void> {
  await open.page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
}

const stored = async (form: MadeForm) => {
  const answer = await api.get(`/api/v1/forms/${form.formId}/destinations`);
  expect(answer.status).toBe(200);
  return answer.body.data;
};

/** What a user enters and sees for one kind. Fields are identified by their labels. */
interface Journey {
  readonly title: string;
  readonly kind: string;
  readonly wrong: Readonly<Record<string, string>>;
  /** The error shown at each wrong field. */
  readonly faults: Readonly<Record<string, string>>;
  readonly right: () => Readonly<Record<string, string>>;
  /** The config as the API returns it. */
  readonly config: () => Readonly<Record<string, unknown>>;
  /** The field that is never shown again, its description, and a part of its value that appears nowhere. */
  readonly secret: { readonly label: string; readonly words: () => string; readonly part: string };
  readonly received: () => number;
}

const urlWords = 'an http or https URL without user name and password, of at most 2048 bytes';

const chat = (
  title: string,
  kind: string,
  provider: () => Provider,
  path: string,
  shownPath: string,
): Journey => ({
  title,
  kind,
  wrong: { 'Webhook URL': `example.com${path}` },
  faults: { 'Webhook URL': `Must be ${urlWords}` },
  right: () => ({ 'Webhook URL': provider().origin + path }),
  config: () => ({ url: provider().origin + shownPath }),
  secret: {
    label: 'Webhook URL',
    words: () => `Set (${provider().origin}${shownPath}). Leave it empty to keep it.`,
    part: path.slice(-20),
  },
  received: () => provider().requests.length,
});

const journeys: readonly Journey[] = [
  chat('Discord', 'discord', () => discord, discordPath, '/api/…'),
  chat('Microsoft Teams', 'teams', () => teams, teamsPath, '/workflows/…'),
  {
    title: 'Telegram',
    kind: 'telegram',
    wrong: { 'Bot token': 'BotFather', 'Chat ID': 'my chat' },
    faults: {
      'Bot token': 'Has characters that are not allowed',
      'Chat ID': 'Has characters that are not allowed',
    },
    right: () => ({ 'Bot token': telegramToken, 'Chat ID': '-1001234567890' }),
    config: () => ({ chat_id: '-1001234567890' }),
    secret: { label: 'Bot token', words: () => 'Set. Leave it empty to keep it.', part: telegramToken },
    received: () => telegram.requests.length,
  },
  {
    title: 'Google Sheets',
    kind: 'google_sheets',
    wrong: {
      'Service account key': '{"type": "authorized_user"}',
      Spreadsheet: 'my-sheet-of-leads',
      Sheet: 'Leads',
    },
    faults: { 'Service account key': 'Has no client_email; use the key file of a service account' },
    right: () => ({
      'Service account key': google.credentials,
      Spreadsheet: `https://docs.google.com/spreadsheets/d/${google.spreadsheetId}/edit#gid=0`,
      Sheet: "Ada's Leads!",
    }),
    config: () => ({ spreadsheet_id: google.spreadsheetId, sheet: "Ada's Leads!" }),
    secret: {
      label: 'Service account key',
      words: () => 'Set. Leave it empty to keep it.',
      part: 'PRIVATE KEY',
    },
    received: () => google.requests.length,
  },
];

describe.each(journeys)('$title', ({ title, kind, wrong, faults, right, config, secret, received }) => {
  let form: MadeForm;
  beforeAll(async () => {
    form = await makeForm(server.url);
  });

  it('says at the field what is wrong, and stores nothing', async () => {
    await begin(form, title);
    await fill(wrong);
    await button('Add destination').click();
    await open.says('Not saved. Check the marked fields.');
    for (const [label, words] of Object.entries(faults)) {
      await field(label).and(open.page.locator('[aria-invalid=true]')).waitFor();
      await wordsAt(label, words).waitFor();
    }
    expect(await stored(form)).toEqual([]);
  });

  it('is added, and shows its secret no more', async () => {
    await fill(right());
    await add(title);
    await wordsAt(secret.label, secret.words()).waitFor();
    await expect.poll(() => field(secret.label).inputValue()).toBe('');
    expect(await open.page.content()).not.toContain(secret.part);
    const [destination, ...others] = await stored(form);
    expect(destination).toMatchObject({ kind, name: title });
    expect(destination.config).toEqual(config());
    expect(others).toEqual([]);
  });

  it('keeps its secret when something else changes, and sends a test with it', async () => {
    await rename(`${title} of the team`);
    expect(await stored(form)).toMatchObject([{ name: `${title} of the team`, config: config() }]);
    const before = received();
    await sendTest();
    expect(await dialog().innerText()).not.toContain(secret.part);
    expect(received()).toBeGreaterThan(before);
  });
});

it('says why a test was not delivered, and masks the secret that came back', async () => {
  const form = await makeForm(server.url);
  await begin(form, 'Discord');
  await fill({ 'Webhook URL': discord.origin + discordPath });
  await add('Discord');
  discord.behave('echoes');
  await sendTest('not delivered');
  await dialog()
    .getByText(/^The endpoint returned 400, after /)
    .waitFor();
  expect(await dialog().innerText()).not.toContain(discordPath.slice(-20));
  discord.behave('honest');
});

describe('E-mail', () => {
  let form: MadeForm;
  beforeAll(async () => {
    form = await makeForm(server.url);
  });

  it('says at the field what is wrong, and stores nothing', async () => {
    await begin(form, 'E-mail');
    await button('Add destination').click();
    await open.says('Not saved. Check the marked fields.');
    await wordsAt('To', 'Must name at least one address, unless cc, bcc or route do').waitFor();
    await field('To').fill('ada');
    await button('Add destination').click();
    await wordsAt('To', 'ada: must be an e-mail address').waitFor();
    expect(await stored(form)).toEqual([]);
    await field('To').press('Backspace');
  });

  it('is added with the addresses of each list', async () => {
    await fill({ To: 'ada@example.com, grace@example.com', Cc: 'cc@example.com', Bcc: 'bcc@example.com' });
    await fill({
      Subject: 'From {{fields.name}}',
      Text: 'See {{submission.url}}',
      'Sender name': 'Our site',
    });
    await open.page.getByText('Attached, up to 5 MB', { exact: true }).click();
    await add('E-mail');
    const [destination] = await stored(form);
    expect(destination).toMatchObject({ kind: 'email', name: 'E-mail' });
    expect(destination.config).toMatchObject({
      to: ['ada@example.com', 'grace@example.com'],
      cc: ['cc@example.com'],
      bcc: ['bcc@example.com'],
      subject: 'From {{fields.name}}',
      text: 'See {{submission.url}}',
      from_name: 'Our site',
      files: 'attached',
    });
  });

  it('sends a test to the first of them', async () => {
    await sendTest();
    expect(mails.mails.map(({ to }) => to)).toEqual([['ada@example.com']]);
    expect(mails.mails[0]?.raw).toMatch(/^To: ada@example\.com, grace@example\.com\r?$/m);
  });
});

describe('the signing secret of a webhook', () => {
  let form: MadeForm;
  let secret: string;
  beforeAll(async () => {
    form = await makeForm(server.url);
  });
  const isSignedWith = (key: string): boolean => {
    const { headers, body } = receiver.requests.at(-1) ?? {};
    return body !== undefined && headers?.get('x-webhook-signature') === signatureOf(body, key);
  };

  it('is generated, copied, and shown no more once it is saved', async () => {
    await begin(form, 'Webhook');
    await fill({ URL: receiver.url });
    await button('Generate a secret').click();
    await open.says('Copy it now: it is not shown again');
    secret = await open.copiedBy(button('Copy'));
    await open.page.getByRole('switch', { name: /^Report erased people/ }).click();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await open.page.getByRole('region', { name: 'Signing secret' }).innerText()).toBe(secret);
    await add('Webhook');
    await open.says(
      'The project’s secret signs, unless you generated one for this destination, which is not shown again.',
    );
    expect(await open.page.content()).not.toContain(secret);
    const answer = await api.get(`/api/v1/forms/${form.formId}/destinations`);
    expect(answer.text).not.toContain(secret);
    expect(answer.body.data).toMatchObject([
      { kind: 'webhook', config: { url: receiver.url, person_erased: true } },
    ]);
  });

  it('signs a test', async () => {
    await sendTest();
    expect(isSignedWith(secret)).toBe(true);
    expect(await dialog().innerText()).not.toContain(secret);
    await closeDialog();
  });

  it('gives way to the one of the project', async () => {
    await button('Use the project’s secret').click();
    await open.says('The project’s secret signs once you save.');
    await button('Save').click();
    await open.says('Saved');
    await sendTest();
    const project = await api.get(`/api/v1/projects/${form.projectId}`);
    expect(isSignedWith(project.body.webhook_secret)).toBe(true);
  });
});

it('stops sending past submissions', async () => {
  const form = await makeForm(server.url);
  for (const name of ['Ada', 'Grace', 'Edith']) await submit(form.endpoint, { name });
  const path = `/api/v1/forms/${form.formId}/destinations`;
  const made = await api.post(path, { kind: 'webhook', config: { url: receiver.url } });
  await open.go(`/destinations/${made.body.id}`);
  await button('Destination actions').click();
  await open.page.getByRole('menuitem', { name: 'Send past submissions' }).click();
  // At one per minute, the last is due long after the test.
  await dialog().getByLabel('Submissions per minute', { exact: true }).fill('1');
  await dialog().getByRole('button', { name: 'Send 3 submissions', exact: true }).click();
  await dialog()
    .getByText(/^\d of 3 queued · about /)
    .waitFor();
  await dialog().getByRole('button', { name: 'Stop', exact: true }).click();
  await dialog()
    .getByText(/^Stopped after \d deliver(y|ies); queued deliveries are still sent$/)
    .waitFor();
  const [backfill] = (await api.get('/api/v1/deliveries/replays')).body.data;
  expect(backfill).toMatchObject({ destination_id: made.body.id, status: 'cancelled', count: 3 });
  expect(backfill.sent).toBeLessThan(3);
});

/** A submission on its way to every kind of destination at once, through a running server to strict fakes. */
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, client, makeForm } from '../../support/client.js';
import { discordPath, startDiscord } from '../../support/fakes/discord.js';
import { type FakeGoogle, startGoogleSheets } from '../../support/fakes/google-sheets.js';
import type { Provider } from '../../support/fakes/provider.js';
import { slackPath, startSlack } from '../../support/fakes/slack.js';
import { startTeams, teamsPath } from '../../support/fakes/teams.js';
import { startTelegram, telegramToken } from '../../support/fakes/telegram.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import type { RunningServer } from '../../support/server.js';
import { becomes, type SeenDelivery, startHookServer, submit } from '../../support/webhooks.js';

let providers: Record<'slack' | 'discord' | 'teams' | 'telegram', Provider>;
let google: FakeGoogle;
let mails: MailServer;
let server: RunningServer;
let api: Client;
beforeAll(async () => {
  const [slack, discord, teams, telegram] = await Promise.all([
    startSlack(),
    startDiscord(),
    startTeams(),
    startTelegram(),
  ]);
  providers = { slack, discord, teams, telegram };
  google = await startGoogleSheets();
  mails = await startMailServer();
  server = await startHookServer({
    TELEGRAM_API_URL: telegram.origin,
    GOOGLE_API_URL: google.origin,
    SMTP_URL: mails.url,
    MAIL_FROM: 'inlet@forms.example.com',
  });
  api = client(server.url);
});
afterAll(async () => {
  await server.dispose();
  await Promise.all([...Object.values(providers), google, mails].map((one) => one.close()));
});

const chats = () => ({
  slack: { url: providers.slack.origin + slackPath },
  discord: { url: providers.discord.origin + discordPath },
  teams: { url: providers.teams.origin + teamsPath },
  telegram: { token: telegramToken, chat_id: '-1001234567890' },
});
const sheet = () => ({
  credentials: google.credentials,
  spreadsheet_id: google.spreadsheetId,
  sheet: "Ada's Leads!",
});

async function addDestinations(
  formId: string,
  configs: Readonly<Record<string, object>>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [kind, config] of Object.entries(configs)) {
    const made = await api.post(`/api/v1/forms/${formId}/destinations`, { kind, config });
    expect(made.status, made.text).toBe(201);
    ids.push(made.body.id);
  }
  return ids;
}

const deliveriesOf = (submissionId: string, count: number): Promise<readonly SeenDelivery[]> =>
  becomes(
    async () => (await api.get(`/api/v1/submissions/${submissionId}/deliveries`)).body.data,
    (all: readonly SeenDelivery[]) => all.length === count && all.every(({ state }) => state !== 'pending'),
  );

it('arrives everywhere, and a test does too', async () => {
  const form = await makeForm(server.url);
  const ids = await addDestinations(form.formId, {
    ...chats(),
    google_sheets: sheet(),
    email: { to: ['to@example.com'], cc: ['cc@example.com'], bcc: ['bcc@example.com'] },
  });
  const submissionId = await submit(form.endpoint, { name: 'Ada <!channel>', formula: '=1+1' });
  const deliveries = await deliveriesOf(submissionId, 8);
  expect(deliveries.map(({ kind, state, attempts }) => [kind, state, attempts.length])).toEqual([
    ['slack', 'delivered', 1],
    ['discord', 'delivered', 1],
    ['teams', 'delivered', 1],
    ['telegram', 'delivered', 1],
    ['google_sheets', 'delivered', 1],
    ['email', 'delivered', 1],
    ['email', 'delivered', 1],
    ['email', 'delivered', 1],
  ]);
  for (const provider of Object.values(providers)) expect(provider.requests).toHaveLength(1);
  const [header = [], row = []] = google.cells();
  expect(header.slice(0, 4)).toEqual(['Submission', 'Submitted at', 'name', 'formula']);
  expect([row[0], row[2], row[3]]).toEqual([submissionId, 'Ada <!channel>', '=1+1']);
  expect(mails.mails.map(({ to }) => to[0]).sort()).toEqual([
    'bcc@example.com',
    'cc@example.com',
    'to@example.com',
  ]);
  for (const { to, raw } of mails.mails) {
    expect(raw).toMatch(/^To: to@example\.com\r?$/m);
    expect(raw).toMatch(/^Cc: cc@example\.com\r?$/m);
    // A bcc recipient is named in no other mail.
    if (to[0] !== 'bcc@example.com') expect(raw).not.toContain('bcc@example.com');
  }
  for (const id of ids) {
    const tested = await api.post(`/api/v1/destinations/${id}/test`);
    expect(tested.body, tested.text).toMatchObject({ delivered: true, error: null });
  }
  const secrets = [telegramToken, 'PRIVATE KEY', slackPath.slice(-24), discordPath.slice(-24)];
  const shown = [server.output(), (await api.get(`/api/v1/forms/${form.formId}/destinations`)).text];
  for (const secret of secrets) expect(shown.join('\n')).not.toContain(secret);
});

it('calls fields by the labels of their rules in mails and chats, and by their names in sheets', async () => {
  const form = await makeForm(server.url, {
    form: {
      fields: [
        { name: 'question_1', type: 'text', label: 'Your *real* <b>name</b> @everyone' },
        { name: 'question_2', type: 'text' },
      ],
    },
  });
  await addDestinations(form.formId, {
    ...chats(),
    google_sheets: sheet(),
    email: { to: ['owner@example.com'] },
  });
  const submissionId = await submit(form.endpoint, { question_1: 'Ada', question_2: 'Lovelace' });
  const deliveries = await deliveriesOf(submissionId, 6);
  expect(deliveries.map(({ state }) => state)).toEqual(Array(6).fill('delivered'));

  const sent = ({ requests }: Provider) => JSON.parse(String(requests.at(-1)?.body));
  const label = 'Your *real* <b>name</b> @everyone';
  expect(sent(providers.slack).blocks[2].elements[0].elements[0]).toEqual({
    type: 'text',
    text: `${label}\n`,
    style: { bold: true, unlink: true },
  });
  expect(sent(providers.discord).embeds[0].fields.slice(0, 2)).toEqual([
    { name: String.raw`Your \*real\* \<b\>name\</b\> \@everyone`, value: 'Ada' },
    { name: String.raw`question\_2`, value: 'Lovelace' },
  ]);
  expect(sent(providers.teams).attachments[0].content.body[2].inlines[0].text).toBe(label);
  expect(sent(providers.telegram).text).toContain(
    '<b>Your *real* &lt;b&gt;name&lt;/\u2060b&gt; @\u2060everyone</b>\n<code>Ada</code>\n\n<b>question_2</b>',
  );
  const mail = await PostalMime.parse(mails.mails.find(({ to }) => to[0] === 'owner@example.com')?.raw ?? '');
  expect(mail.text).toContain(`\n${label}: Ada\n`);
  expect(mail.html).toContain('>Your *real* &lt;b&gt;name&lt;/b&gt; @everyone<');
  for (const shown of [...Object.values(providers).map((chat) => JSON.stringify(sent(chat))), mail.text])
    expect(shown).not.toContain('question_1');
  expect(google.cells()[0]).toEqual(expect.arrayContaining(['question_1', 'question_2']));
});

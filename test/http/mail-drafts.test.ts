/** Mails that are not saved yet: shown as they would be sent, and sent only to the user who asks. */
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../support/accounts.js';
import { upload } from '../support/cli.js';
import { client, makeForm, request, submitJson } from '../support/client.js';
import { expectFaults, expectProblem } from '../support/contract.js';
import { behindProxy, madePerson, type Person, signedIn } from '../support/dashboard.js';
import { answer, type MailServer, startMailServer } from '../support/mail-server.js';
import { memberOf } from '../support/permission-callers.js';
import { apiKey, type RunningServer, startServer } from '../support/server.js';
import { becomes } from '../support/webhooks.js';

let server: RunningServer;
let mails: MailServer;
/** The mail server's reply to a recipient. */
const refusals = new Map<string, Error>();

beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo: ({ address }, _session, callback) => callback(refusals.get(address)),
  });
  server = await startServer({
    env: {
      ...{ SMTP_URL: mails.url, MAIL_FROM: 'Inlet <inlet@forms.example.com>' },
      ...{ API_RATE_LIMIT_PER_MINUTE: '1000000', ...behindProxy },
    },
  });
});
afterAll(async () => {
  await server.dispose();
  await mails.close();
});

const api = () => client(server.url);
const reply = { field: 'email', subject: 'Thanks, {{fields.name}}', text: 'Hello {{fields.name}}' };
const confirmation = { field: 'email' };
const preview = (formId: string, kind: string, config: object, submission_id?: string) =>
  api().post(`/api/v1/forms/${formId}/mail-preview`, {
    ...{ kind, config },
    ...(submission_id !== undefined && { submission_id }),
  });

async function formWith(...submissions: readonly object[]) {
  const form = await makeForm(server.url, { project: { name: 'Maison Verte' }, form: { name: 'Contact' } });
  const ids: string[] = [];
  for (const data of submissions) ids.push((await submitJson(form.endpoint, data)).body.submission_id);
  return { ...form, ids };
}

/** A user of the account who has not sent a test yet. */
async function someone(): Promise<Person & { readonly email: string }> {
  const made = await madePerson(server, apiKey);
  return { ...(await signedIn(server, made)), email: made.email };
}

describe('a preview', () => {
  it('links to files only for those who are signed in', async () => {
    const { formId, endpoint } = await formWith();
    await upload(endpoint, 'a note');
    const { body } = await preview(formId, 'notification', { to: ['team@example.com'] });
    const [path = ''] = /\/files\/\S+\/download\S*/.exec(body.text) ?? [];
    expect(path).toMatch(/\/download$/);
    expect((await request(`${server.url}/api/v1${path}`)).status).toBe(401);
    expect((await (await someone()).ask('GET', path)).status).toBe(302);
  });

  it('of a notification is about the newest submission, or the one that is named', async () => {
    const { formId, ids } = await formWith(
      { name: 'Ada', email: 'ada@visitor.example' },
      { name: 'Grace', email: 'grace@visitor.example', department: 'sales' },
    );
    const config = {
      to: ['team@example.com'],
      cc: ['boss@example.com'],
      route: { field: 'department', map: { Sales: ['sales@example.com'] }, otherwise: [] },
      subject: '{{fields.name}} wrote',
      html: '<p>Hello {{fields.name}}</p>',
      from_name: 'Maison',
    };
    const newest = await preview(formId, 'notification', config);
    expect(newest.status, newest.text).toBe(200);
    expect(newest.body).toMatchObject({
      subject: 'Grace wrote',
      from: 'Maison <inlet@forms.example.com>',
      to: ['team@example.com', 'sales@example.com'],
      cc: ['boss@example.com'],
      reply_to: 'grace@visitor.example',
      submission_id: ids[1],
    });
    expect(newest.body.html).toContain('<p>Hello Grace</p>');
    expect(newest.body.text).toContain('grace@visitor.example');
    const named = await preview(formId, 'notification', config, ids[0]);
    expect(named.body).toMatchObject({
      subject: 'Ada wrote',
      to: ['team@example.com'],
      submission_id: ids[0],
    });
  });

  it('is about a sample before the first submission', async () => {
    const { formId } = await formWith();
    const { body } = await preview(formId, 'notification', {});
    expect(body).toMatchObject({ subject: 'Ada Lovelace: Contact', submission_id: null, to: [] });
    expect((await preview(formId, 'digest', {})).body.subject).toBe('1 new submission: Contact');
  });

  it('of a reply, a confirmation and a digest says what they would say', async () => {
    const { formId } = await formWith({ name: 'Ada', email: 'ada@visitor.example' }, { name: 'Grace' });
    const [ada] = (await api().get(`/api/v1/forms/${formId}/submissions`)).body.data.slice(-1);
    const replied = await preview(formId, 'reply', reply, ada.id);
    expect(replied.body).toMatchObject({ subject: 'Thanks, Ada', to: ['ada@visitor.example'] });
    expect(replied.body.text).toContain('This is an automatic reply from Maison Verte.');
    const asked = await preview(
      formId,
      'confirmation',
      { ...confirmation, subject: 'Confirm {{form.name}}', text: 'Open {{confirm_url}}' },
      ada.id,
    );
    expect(asked.body).toMatchObject({
      subject: 'Confirm Contact',
      from: 'Maison Verte <inlet@forms.example.com>',
    });
    expect(asked.body.text).toBe(`Open ${server.url}/confirm/preview`);
    expect((await fetch(`${server.url}/confirm/preview`)).status).toBe(404);
    const digest = { every: 'day', hour: 8, time_zone: 'Europe/Berlin' };
    const digested = await preview(formId, 'digest', { to: ['team@example.com'], digest, language: 'de' });
    expect(digested.body).toMatchObject({
      subject: '2 neue Einsendungen: Contact',
      to: ['team@example.com'],
    });
    expect(digested.body.text).toContain('(Europe/Berlin)');
    expect(mails.mails.filter(({ to }) => to.includes('ada@visitor.example'))).toEqual([]);
  });

  it('is what the mail becomes', async () => {
    const form = await formWith();
    const own = { ...reply, html: '<p>Dear {{fields.name}}</p>', from_name: 'Maison', language: 'fr' };
    await api().patch(`/api/v1/forms/${form.formId}`, { autoresponder: own });
    await submitJson(form.endpoint, { name: '<b>Zoë</b> & co', email: 'same@visitor.example' });
    const [sent] = await becomes(
      async () => mails.mails.filter(({ to }) => to.includes('same@visitor.example')),
      (all) => all.length === 1,
    );
    const mail = await PostalMime.parse(sent?.raw ?? '');
    const shown = (await preview(form.formId, 'reply', own)).body;
    expect(shown.subject).toBe(mail.subject);
    expect(shown.html.trimEnd()).toBe(mail.html?.replaceAll('\r\n', '\n').trimEnd());
    expect(shown.text.trimEnd()).toBe(mail.text?.replaceAll('\r\n', '\n').trimEnd());
    expect(shown.from).toBe(`${mail.from?.name} <${mail.from?.address}>`);
  });

  it.each<[string, string, object, string]>([
    ['a template that does not parse', 'reply', { ...reply, text: 'a\n{{#fields}}' }, 'config.text'],
    ['a subject that does not parse', 'notification', { subject: '{{fields.name' }, 'config.subject'],
    ['values that are not escaped', 'notification', { html: '{{{fields.name}}}' }, 'config.html'],
    ['no link', 'confirmation', { ...confirmation, text: 'Confirm' }, 'config.text'],
    ['no field', 'confirmation', {}, 'config.field'],
    ['a text without end', 'reply', { ...reply, text: 'x'.repeat(16_385) }, 'config.text'],
    ['fields of another kind', 'reply', { ...reply, digest: null }, 'config.digest'],
    ['fields that no kind has', 'reply', { ...reply, also: 1 }, 'config.also'],
    ['a header', 'notification', { from_name: 'a\r\nBcc: b@example.com' }, 'config.from_name'],
  ])('refuses %s, and says where', async (_, kind, config, path) => {
    const { formId } = await formWith();
    const refused = await preview(formId, kind, config);
    expectFaults(refused, [path]);
  });

  it('shows what visitors wrote as text', async () => {
    const { formId } = await formWith({
      name: 'Ada\r\nBcc: x@example.com',
      email: 'a@example.com, b@example.com',
      message: '<script>alert(1)</script>\u202e',
    });
    const config = { subject: '{{fields.name}}', html: '<p>{{fields.message}}</p>' };
    const { body } = await preview(formId, 'notification', config);
    expect(body.subject).toBe('Ada Bcc: x@example.com');
    expect(body.html).toContain('<p>&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(body.html).not.toContain('\u202e');
    expect(body.reply_to).toBe(null);
  });

  it('is only of submissions of the form, and not for read keys or other accounts', async () => {
    const { formId, ids } = await formWith({ name: 'Ada' });
    const other = await formWith({ name: 'Grace' });
    expectProblem(await preview(formId, 'reply', reply, other.ids[0]), 404, 'Submission not found');
    const body = { kind: 'reply', config: reply, submission_id: ids[0] };
    const outsider = (await makeAccount(server, 'enterprise', 'Outsider')).api_key;
    const asOutsider = client(server.url, outsider);
    expectProblem(await asOutsider.post(`/api/v1/forms/${formId}/mail-preview`, body), 404, 'Form not found');
    const theirs = await asOutsider.post('/api/v1/projects', { name: 'Theirs' });
    const form = await asOutsider.post(`/api/v1/projects/${theirs.body.id}/forms`, { name: 'Theirs' });
    const crossed = await asOutsider.post(`/api/v1/forms/${form.body.id}/mail-preview`, body);
    expectProblem(crossed, 404, 'Submission not found');
    const { api_key: readKey } = (await api().post('/api/v1/api-keys', { name: 'R', scope: 'read' })).body;
    const read = await client(server.url, readKey).post(`/api/v1/forms/${formId}/mail-preview`, body);
    expectProblem(read, 403, 'This API key is read-only');
  });
});

describe('a test', () => {
  it('goes to the person who asks and to nobody else', async () => {
    const { formId } = await formWith({ name: 'Ada', email: 'stranger@visitor.example' });
    const me = await someone();
    const config = { to: ['stranger@example.com'], cc: ['cc@example.com'], bcc: ['bcc@example.com'] };
    for (const body of [
      { kind: 'notification', config },
      { kind: 'digest', config },
      { kind: 'reply', config: reply },
      { kind: 'confirmation', config: confirmation },
    ]) {
      const tested = await me.ask('POST', `/forms/${formId}/mail-test`, body);
      expect(tested.status, tested.text).toBe(200);
      expect(tested.body).toMatchObject({
        ...{ delivered: true, error: null },
        request: { method: 'SMTP', url: `mailto:${me.email}` },
      });
    }
    const sent = mails.mails.filter(({ raw, to }) => to.includes(me.email) || raw.includes(me.email));
    expect(sent.map(({ to }) => to)).toEqual(Array.from({ length: 4 }, () => [me.email]));
    for (const { raw } of sent) {
      expect(raw.split('\r\n\r\n', 1)[0]).not.toMatch(/stranger@example|cc@example|^list-unsubscribe/im);
    }
    const strangers = [
      'stranger@visitor.example',
      'stranger@example.com',
      'cc@example.com',
      'bcc@example.com',
    ];
    expect(mails.mails.filter(({ to }) => to.some((address) => strangers.includes(address)))).toEqual([]);
  });

  it('says what the mail server said', async () => {
    const { formId } = await formWith();
    const me = await someone();
    refusals.set(me.email, answer(550, '5.7.1 Not today'));
    const { body } = await me.ask('POST', `/forms/${formId}/mail-test`, { kind: 'reply', config: reply });
    expect(body.delivered).toBe(false);
    expect(body.error).toMatch(/^mail_server: .*5\.7\.1 Not today/);
    // It is not a visitor's bounce, so no address is suppressed.
    const suppressed = await api().get(
      `/api/v1/suppressed-addresses?address=${encodeURIComponent(me.email)}`,
    );
    expect(suppressed.body.data).toEqual([]);
  });

  it('is for people, not for keys, and not for people of another account', async () => {
    const { formId } = await formWith();
    const body = { kind: 'reply', config: reply };
    expectProblem(await api().post(`/api/v1/forms/${formId}/mail-test`, body), 401, 'Not signed in');
    const { api_key: key } = await makeAccount(server, 'enterprise', 'Neighbour');
    const outsider = await signedIn(server, await madePerson(server, key));
    expectProblem(await outsider.ask('POST', `/forms/${formId}/mail-test`, body), 404, 'Form not found');
    const me = await someone();
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const crossed = await me.ask('POST', `/forms/${formId}/mail-test`, body, elsewhere);
    expectProblem(crossed, 403, 'Cross-site request refused');
    expect(mails.mails.filter(({ to }) => to.includes(me.email))).toEqual([]);
  });

  it('is for those who may change the form, and is in the audit log', async () => {
    const { formId } = await formWith({ name: 'Ada' });
    const body = { kind: 'reply', config: reply };
    const viewer = await memberOf(server, 'viewer-of-mails@example.com', { role: 'viewer' });
    const refused = await viewer.ask('POST', `/forms/${formId}/mail-test`, body);
    expectProblem(refused, 403, 'Your role does not allow this');
    const me = await someone();
    expect((await me.ask('POST', `/forms/${formId}/mail-test`, body)).status).toBe(200);
    const seen = await api().get(
      `/api/v1/audit?action=submission.viewed&actor=${encodeURIComponent(me.email)}`,
    );
    expect(seen.body.data).toHaveLength(1);
  });

  it('can be sent 20 times an hour by one person', async () => {
    const { formId } = await formWith();
    const me = await someone();
    const send = () => me.ask('POST', `/forms/${formId}/mail-test`, { kind: 'reply', config: reply });
    for (let sent = 0; sent < 20; sent += 1) expect((await send()).status).toBe(200);
    const refused = await send();
    const extra = { limit: 20, retry_after: expect.any(Number) };
    expectProblem(refused, 429, 'You can send at most 20 test mails an hour', extra);
    expect(refused.body.code).toBe('too_many_test_mails');
    expect(refused.body.retry_after).toBeLessThanOrEqual(3_600);
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.retry_after));
    expect(mails.mails.filter(({ to }) => to.includes(me.email))).toHaveLength(20);
  });
});

it('previews without a mail server, and says that a test needs one', async () => {
  const lone = await startServer({ env: behindProxy });
  try {
    const { formId } = await makeForm(lone.url);
    const draft = { kind: 'reply', config: reply };
    const shown = await client(lone.url).post(`/api/v1/forms/${formId}/mail-preview`, draft);
    expect(shown.body).toMatchObject({ subject: 'Thanks, Ada Lovelace', from: null });
    const me = await signedIn(lone, await madePerson(lone, apiKey));
    const tested = await me.ask('POST', `/forms/${formId}/mail-test`, draft);
    expect(tested.body).toMatchObject({
      delivered: false,
      error: expect.stringMatching(/^no_mail_server: /),
    });
  } finally {
    await lone.dispose();
  }
});

it('shows previews in a frame without an origin, for pages of this instance alone', async () => {
  const { status, headers } = await fetch(`${server.url}/dashboard/mail-frame`);
  expect(status).toBe(200);
  const policy = headers.get('content-security-policy')?.split('; ') ?? [];
  for (const rule of ["default-src 'none'", "frame-ancestors 'self'", 'sandbox allow-scripts'])
    expect(policy).toContain(rule);
  expect(policy.filter((rule) => rule.startsWith('script-src'))).toEqual([
    expect.stringMatching(/^script-src 'sha256-[\w+/]{43}='$/),
  ]);
});

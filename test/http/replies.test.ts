/** Automatic replies to visitors: who gets one, what it says, what is suppressed and why. */
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, makeForm, submitJson } from '../support/client.js';
import { expectFaults } from '../support/contract.js';
import { answer, type MailServer, startMailServer } from '../support/mail-server.js';
import { type RunningServer, startServer } from '../support/server.js';
import { becomes, deliveriesOf, type SeenDelivery, submit } from '../support/webhooks.js';

const usual = { field: 'email', subject: 'Thanks, {{fields.name}}', text: 'Hello {{fields.name}},\n\nbye.' };
const overCap = (words: string) => `suppressed: ${words} today`;

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
      API_RATE_LIMIT_PER_MINUTE: '1000000',
    },
  });
});
afterAll(async () => {
  await server.dispose();
  await mails.close();
});

const api = () => client(server.url);
const replying = (autoresponder: object, form: object = {}, project: Record<string, unknown> = {}) =>
  makeForm(server.url, { project, form: { ...form, autoresponder: { ...usual, ...autoresponder } } });

/** The submission's deliveries once none is pending. */
const settled = (submissionId: string): Promise<readonly SeenDelivery[]> =>
  becomes(
    () => deliveriesOf(api(), submissionId),
    (all) => all.length > 0 && all.every(({ state }) => state !== 'pending'),
  );
const reasonOf = ([delivery]: readonly SeenDelivery[]) => delivery?.attempts.at(-1)?.error;
const mailsTo = (address: string) => mails.mails.filter(({ to }) => to.includes(address));
const stateOf = async (id: string) =>
  (await api().get(`/api/v1/submissions/${id}?include=delivery_state`)).body.delivery_state;

describe('a reply', () => {
  it('goes to the address in the field, says that it is automatic, and where from', async () => {
    const { endpoint, formId } = await replying(
      { from_name: 'Maison Verte', reply_to: 'studio@example.com', language: 'de' },
      { name: 'Anfrage', allowed_origins: ['*.example.org', 'maison.example'] },
      { name: 'Maison Verte' },
    );
    const sent = await submitJson(
      endpoint,
      { name: 'Zoë', email: ' Zoe@Visitor.example ' },
      { origin: 'https://maison.example' },
    );
    expect(await settled(sent.body.submission_id)).toMatchObject([
      {
        kind: 'email',
        name: 'Reply to the visitor',
        url: 'Zoe@Visitor.example',
        state: 'delivered',
        target: 'form',
      },
    ]);
    const [mail] = mailsTo('Zoe@visitor.example');
    const parsed = await PostalMime.parse(mail?.raw ?? '');
    const headers = Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value]));
    expect(parsed.from).toMatchObject({ name: 'Maison Verte', address: 'inlet@forms.example.com' });
    expect(parsed.replyTo).toMatchObject([{ address: 'studio@example.com' }]);
    expect(parsed.to).toMatchObject([{ address: 'Zoe@visitor.example' }]);
    expect(headers['auto-submitted']).toBe('auto-replied');
    expect(headers['x-auto-response-suppress']).toBe('All');
    expect(parsed.subject).toBe('Thanks, Zoë');
    for (const body of [parsed.text, parsed.html]) {
      expect(body).toContain('Hello Zoë,');
      expect(body).toContain('automatische Antwort von Maison Verte (maison.example)');
      expect(body).toContain('„Anfrage“');
    }
    const [suppressed] = (await api().get(`/api/v1/forms/${formId}/suppressed-replies?days=1`)).body.days;
    expect(suppressed.total).toBe(0);
  });

  it('shows values as short plain text, whatever they are', async () => {
    const { endpoint } = await replying({
      subject: '{{fields.name}}',
      html: '<p class="own">{{fields.name}}</p>',
    });
    const name = `<a href="https://spam.example">win</a>\r\nBcc: victim@example.org ${'x'.repeat(1_000_000)}`;
    const id = await submit(endpoint, { name, email: 'values@visitor.example' });
    await settled(id);
    const [mail] = mailsTo('values@visitor.example');
    const parsed = await PostalMime.parse(mail?.raw ?? '');
    expect(mail?.to).toEqual(['values@visitor.example']);
    expect(parsed.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(parsed.subject?.length).toBeLessThanOrEqual(150);
    expect(parsed.html).toContain('<p class="own">&lt;a href=&quot;https://spam.example&quot;&gt;win');
    expect(parsed.html).not.toContain('href="https://spam.example');
    for (const body of [parsed.text, parsed.html]) {
      expect(body).toContain('xxx…');
      expect(body).not.toContain('x'.repeat(200));
    }
  });

  it.each([
    ['nothing', {}],
    ['no address', { email: 'ada' }],
    ['two addresses', { email: 'a@visitor.example, b@visitor.example' }],
    ['a list', { email: ['a@visitor.example'] }],
    ['a name', { email: 'Ada <a@visitor.example>' }],
    ['a comment', { email: 'a(b)@visitor.example' }],
    ['quotes', { email: '"a b"@visitor.example' }],
    ['a group', { email: 'us: a@visitor.example;' }],
    ['a line break', { email: 'a@visitor.example\r\nBcc: b@visitor.example' }],
    ['another field', { mail: 'a@visitor.example' }],
    ['an inherited name', { __proto__: 'a@visitor.example' }],
  ])('is not planned for %s', async (_, fields) => {
    const { endpoint } = await replying({});
    const id = await submit(endpoint, fields);
    expect(await deliveriesOf(api(), id)).toEqual([]);
  });

  it('is sent for no quarantined submission, and for a released one', async () => {
    const { endpoint } = await replying({});
    const held = await submitJson(endpoint, { email: 'held@visitor.example', _gotcha: 'robot' });
    const marker = await submit(endpoint, { email: 'marker@visitor.example' });
    await settled(marker);
    expect(mailsTo('held@visitor.example')).toEqual([]);
    const released = await api().post(`/api/v1/spam/${held.body.submission_id}/release`);
    expect(await settled(released.body.id)).toMatchObject([{ state: 'delivered' }]);
    expect(mailsTo('held@visitor.example')).toHaveLength(1);
  });

  it('is sent no more once the autoresponder is switched off', async () => {
    const { endpoint, formId } = await replying({ enabled: false });
    const off = await submit(endpoint, { email: 'off@visitor.example' });
    expect(await deliveriesOf(api(), off)).toEqual([]);
    expect(
      (await api().patch(`/api/v1/forms/${formId}`, { autoresponder: null })).body.autoresponder,
    ).toBeNull();
    const none = await submit(endpoint, { email: 'off@visitor.example' });
    expect(await deliveriesOf(api(), none)).toEqual([]);
  });
});

describe('what is held back', () => {
  it('is what exceeds the caps of an address over all forms, and of a form', async () => {
    const first = await replying({ per_address_per_day: 2, per_day: 3 });
    const other = await replying({ per_address_per_day: 2 });
    const email = 'bombed@visitor.example';
    for (const spelling of [email, 'Bombed@Visitor.Example'])
      await settled(await submit(first.endpoint, { email: spelling }));
    const third = await submit(other.endpoint, { email });
    expect(await settled(third)).toMatchObject([{ state: 'suppressed', next_attempt_at: null }]);
    expect(reasonOf(await settled(third))).toBe(overCap('address_cap: 2 replies went to this address'));
    // Nothing failed, and nothing was to be delivered.
    expect(await stateOf(third)).toBeNull();
    await settled(await submit(first.endpoint, { email: 'a@visitor.example' }));
    const fourth = await submit(first.endpoint, { email: 'b@visitor.example' });
    expect(reasonOf(await settled(fourth))).toBe(overCap('form_cap: 3 replies of this form were sent'));
    expect(mails.mails.filter(({ to }) => to.join().toLowerCase() === email)).toHaveLength(2);
    expect(mailsTo('b@visitor.example')).toEqual([]);

    const [today] = (await api().get(`/api/v1/forms/${first.formId}/suppressed-replies?days=1`)).body.days;
    expect(today).toMatchObject({ total: 1, reasons: { form_cap: 1, address_cap: 0 } });
    const listed = await api().get(`/api/v1/forms/${first.formId}/deliveries?state=suppressed`);
    expect(listed.body.data).toMatchObject([{ submission_id: fourth, state: 'suppressed' }]);
    const attention = await api().get('/api/v1/attention');
    expect(attention.text).not.toContain(first.formId);
  });

  it.each([
    'no-reply@x.example',
    'MAILER-DAEMON@x.example',
    'postmaster@x.example',
    'Inlet@Forms.example.com',
  ])('is a reply to %s', async (email) => {
    const { endpoint } = await replying({});
    const id = await submit(endpoint, { email });
    expect(reasonOf(await settled(id))).toMatch(/^suppressed: automatic_address: /);
    expect(mailsTo(email)).toEqual([]);
  });

  it('is everything to an address that bounced, until that is lifted', async () => {
    const email = 'gone@visitor.example';
    refusals.set(email, answer(550, '5.1.1 No such user'));
    const { endpoint, formId } = await replying({}, { notify_emails: ['owner@example.com'] });
    const first = await submit(endpoint, { email });
    const replyOf = (all: readonly SeenDelivery[]) => all.filter(({ url }) => url === email);
    expect(reasonOf(replyOf(await settled(first)))).toMatch(
      /^suppressed: bounced: .*550 5\.1\.1 No such user$/,
    );
    // The owner's own mail arrived, which is what the submission's state shows.
    expect(await stateOf(first)).toBe('delivered');
    refusals.delete(email);
    const listed = await api().get('/api/v1/suppressed-addresses?address=GONE@visitor.example');
    expect(listed.body).toMatchObject({
      data: [{ address: email, reason: 'bounced', destination_id: null }],
      next_cursor: null,
    });
    const [{ id, detail }] = listed.body.data;
    expect(detail).toContain('550 5.1.1 No such user');
    const second = await submit(endpoint, { email: 'Gone@visitor.example' });
    const [, again] = await settled(second);
    expect(again?.attempts.at(-1)?.error ?? reasonOf(await settled(second)) ?? '').toMatch(
      /^suppressed: suppressed_address: bounced\. /,
    );

    expect((await api().delete(`/api/v1/suppressed-addresses/${id}`)).status).toBe(204);
    expect((await api().delete(`/api/v1/suppressed-addresses/${id}`)).body.code).toBe(
      'suppressed_address_not_found',
    );
    await settled(await submit(endpoint, { email }));
    expect(mailsTo(email)).toHaveLength(1);
    const [today] = (await api().get(`/api/v1/forms/${formId}/suppressed-replies?days=1`)).body.days;
    expect(today.reasons).toMatchObject({ bounced: 1, suppressed_address: 1 });
  });

  it('can be sent again by hand, within the caps', async () => {
    const { endpoint } = await replying({ per_day: 1 });
    await settled(await submit(endpoint, { email: 'c@visitor.example' }));
    const id = await submit(endpoint, { email: 'd@visitor.example' });
    const [delivery] = await settled(id);
    const retried = await api().post('/api/v1/deliveries/retry', { ids: [delivery?.id] });
    expect(retried.body).toEqual({ queued: 1 });
    await becomes(
      () => settled(id),
      ([one]) => one?.attempts.length === 2,
    );
    expect(mailsTo('d@visitor.example')).toEqual([]);
    expect((await api().post('/api/v1/deliveries/retry', { submission_ids: [id] })).body).toEqual({
      queued: 0,
    });
  });

  it('is every reply where no mail server is set', async () => {
    const bare = await startServer();
    const { endpoint, formId } = await makeForm(bare.url, { form: { autoresponder: usual } });
    const id = await submit(endpoint, { email: 'ada@visitor.example' });
    const [delivery] = await becomes(
      () => deliveriesOf(client(bare.url), id),
      ([one]) => one?.state === 'suppressed',
    );
    expect(delivery?.attempts[0]?.error).toMatch(/^suppressed: no_mail_server: /);
    const [today] = (await client(bare.url).get(`/api/v1/forms/${formId}/suppressed-replies?days=1`)).body
      .days;
    expect(today.reasons.no_mail_server).toBe(1);
    await bare.dispose();
  });
});

describe('the settings', () => {
  it('are filled up with what is usual', async () => {
    const { formId } = await replying({});
    expect((await api().get(`/api/v1/forms/${formId}`)).body.autoresponder).toEqual({
      ...usual,
      ...{ enabled: true, html: null, from_name: null, reply_to: null, language: 'en' },
      ...{ per_address_per_day: 3, per_day: 1_000 },
    });
  });

  it.each([
    ['no field', { field: '' }, 'autoresponder.field'],
    ['a subject of two lines', { subject: 'a\nBcc: b@x.example' }, 'autoresponder.subject'],
    ['a name of two lines', { from_name: 'a\r\nb' }, 'autoresponder.from_name'],
    ['no text', { text: ' ' }, 'autoresponder.text'],
    ['a text that is too long', { text: 'x'.repeat(16_385) }, 'autoresponder.text'],
    ['two addresses', { reply_to: 'a@x.example,b@x.example' }, 'autoresponder.reply_to'],
    ['another language', { language: 'xx' }, 'autoresponder.language'],
    ['a bomb', { per_address_per_day: 1_000 }, 'autoresponder.per_address_per_day'],
    ['no replies', { per_day: 0 }, 'autoresponder.per_day'],
    ['an unknown setting', { bcc: 'a@x.example' }, 'autoresponder.bcc'],
  ])('are not %s', async (_, wrong, path) => {
    const { formId } = await replying({});
    const refused = await api().patch(`/api/v1/forms/${formId}`, { autoresponder: { ...usual, ...wrong } });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body.details)).toContain(path);
  });

  it('say where a template does not parse', async () => {
    const { formId } = await replying({});
    const autoresponder = { ...usual, subject: '{{#a}}', text: 'Hello {{name', html: '<b>{{{name}}}</b>' };
    const refused = await api().patch(`/api/v1/forms/${formId}`, { autoresponder });
    expectFaults(refused, ['autoresponder.subject', 'autoresponder.text', 'autoresponder.html']);
    expect(refused.text).toContain('Unclosed tag (character 7)');
  });
});

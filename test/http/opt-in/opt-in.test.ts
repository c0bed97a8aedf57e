/** Double opt-in: what is stored, what is sent, and what a confirmation triggers; every state as owner and visitor see it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { filePart, textPart } from '../../support/bodies.js';
import { type Client, client, request, submitJson } from '../../support/client.js';
import { expectFaults, expectProblem, instant } from '../../support/contract.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import {
  asked,
  confirm,
  confirmationOf,
  idsIn,
  linkFor,
  linkIn,
  mailing,
  mailsTo,
  makeOptInForm,
} from '../../support/opt-in.js';
import { startAnswering } from '../../support/receivers.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postMultipart } from '../../support/visitor.js';
import { becomes, deliveriesOf, deliveryBecomes, hasState, submit } from '../../support/webhooks.js';

let server: RunningServer;
let mails: MailServer;
let api: Client;
beforeAll(async () => {
  mails = await startMailServer();
  server = await startServer({ env: mailing(mails) });
  api = client(server.url);
});
afterAll(async () => {
  await server.dispose();
  await mails.close();
});

let count = 0;
/** Each test has its own, because the caps count by address. */
const anAddress = (): string => {
  count += 1;
  return `visitor${count}@example.org`;
};

const formOf = async (id: string) => (await api.get(`/api/v1/forms/${id}`)).body;

const receivedToday = async (formId: string): Promise<number> =>
  (await api.get(`/api/v1/stats?days=1&form_id=${formId}`)).body.days[0].received;

describe('before the confirmation', () => {
  it('is found in its own folder only, and counts nowhere', async () => {
    const form = await makeOptInForm(server.url);
    const { id } = await asked(form, mails, anAddress(), { note: 'findable' });
    const path = `/api/v1/forms/${form.formId}/submissions`;
    expect(await idsIn(api, path)).toEqual([]);
    expect(await idsIn(api, `${path}?folder=inbox`)).toEqual([]);
    expect(await idsIn(api, `${path}?q=findable`)).toEqual([]);
    expect(await idsIn(api, `/api/v1/projects/${form.projectId}/submissions`)).toEqual([]);
    expect(await idsIn(api, `${path}?folder=unconfirmed`)).toEqual([id]);
    expect(await idsIn(api, `${path}?folder=unconfirmed&q=findable`)).toEqual([id]);
    expect(await idsIn(api, `${path}?folder=all`)).toEqual([id]);
    expect((await formOf(form.formId)).submissions_count).toBe(0);
    expect((await api.get(`${path}/export?format=jsonl`)).text).toBe('');
    expect((await api.get(`${path}/export?format=jsonl&folder=unconfirmed`)).text).toContain(id);
    expect(await receivedToday(form.formId)).toBe(0);
  });

  it('shows what is known of the confirmation on the single submission', async () => {
    const form = await makeOptInForm(server.url, { double_opt_in: { field: 'email', expires_days: 3 } });
    const address = anAddress();
    const { id } = await asked(form, mails, address);
    const confirmation = await becomes(
      () => confirmationOf(server.url, id),
      (seen) => seen.sent_at !== null,
    );
    expect(confirmation).toEqual({
      state: 'unconfirmed',
      address,
      sent_at: expect.stringMatching(instant),
      confirmed_at: null,
      ip: null,
      user_agent: null,
      expires_at: expect.stringMatching(instant),
    });
    const submission = (await api.get(`/api/v1/submissions/${id}?include=inbox`)).body;
    expect(submission.folder).toBe('unconfirmed');
    expect(Date.parse(confirmation.expires_at) - Date.parse(submission.created_at)).toBe(3 * 86_400_000);
    const [listed] = (await api.get(`/api/v1/forms/${form.formId}/submissions?folder=unconfirmed`)).body.data;
    expect(listed).not.toHaveProperty('confirmation');
    const other = await makeAccount(server, 'pro', 'Other');
    expect((await client(server.url, other.api_key).get(`/api/v1/submissions/${id}`)).status).toBe(404);
  });

  it('sends nothing but the mail to the visitor', async () => {
    const receiver = await startAnswering({ status: 200 });
    const form = await makeOptInForm(server.url, {
      webhook_url: receiver.url,
      notify_emails: ['owner@example.com'],
    });
    const { id } = await asked(form, mails, anAddress());
    const delivery = await deliveryBecomes(api, id, hasState('delivered'));
    expect(delivery.kind).toBe('email');
    expect(receiver.requests).toEqual([]);
    expectProblem(
      await api.post(`/api/v1/submissions/${id}/retry-webhook`),
      409,
      'The submission is not confirmed',
    );
    expect(await deliveriesOf(api, id)).toHaveLength(1);
    await receiver.close();
  });

  it('cannot be moved by its owner, alone or with others, but starred and deleted', async () => {
    const form = await makeOptInForm(server.url);
    const { id, link } = await asked(form, mails, anAddress());
    for (const folder of ['inbox', 'trash'])
      expectProblem(
        await api.patch(`/api/v1/submissions/${id}`, { folder }),
        409,
        'The submission is not confirmed',
      );
    const many = await api.post('/api/v1/submissions/update', { ids: [id], change: { folder: 'archive' } });
    expectProblem(many, 409, 'The submission is not confirmed');
    expect((await api.patch(`/api/v1/submissions/${id}`, { folder: 'unconfirmed' })).status).toBe(400);
    expect((await api.patch(`/api/v1/submissions/${id}`, { is_starred: true })).status).toBe(200);
    expect((await api.delete(`/api/v1/submissions/${id}`)).status).toBe(204);
    expect((await confirm(link)).status).toBe(404);
    expect((await formOf(form.formId)).submissions_count).toBe(0);
  });

  it('leaves other forms alone', async () => {
    const form = await makeOptInForm(server.url, { double_opt_in: null });
    const id = await submit(form.endpoint, { email: 'nothing' });
    expect(await idsIn(api, `/api/v1/forms/${form.formId}/submissions`)).toEqual([id]);
    expect((await api.get(`/api/v1/submissions/${id}`)).body).not.toHaveProperty('confirmation');
  });
});

describe('the mail', () => {
  it('is automatic, in the language of the visitor, and says nothing that the visitor wrote', async () => {
    const form = await makeOptInForm(server.url, { name: 'Rundbrief <b>' }, { name: 'Bäckerei' });
    const address = anAddress();
    await submitJson(
      form.endpoint,
      { email: address, name: 'BUY http://spam.example now' },
      { 'accept-language': 'de-AT' },
    );
    const link = await linkFor(mails, address);
    const [{ parsed, raw } = { parsed: null, raw: '' }] = await mailsTo(mails, address);
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r?$/im);
    expect(parsed?.subject).toBe('Bitte bestätigen Sie Ihre E-Mail-Adresse: Rundbrief <b>');
    expect(parsed?.from?.name).toBe('Bäckerei');
    expect(parsed?.to).toEqual([{ name: '', address }]);
    expect(parsed?.replyTo ?? []).toEqual([]);
    expect(parsed?.html).toContain('Rundbrief &lt;b&gt;');
    expect(linkIn(parsed?.html)).toBe(link);
    for (const body of [parsed?.text, parsed?.html, parsed?.subject])
      expect(body).not.toContain('spam.example');
    expect(link).not.toContain(form.publicId);
    expect(link.startsWith(`${server.url}/confirm/`)).toBe(true);
  });

  it('has the words of the owner, and escapes values in HTML', async () => {
    const form = await makeOptInForm(server.url, {
      name: 'A & B',
      double_opt_in: {
        field: 'email',
        subject: 'Welcome to {{form.name}}\r\nBcc: x@example.com',
        text: 'Go to {{confirm_url}} for {{form.name}}. {{fields.name}}',
        html: '<p>{{form.name}} <a href="{{confirm_url}}">here</a></p>',
        from_name: 'Shop',
        reply_to: 'shop@example.com',
      },
    });
    const address = anAddress();
    const { link } = await asked(form, mails, address, { name: 'typed' });
    const [mail] = await mailsTo(mails, address);
    expect(mail?.parsed.subject).toBe('Welcome to A & B Bcc: x@example.com');
    expect(mail?.parsed.text?.trim()).toBe(`Go to ${link} for A & B.`);
    expect(mail?.parsed.html).toContain('A &amp; B');
    expect(linkIn(mail?.parsed.html)).toBe(link);
    expect(mail?.parsed.from?.name).toBe('Shop');
    expect(mail?.parsed.replyTo).toEqual([{ name: '', address: 'shop@example.com' }]);
    expect((await confirm(link)).status).toBe(200);
  });

  it('goes to one address three times a day over all forms of the account, and the rest say why', async () => {
    const address = anAddress();
    const forms = [await makeOptInForm(server.url), await makeOptInForm(server.url)];
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      const endpoint = forms[i % 2]?.endpoint ?? '';
      const id = await submit(endpoint, { email: i % 2 === 0 ? address : address.toUpperCase() });
      ids.push(id);
      await deliveryBecomes(api, id, ({ state }) => state === 'delivered' || state === 'suppressed');
    }
    const states = await Promise.all(ids.map(async (id) => (await deliveriesOf(api, id))[0]));
    expect(states.map((delivery) => delivery?.state)).toEqual([
      ...['delivered', 'delivered', 'delivered'],
      ...['suppressed', 'suppressed'],
    ]);
    expect(states[4]?.attempts[0]?.error).toContain('address_cap');
    const last = ids[4] ?? '';
    expect((await confirmationOf(server.url, last)).sent_at).toBeNull();
    expectProblem(
      await api.post(`/api/v1/submissions/${last}/retry-webhook`),
      409,
      'The submission is not confirmed',
    );
  });
});

describe('a confirmation', () => {
  it('counts, delivers and notifies, and leaves evidence', async () => {
    const receiver = await startAnswering({ status: 200 });
    const owner = anAddress();
    const form = await makeOptInForm(server.url, { webhook_url: receiver.url, notify_emails: [owner] });
    const { id, link } = await asked(form, mails, anAddress(), { name: 'Ada' });
    const before = (await api.get(`/api/v1/submissions/${id}`)).body;
    const page = await confirm(link, { 'user-agent': 'Browser/1' });
    expect(page.status).toBe(200);
    expect(page.text).toContain('<h1>Confirmed</h1>');
    expect(await idsIn(api, `/api/v1/forms/${form.formId}/submissions?folder=inbox`)).toEqual([id]);
    expect(await idsIn(api, `/api/v1/forms/${form.formId}/submissions?folder=unconfirmed`)).toEqual([]);
    expect((await formOf(form.formId)).submissions_count).toBe(1);
    expect(await receivedToday(form.formId)).toBe(1);
    const after = (await api.get(`/api/v1/submissions/${id}`)).body;
    expect(after).toEqual({ ...before, confirmation: after.confirmation });
    expect(after.confirmation).toMatchObject({
      state: 'confirmed',
      sent_at: expect.stringMatching(instant),
      confirmed_at: expect.stringMatching(instant),
      ip: '127.0.0.1',
      user_agent: 'Browser/1',
    });
    await becomes(
      () => deliveriesOf(api, id),
      (all) => all.length === 3 && all.every(hasState('delivered')),
    );
    const body = JSON.parse(receiver.requests[0]?.body.toString() ?? '{}');
    expect(body).toMatchObject({
      event: 'submission.created',
      submission: { id, data: { name: 'Ada' }, created_at: before.created_at },
    });
    expect(receiver.requests[0]?.headers.get('x-webhook-attempt')).toBe('1');
    expect(await mailsTo(mails, owner)).toHaveLength(1);
    await receiver.close();
  });

  it('happens once, and by the button alone', async () => {
    const form = await makeOptInForm(server.url);
    const { id, link } = await asked(form, mails, anAddress());
    for (const method of ['GET', 'HEAD', 'GET']) expect((await request(link, { method })).status).toBe(200);
    expect((await confirmationOf(server.url, id)).state).toBe('unconfirmed');
    const pages = await Promise.all(Array.from({ length: 8 }, () => confirm(link)));
    const titles = pages.map(({ text }) => /<h1>(.*)<\/h1>/.exec(text)?.[1]).sort();
    expect(titles).toEqual([...Array(7).fill('Already confirmed'), 'Confirmed']);
    const first = await confirmationOf(server.url, id);
    expect((await confirm(link, { 'user-agent': 'Another' })).text).toContain('Already confirmed');
    expect((await request(link)).text).toContain('Already confirmed');
    expect(await confirmationOf(server.url, id)).toEqual(first);
    expect((await formOf(form.formId)).submissions_count).toBe(1);
  });

  it('keeps the files, and works after double opt-in was switched off', async () => {
    const form = await makeOptInForm(server.url);
    const address = anAddress();
    const sent = await postMultipart(
      form.endpoint,
      [textPart('email', address), filePart('cv', 'cv.txt', 'hello', 'text/plain')],
      { accept: 'application/json' },
    );
    expect(sent.status).toBe(200);
    const link = await linkFor(mails, address);
    await api.patch(`/api/v1/forms/${form.formId}`, { double_opt_in: null, is_active: false });
    expect((await confirm(link)).text).toContain('Confirmed');
    const { files } = (await api.get(`/api/v1/submissions/${sent.body.submission_id}`)).body;
    const file = (await api.get(`/api/v1/files/${files[0].id}`)).body;
    expect((await request(file.download_url, { redirect: 'follow' })).text).toBe('hello');
  });

  it('finds a form that is full, and lets nothing in beyond its maximum', async () => {
    const form = await makeOptInForm(server.url, { max_submissions: 1 });
    const first = await asked(form, mails, anAddress());
    const second = await asked(form, mails, anAddress());
    expect((await confirm(first.link)).text).toContain('Confirmed');
    const full = await confirm(second.link);
    expect([full.status, full.text.includes('This form is full')]).toEqual([409, true]);
    expect((await confirmationOf(server.url, second.id)).state).toBe('unconfirmed');
    expectProblem(await submitJson(form.endpoint, { email: anAddress() }), 403, 'Form is closed');
    await api.patch(`/api/v1/forms/${form.formId}`, { max_submissions: 2 });
    expect((await confirm(second.link)).text).toContain('Confirmed');
    expect((await formOf(form.formId)).submissions_count).toBe(2);
  });
});

describe('the page', () => {
  it('has a button and nothing that runs, loads or frames', async () => {
    const form = await makeOptInForm(server.url, {
      page_color: '#123456',
      page_logo_url: 'https://a.example/l.png',
    });
    const { link } = await asked(form, mails, anAddress());
    const page = await request(link, { headers: { 'accept-language': 'fr' } });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-language')).toBe('fr');
    expect(page.text).toContain('<form method="post"><button type="submit">Confirmer</button></form>');
    expect(page.text).toContain('<meta name="robots" content="noindex">');
    expect(page.text).not.toMatch(/<script| on\w+=/);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; .*form-action 'self'; frame-ancestors 'none'$/,
    );
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.text).toContain('https://a.example/l.png');
  });

  it.each([
    ['nothing', 'x'],
    ['a changed token', 'changed'],
    ['a long one', 'a'.repeat(5_000)],
    ['an encoded one', '%00%2e%2e%2fetc'],
  ])('knows no %s', async (_, token) => {
    const form = await makeOptInForm(server.url);
    const { link, id } = await asked(form, mails, anAddress());
    const last = link.at(-1) === 'A' ? 'B' : 'A';
    const url = token === 'changed' ? link.slice(0, -2) + last + last : `${server.url}/confirm/${token}`;
    for (const answer of [await request(url), await confirm(url)]) {
      expect(answer.status).toBe(404);
      expect(answer.text).toContain('This link does not work');
    }
    expect((await confirmationOf(server.url, id)).state).toBe('unconfirmed');
  });

  it('is the same for a bot, and for a visitor says that a mail is on its way', async () => {
    const form = await makeOptInForm(server.url, { page_text: 'Owner words' });
    const page = await request(`${server.url}/f/${form.publicId}/success`, {
      headers: { 'accept-language': 'es', accept: 'text/html' },
    });
    expect(page.text).toContain('<h1>Revise su correo</h1>');
    expect(page.text).toContain('Owner words');
    expect(page.text).toContain('Un mensaje con un enlace va de camino.');
    const answer = await submitJson(form.endpoint, { email: anAddress() });
    expect(Object.keys(answer.body)).toEqual(['success', 'submission_id', 'files']);
  });
});

describe('too many', () => {
  it('confirmations from one address are rejected for a minute, and the log has no token', async () => {
    const other = await startServer({ env: { ...mailing(mails), LOG_LEVEL: 'debug' } });
    const form = await makeOptInForm(other.url);
    const { link } = await asked(form, mails, anAddress());
    const answers = await Promise.all(Array.from({ length: 40 }, () => confirm(`${other.url}/confirm/x`)));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(10);
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(limited[0]?.text).toContain('Please wait a moment');
    expect((await confirm(link)).status).toBe(429);
    expect((await request(link)).status).toBe(200);
    await becomes(
      () => other.output(),
      (output) => output.includes('/confirm/:token'),
    );
    expect(other.output()).not.toContain(new URL(link).pathname.split('/').at(-1));
    await other.dispose();
  });
});

describe('an address that cannot be confirmed', () => {
  it.each([
    [{}, 'required'],
    [{ email: '  ' }, 'required'],
    [{ email: 'nobody' }, 'type_email'],
    [{ email: 'a@example.com, b@example.com' }, 'type_email'],
    [{ email: '"a b"@example.com' }, 'type_email'],
    [{ email: 'a@example.com (comment)' }, 'type_email'],
    [{ email: 'Ada <a@example.com>' }, 'type_email'],
    [{ email: 'a@example.com\r\nBcc: b@example.com' }, 'type_email'],
    [{ email: ['a@example.com', 'b@example.com'] }, 'type_email'],
    [{ email: { a: 'a@example.com' } }, 'type_email'],
    [{ email: `${'a'.repeat(1_000_000)}@example.com` }, 'type_email'],
  ])('is told as a field is: %#', async (fields, code) => {
    const form = await makeOptInForm(server.url);
    const answer = await submitJson(form.endpoint, fields);
    expect(answer.status, answer.text).toBe(422);
    expect(answer.body.code).toBe('invalid_fields');
    expect(answer.body.fields).toEqual([{ field: 'email', code, message: expect.any(String) }]);
    expect(await idsIn(api, `/api/v1/forms/${form.formId}/submissions?folder=all`)).toEqual([]);
  });

  it('leaves no file behind', async () => {
    const form = await makeOptInForm(server.url);
    const parts = [textPart('email', 'no'), filePart('cv', 'cv.txt', 'hello', 'text/plain')];
    expect((await postMultipart(form.endpoint, parts, { accept: 'application/json' })).status).toBe(422);
  });
});

describe('the quarantine', () => {
  it('sends no mail; a release sends it, and the submission waits for its confirmation', async () => {
    const form = await makeOptInForm(server.url);
    const address = anAddress();
    const held = await submitJson(form.endpoint, { email: address, _gotcha: 'x' });
    expect(held.status).toBe(200);
    const released = await api.post(`/api/v1/spam/${held.body.submission_id}/release`);
    expect(released.status, released.text).toBe(201);
    const link = await linkFor(mails, address);
    expect(await mailsTo(mails, address)).toHaveLength(1);
    expect(await idsIn(api, `/api/v1/forms/${form.formId}/submissions`)).toEqual([]);
    expect((await confirm(link)).text).toContain('Confirmed');
    expect(await idsIn(api, `/api/v1/forms/${form.formId}/submissions`)).toEqual([released.body.id]);
  });

  it('releases nothing without an address', async () => {
    const form = await makeOptInForm(server.url);
    const held = await submitJson(form.endpoint, { name: 'x', _gotcha: 'x' });
    const id = held.body.submission_id;
    expect((await api.post(`/api/v1/spam/${id}/release`)).status).toBe(422);
    const many = await api.post('/api/v1/spam/release', { ids: [id] });
    expect([many.status, many.body.data]).toEqual([201, []]);
    expect((await api.get(`/api/v1/forms/${form.formId}/spam`)).body.data).toHaveLength(1);
  });
});

describe('the setting', () => {
  it('has defaults', async () => {
    const form = await makeOptInForm(server.url);
    expect((await formOf(form.formId)).double_opt_in).toEqual({
      field: 'email',
      subject: null,
      text: null,
      html: null,
      from_name: null,
      reply_to: null,
      expires_days: 7,
    });
  });

  it.each([
    [{}, 'double_opt_in.field'],
    [{ field: '' }, 'double_opt_in.field'],
    [{ field: 'email', expires_days: 0 }, 'double_opt_in.expires_days'],
    [{ field: 'email', expires_days: 31 }, 'double_opt_in.expires_days'],
    [{ field: 'email', reply_to: 'no' }, 'double_opt_in.reply_to'],
    [{ field: 'email', subject: '{{#a}}' }, 'double_opt_in.subject'],
    [{ field: 'email', text: 'no link' }, 'double_opt_in.text'],
    [{ field: 'email', text: '{{confirm_url}} {{' }, 'double_opt_in.text'],
    [{ field: 'email', html: '<p>{{{confirm_url}}}</p>' }, 'double_opt_in.html'],
    [{ field: 'email', more: 1 }, 'double_opt_in.more'],
  ])('says what is wrong with %j', async (setting, path) => {
    const form = await makeOptInForm(server.url);
    const answer = await api.patch(`/api/v1/forms/${form.formId}`, { double_opt_in: setting });
    expectFaults(answer, [path]);
  });
});

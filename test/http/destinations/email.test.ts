/** What an e-mail destination can configure about its mails, from the API to a real mail server. */
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFaults } from '../../support/contract.js';
import { answer, type MailServer, startMailServer } from '../../support/mail-server.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { onePixelPng, submitFiles } from '../../support/upload.js';
import { becomes, submit } from '../../support/webhooks.js';

let server: RunningServer;
let mails: MailServer;
let api: Client;
beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo: ({ address }, _session, callback) =>
      callback(address.startsWith('gone') ? answer(550, '5.1.1 No such user') : undefined),
  });
  const env = { SMTP_URL: mails.url, MAIL_FROM: 'Inlet <inlet@forms.example.com>' };
  server = await startServer({ env });
  api = client(server.url);
});
afterAll(async () => {
  await server.dispose();
  await mails.close();
});

/** The mails to these addresses, in this order. */
const mailsTo = (...addresses: readonly string[]) =>
  becomes(
    async () => {
      const found = addresses.map((address) => mails.mails.find(({ to }) => to.includes(address)));
      return Promise.all(
        found.map(async (mail) => ({ raw: mail?.raw, ...(await PostalMime.parse(mail?.raw ?? '')) })),
      );
    },
    (all) => all.every(({ raw }) => raw !== undefined),
  );

const headersOf = (mail: { headers: readonly { key: string; value: string }[] } | undefined) =>
  Object.fromEntries((mail?.headers ?? []).map(({ key, value }) => [key, value]));

async function destination({ formId }: MadeForm, config: object): Promise<string> {
  const made = await api.post(`/api/v1/forms/${formId}/destinations`, { kind: 'email', config });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
}

interface SeenMail {
  readonly url: string;
  readonly state: string;
  readonly last_error: string | null;
}
const deliveriesBecome = async ({ formId }: MadeForm, count: number): Promise<readonly SeenMail[]> => {
  const all = await becomes(
    async () => (await api.get(`/api/v1/forms/${formId}/deliveries`)).body.data as readonly SeenMail[],
    (rows) => rows.length >= count && rows.every(({ state }) => state !== 'pending'),
  );
  return all;
};

describe('settings', () => {
  it('are read back with their defaults, and merged key by key', async () => {
    const form = await makeForm(server.url);
    const id = await destination(form, { to: ['a@example.com'] });
    const usual = {
      ...{ to: ['a@example.com'], cc: [], bcc: [], route: null, subject: null, text: null, html: null },
      ...{
        reply_to: 'visitor',
        from_name: null,
        language: 'en',
        files: 'links',
        max_attached_bytes: 5_242_880,
        digest: null,
      },
    };
    expect((await api.get(`/api/v1/destinations/${id}`)).body.config).toEqual(usual);
    const route = { field: 'department', map: { Sales: ['sales@example.com'] }, otherwise: [] };
    const changed = {
      ...{
        to: [],
        route,
        subject: '{{fields.name}}',
        text: 'T',
        html: '<p>H</p>',
        reply_to: 'r@example.com',
      },
      ...{ from_name: 'Shop', language: 'zh', files: 'attached', max_attached_bytes: 20_971_520 },
    };
    const patched = await api.patch(`/api/v1/destinations/${id}`, { config: changed });
    expect(patched.body.config).toEqual({ ...usual, ...changed });
    const reset = await api.patch(`/api/v1/destinations/${id}`, { config: usual });
    expect(reset.body.config).toEqual(usual);
  });

  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`v${n}`, ['a@example.com']]));
  const route = (more: object) => ({ route: { field: 'f', map: {}, otherwise: ['a@example.com'], ...more } });
  it.each<[string, object, string]>([
    ['nobody', { to: [], route: { field: 'f', map: { a: [] }, otherwise: [] } }, 'config.to'],
    ['a route without a field', route({ field: '' }), 'config.route.field'],
    ['51 routes', route({ map: many }), 'config.route.map'],
    ['a bad address in a route', route({ map: { a: ['x'] } }), 'config.route.map.a.0'],
    ['a value twice', route({ map: { Sales: [], ' sales': [] } }), 'config.route.map'],
    ['a value without end', route({ map: { ['x'.repeat(1_001)]: [] } }), ''],
    ['something else in a route', route({ also: 1 }), 'config.route.also'],
    ['a subject of two lines', { subject: 'a\nBcc: b@example.com' }, 'config.subject'],
    ['a subject that does not parse', { subject: 'a {{fields.name' }, 'config.subject'],
    ['a text that does not parse', { text: 'a {{#fields}}' }, 'config.text'],
    ['HTML with values that are not escaped', { html: '<p>{{{fields.name}}}</p>' }, 'config.html'],
    ['a text without end', { text: 'x'.repeat(16_385) }, 'config.text'],
    ['a reply to two', { reply_to: 'a@example.com, b@example.com' }, 'config.reply_to'],
    ['a reply to a name', { reply_to: 'A <a@example.com>' }, 'config.reply_to'],
    ['a reply to somebody quoted', { reply_to: '"a b"@example.com' }, 'config.reply_to'],
    ['a reply to a comment', { reply_to: 'a(b)@example.com' }, 'config.reply_to'],
    ['a reply with a header', { reply_to: 'a@example.com\r\nBcc: b@example.com' }, 'config.reply_to'],
    ['a sender of two lines', { from_name: 'a\r\nBcc: b@example.com' }, 'config.from_name'],
    ['a long sender', { from_name: 'x'.repeat(101) }, 'config.from_name'],
    ['another language', { language: 'tlh' }, 'config.language'],
    ['another way with files', { files: 'inline' }, 'config.files'],
    ['too many bytes', { max_attached_bytes: 20_971_521 }, 'config.max_attached_bytes'],
  ])('with %s are rejected', async (_, config, path) => {
    const { formId } = await makeForm(server.url);
    const body = { kind: 'email', config: { to: ['a@example.com'], ...config } };
    const made = await api.post(`/api/v1/forms/${formId}/destinations`, body);
    expect(made.status, made.text).toBe(400);
    expectFaults(made, [path]);
  });

  it('that do not parse say where', async () => {
    const { formId } = await makeForm(server.url);
    const config = { to: ['a@example.com'], text: 'Hello {{fields.name' };
    const made = await api.post(`/api/v1/forms/${formId}/destinations`, { kind: 'email', config });
    expect(made.body.details).toEqual([
      { path: 'config.text', message: 'is not valid Mustache: Unclosed tag (character 7)' },
    ]);
  });
});

describe('a mail', () => {
  it('goes to those whom the value of a field stands for, never to whom it names', async () => {
    const form = await makeForm(server.url);
    await destination(form, {
      to: ['all-1@example.com'],
      route: {
        field: 'department',
        map: { Sales: ['sales-1@example.com'], Support: ['support-1@example.com'] },
        otherwise: ['rest-1@example.com'],
      },
    });
    await submit(form.endpoint, { name: 'Ada', department: 'sales' });
    const [sales] = await mailsTo('sales-1@example.com', 'all-1@example.com');
    expect(sales?.to?.map(({ address }) => address)).toEqual(['all-1@example.com', 'sales-1@example.com']);
    await submit(form.endpoint, { name: 'Eve', department: 'evil-1@example.com' });
    await mailsTo('rest-1@example.com');
    expect((await deliveriesBecome(form, 4)).map(({ url }) => url).sort()).toEqual([
      'all-1@example.com',
      'all-1@example.com',
      'rest-1@example.com',
      'sales-1@example.com',
    ]);
  });

  it('is in the words of its owner, whose values add no header, no markup and no recipient', async () => {
    const form = await makeForm(server.url, { form: { name: 'Orders' } });
    await destination(form, {
      to: ['words@example.com'],
      subject: 'Order of {{fields.name}}',
      text: 'Name: {{fields.name}}\nOpen {{submission.url}}',
      html: '<h1 style="color:red">{{fields.name}}</h1>',
      from_name: 'Träger, Shop',
      reply_to: 'team@example.com',
    });
    const name = 'A\r\nBcc: evil@example.net\u202e=?utf-8?Q?=0AX-Evil:_1?=<img src=x>';
    const id = await submit(form.endpoint, {
      name,
      email: 'a@example.org, b@example.org',
      long: 'x'.repeat(900_000),
    });
    const [mail] = await mailsTo('words@example.com');
    expect(mail?.subject).toBe(
      'Order of A Bcc: evil@example.net[U+202E]= ?utf-8?Q?=0AX-Evil:_1?=<img src=x>',
    );
    expect(mail?.from).toEqual({ name: 'Träger, Shop', address: 'inlet@forms.example.com' });
    expect(mail?.replyTo).toMatchObject([{ address: 'team@example.com' }]);
    expect(mail?.text).toContain(`Open ${server.url}/dashboard/submissions/${id}`);
    expect(mail?.html).toContain('<h1 style="color:red">A<br>Bcc');
    expect(mail?.html).toContain('&lt;img src=x&gt;</h1>');
    for (const key of ['bcc', 'x-evil', 'cc']) expect(headersOf(mail)).not.toHaveProperty(key);
  });

  it('names who wrote, links to the submission, and says how it was made', async () => {
    const form = await makeForm(server.url, {
      form: { name: 'Contact', notify_emails: ['usual@example.com'] },
    });
    await destination(form, { to: ['deutsch@example.com'], language: 'de', reply_to: 'none' });
    const id = await submit(form.endpoint, { name: 'Ada Lovelace', email: 'ada@example.org' });
    const [usual, german] = await mailsTo('usual@example.com', 'deutsch@example.com');
    expect(usual?.subject).toBe('Ada Lovelace: Contact');
    expect(usual?.html).toContain(`href="${server.url}/dashboard/submissions/${id}"`);
    expect(german?.text).toContain('Einsendung öffnen');
    expect(german?.replyTo ?? []).toEqual([]);
    for (const mail of [usual, german]) {
      const headers = headersOf(mail);
      expect(headers).toMatchObject({
        'auto-submitted': 'auto-generated',
        references: `<${id}@forms.example.com>`,
        'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
      });
      expect(headers['list-unsubscribe']).toMatch(
        new RegExp(`^<${server.url}/unsubscribe\\?token=[\\w.-]+>$`),
      );
    }
    expect(usual?.messageId).not.toBe(german?.messageId);
  });

  it('carries files as far as they fit', async () => {
    const form = await makeForm(server.url);
    await destination(form, { to: ['files@example.com'], files: 'attached', max_attached_bytes: 100 });
    const name = 'a\u202e"b\r\nX-Evil: 1.png';
    await submitFiles(form.endpoint, [
      { field: 'photo', filename: 'ü 1.png', type: 'image/png', content: onePixelPng },
      { field: 'large', filename: 'large.txt', type: 'text/plain', content: 'y'.repeat(200) },
      { field: 'small', filename: name, type: 'text/plain', content: 'small' },
    ]);
    const [mail] = await mailsTo('files@example.com');
    const attached = (mail?.attachments ?? []).map(({ filename, mimeType, content }) => ({
      filename,
      mimeType,
      bytes: Buffer.from(content as ArrayBuffer),
    }));
    expect(attached).toMatchObject([
      { filename: 'ü 1.png', mimeType: 'image/png', bytes: Buffer.from(onePixelPng) },
      { mimeType: 'text/plain', bytes: Buffer.from('small') },
    ]);
    expect(attached[1]?.filename).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(mail?.raw).not.toMatch(/^X-Evil/m);
    expect(mail?.text?.match(/\/files\//g)).toHaveLength(1);
    expect(mail?.text).toContain('large.txt');
  });
});

describe('who unsubscribes', () => {
  const linkIn = async (address: string): Promise<string> => {
    const [mail] = await mailsTo(address);
    return headersOf(mail)['list-unsubscribe']?.slice(1, -1) ?? '';
  };
  const post = (url: string, body?: string) =>
    fetch(url, {
      method: 'POST',
      redirect: 'manual',
      ...(body === undefined
        ? {}
        : { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    });
  const open = (url: string, language = 'en') => fetch(url, { headers: { 'accept-language': language } });

  it('with one click of the mail program gets no more mails of that destination, and others still do', async () => {
    const form = await makeForm(server.url, {
      form: { notify_emails: ['stop@example.com', 'stay@example.com'] },
    });
    await destination(form, { to: ['stop@example.com'] });
    await submit(form.endpoint);
    await deliveriesBecome(form, 3);
    const links = await Promise.all(
      mails.mails
        .filter(({ to }) => to.includes('stop@example.com'))
        .map(
          async ({ raw }) => headersOf(await PostalMime.parse(raw))['list-unsubscribe']?.slice(1, -1) ?? '',
        ),
    );
    expect(new Set(links).size).toBe(2);
    // A scanner that follows the link changes nothing.
    expect((await open(links[0] ?? '')).status).toBe(200);
    const done = await post(links[0] ?? '', 'List-Unsubscribe=One-Click');
    expect(done.status).toBe(200);
    expect(await done.text()).toContain('You are unsubscribed');
    expect((await post(links[0] ?? '', 'List-Unsubscribe=One-Click')).status).toBe(200);
    await submit(form.endpoint);
    const all = await deliveriesBecome(form, 6);
    const newest = all.slice(0, 3).map(({ url, state }) => `${url} ${state}`);
    expect(newest.sort()).toEqual([
      'stay@example.com delivered',
      'stop@example.com delivered',
      'stop@example.com suppressed',
    ]);
    expect(all.find(({ state }) => state === 'suppressed')?.last_error).toBe('suppressed: unsubscribed');
    const submissions = (await api.get(`/api/v1/forms/${form.formId}/submissions`)).body.data;
    expect(submissions.map((one: { webhook_status: string }) => one.webhook_status)).not.toContain('failed');
  });

  it('on the page presses a button, and can take it back there', async () => {
    const form = await makeForm(server.url, { form: { notify_emails: ['page@example.com'] } });
    await submit(form.endpoint);
    const link = await linkIn('page@example.com');
    const asked = await open(link, 'de');
    const page = await asked.text();
    expect(page).toContain('<html lang="de">');
    expect(page).toContain('page@example.com');
    expect(page).toContain('<form method="post"><button type="submit">Abbestellen</button></form>');
    expect(asked.headers.get('content-security-policy')).toContain(
      "form-action 'self'; frame-ancestors 'none'",
    );
    expect(asked.headers.get('referrer-policy')).toBe('no-referrer');
    const pressed = await post(link, '');
    expect(pressed.status).toBe(303);
    const other = new URL(pressed.headers.get('location') ?? '', server.url).href;
    expect(other).toContain('/resubscribe?token=');
    // Both addresses show the current state.
    for (const url of [other, link]) expect(await (await open(url)).text()).toContain('Subscribe again');
    const back = await post(other);
    expect(new URL(back.headers.get('location') ?? '', server.url).href).toBe(link);
    for (const url of [other, link]) expect(await (await open(url)).text()).toContain('Unsubscribe?');
  });

  it.each(['', '?token=', '?token=x', '?token=v1.AAAA', '?token[]=x', `?token=${'x'.repeat(5_000)}`])(
    'with %s as a link learns that it does not work',
    async (query) => {
      for (const path of ['unsubscribe', 'resubscribe']) {
        const url = `${server.url}/${path}${query}`;
        for (const response of [await open(url, 'fr'), await post(url, 'List-Unsubscribe=One-Click')]) {
          expect(response.status).toBe(404);
          expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
          expect(await response.text()).toMatch(/Ce lien ne fonctionne pas|This link does not work/);
        }
      }
    },
  );

  it('presses a button ten times a minute at most: each is written to the disk', async () => {
    const form = await makeForm(server.url, { form: { notify_emails: ['often@example.com'] } });
    await submit(form.endpoint);
    const link = await linkIn('often@example.com');
    const ways = [link, link.replace('/unsubscribe?', '/resubscribe?')];
    for (let press = 0; press < 10; press += 1) expect((await post(ways[press % 2] ?? '')).status).toBe(303);
    for (const way of ways) {
      const refused = await post(way);
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect(await refused.text()).toContain('<html lang="en">');
    }
    expect(await (await open(link)).text()).toContain('Unsubscribe?');
  });

  it('sends no large body', async () => {
    const response = await post(`${server.url}/unsubscribe?token=x`, 'x'.repeat(10_000));
    expect(response.status).toBe(413);
  });
});

it('an address that does not exist is suppressed after its first bounce', async () => {
  const form = await makeForm(server.url, {
    form: { notify_emails: ['gone@example.com', 'here@example.com'] },
  });
  await submit(form.endpoint);
  expect((await deliveriesBecome(form, 2)).map(({ url, state }) => `${url} ${state}`).sort()).toEqual([
    'gone@example.com failed',
    'here@example.com delivered',
  ]);
  await submit(form.endpoint);
  const [...newest] = (await deliveriesBecome(form, 4)).slice(0, 2);
  expect(newest.map(({ url, state }) => `${url} ${state}`).sort()).toEqual([
    'gone@example.com suppressed',
    'here@example.com delivered',
  ]);
  expect(newest.find(({ state }) => state === 'suppressed')?.last_error).toContain('550 5.1.1 No such user');
});

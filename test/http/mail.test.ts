/** Notification mails from the submission to the mail server: who gets one, what it says, what a bad server costs. */

import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inletJson } from '../support/cli.js';
import { client, makeForm, request } from '../support/client.js';
import { startTimeServer } from '../support/clock.js';
import { storedRows } from '../support/engine.js';
import { waitUntil } from '../support/kept.js';
import { answer, type MailServer, startMailServer } from '../support/mail-server.js';
import { freePort, type RunningServer, startServer } from '../support/server.js';
import { onePixelPng, submitFiles } from '../support/upload.js';
import { becomes, startTurning, submit } from '../support/webhooks.js';

const from = 'Inlet <inlet@forms.example.com>';
const mailing = ({ url }: { url: string }) => ({ SMTP_URL: url, MAIL_FROM: from });

interface MailRow {
  readonly recipient: string;
  readonly state: string;
  readonly attempt: number;
}

/** The mails as stored, including any of deleted submissions. */
const queued = (server: RunningServer): Promise<readonly MailRow[]> =>
  storedRows<MailRow>(
    server.dataDir,
    "SELECT url AS recipient, state, attempt FROM deliveries WHERE kind = 'email' ORDER BY url",
  );

const received = (mails: MailServer, count: number) =>
  becomes(
    () => mails.mails,
    (all) => all.length >= count,
  );

describe('with a mail server', () => {
  let server: RunningServer;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await startMailServer();
    server = await startServer({ env: mailing(mails) });
  });
  afterAll(async () => {
    await server.dispose();
    await mails.close();
  });

  const mailsAbout = async (submissionId: string, count: number) =>
    becomes(
      async () => {
        const parsed = await Promise.all(
          mails.mails.map(async (mail) => ({ ...mail, parsed: await PostalMime.parse(mail.raw) })),
        );
        return parsed.filter((mail) => mail.parsed.text?.includes(submissionId));
      },
      (all) => all.length >= count,
    );

  it('the people of the form and of the project get one mail each, nobody two', async () => {
    const { endpoint } = await makeForm(server.url, {
      project: { notify_emails: ['team@example.com', 'both@example.com'] },
      form: { name: 'Kontakt', notify_emails: ['Both@Example.com', 'form@example.com'] },
    });
    const first = await submit(endpoint, {
      name: 'Zoë 🦉',
      email: 'zoe@example.org',
      message: 'Hello\nthere',
    });
    const second = await submit(endpoint, { name: 'Next' });
    await mailsAbout(second, 3);
    const about = await mailsAbout(first, 3);
    expect(about.map(({ to }) => to.join().toLowerCase()).sort()).toEqual([
      'both@example.com',
      'form@example.com',
      'team@example.com',
    ]);
    for (const { from: envelope, parsed } of about) {
      expect(envelope).toBe('inlet@forms.example.com');
      expect(parsed.from).toMatchObject({ name: 'Inlet', address: 'inlet@forms.example.com' });
      expect(parsed.to).toHaveLength(1);
      expect(parsed.replyTo).toMatchObject([{ address: 'zoe@example.org' }]);
      expect(parsed.subject).toBe('Zoë 🦉: Kontakt');
      for (const body of [parsed.text, parsed.html]) {
        expect(body).toContain('Zoë 🦉');
        expect(body).toContain('zoe@example.org');
      }
    }
    expect((await mailsAbout(second, 3))[0]?.parsed.replyTo ?? []).toEqual([]);
  });

  it('files are links that work without a key', async () => {
    const { endpoint } = await makeForm(server.url, { form: { notify_emails: ['files@example.com'] } });
    const sent = await submitFiles(
      endpoint,
      [
        { field: 'photo', filename: 'a & b <1>.png', type: 'image/png', content: onePixelPng },
        { field: 'note', filename: 'note.txt', type: 'text/plain', content: 'hello' },
      ],
      { name: 'Ada' },
    );
    const [mail] = await mailsAbout(sent.body.submission_id, 1);
    const links = (mail?.parsed.text ?? '').match(/https?:\S+files\S+token=\S+/g) ?? [];
    expect(links).toHaveLength(2);
    const contents = [];
    for (const link of links) {
      expect(link.startsWith(`${server.url}/api/v1/files/`)).toBe(true);
      expect(mail?.parsed.html).toContain(link.replaceAll('&', '&amp;'));
      const redirect = await request(link);
      expect(redirect.status, redirect.text).toBe(302);
      const content = await fetch(new URL(redirect.headers.get('location') ?? '', link));
      expect(content.status).toBe(200);
      contents.push(Buffer.from(await content.arrayBuffer()));
    }
    expect(contents[0]?.equals(Buffer.from(onePixelPng))).toBe(true);
    expect(contents[1]?.toString()).toBe('hello');
  });

  it('what a visitor writes adds no header and no recipient', async () => {
    const { endpoint } = await makeForm(server.url, { form: { notify_emails: ['safe@example.com'] } });
    const id = await submit(endpoint, {
      email: 'a@example.org\r\nBcc: victim@example.org',
      'subject\r\nX-Evil: 1': 'x\r\n.\r\nMAIL FROM:<evil@example.org>',
    });
    const [mail] = await mailsAbout(id, 1);
    expect(mail?.to).toEqual(['safe@example.com']);
    expect(mail?.parsed.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(mail?.parsed.headers.map(({ key }) => key)).not.toContain('x-evil');
    expect(mail?.parsed.replyTo ?? []).toEqual([]);
  });

  it('characters that reorder or hide text are written out', async () => {
    const { endpoint } = await makeForm(server.url, {
      project: { name: 'Site\u2067' },
      form: { name: 'Contact \u202etcatnoc', notify_emails: ['seen@example.com'] },
    });
    const id = await submit(endpoint, {
      'total\u202e': 'pay \u202e001 \u2066now\u2069\nbank\u200b.com',
      greeting: 'שלום\u200f!',
      list: [{ 'a\u202eb': 'c\u202d' }],
    });
    const [mail] = await mailsAbout(id, 1);
    const { subject = '', text = '', html = '' } = mail?.parsed ?? {};
    expect(subject).toBe('New submission: Contact [U+202E]tcatnoc');
    for (const part of [text, html]) {
      expect(part).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
      for (const shown of [
        'Site[U+2067]',
        'total[U+202E]',
        'pay [U+202E]001 [U+2066]now[U+2069]',
        'a[U+202E]b',
      ]) {
        expect(part).toContain(shown);
      }
      expect(part).toContain('bank[U+200B].com');
      // A mark that right-to-left text needs.
      expect(part).toContain('שלום\u200f!');
    }
  });

  it('a mail that has arrived is not sent again by hand or by a replay; a webhook that was set since is', async () => {
    const receiver = await startTurning();
    const form = await makeForm(server.url, { form: { notify_emails: ['once@example.com'] } });
    const api = client(server.url);
    const id = await submit(form.endpoint);
    await mailsAbout(id, 1);
    const deliveries = async () => (await api.get(`/api/v1/submissions/${id}/deliveries`)).body.data;
    await becomes(deliveries, ([mail]) => mail.state === 'delivered');
    const retry = () => api.post(`/api/v1/submissions/${id}/retry-webhook`);
    expect((await retry()).status).toBe(409);
    const replay = { form_id: form.formId, state: 'delivered', dry_run: true };
    expect((await api.post('/api/v1/deliveries/replay', replay)).body).toEqual({ count: 0 });
    await api.patch(`/api/v1/forms/${form.formId}`, { webhook_url: receiver.url });
    expect((await retry()).status).toBe(202);
    await becomes(deliveries, (all) => all.length === 2 && all[1].state === 'delivered');
    expect((await retry()).status).toBe(202);
    await becomes(
      () => receiver.requests.length,
      (count) => count === 2,
    );
    expect(await deliveries()).toMatchObject([
      { kind: 'email', attempts: [{ number: 1 }] },
      { kind: 'webhook' },
    ]);
    await receiver.close();
  });

  it('no mail is sent for spam, or for a form without addresses', async () => {
    const told = await makeForm(server.url, { form: { notify_emails: ['spam@example.com'] } });
    const silent = await makeForm(server.url);
    await submit(told.endpoint, { name: 'bot', _gotcha: 'caught' });
    await submit(silent.endpoint);
    const id = await submit(told.endpoint);
    await mailsAbout(id, 1);
    expect(mails.mails.filter(({ to }) => to.includes('spam@example.com'))).toHaveLength(1);
  });

  it('no mail is sent for a deleted submission', async () => {
    const held: (() => void)[] = [];
    const slow = await startMailServer({
      onMailFrom: (_address, _session, callback) => void held.push(() => callback(answer(451, 'later'))),
    });
    const other = await startTimeServer(70_000, { env: mailing(slow) });
    const { endpoint } = await makeForm(other.url, { form: { notify_emails: ['gone@example.com'] } });
    const id = await submit(endpoint);
    await becomes(
      () => held.length,
      (count) => count > 0,
    );
    for (const release of held.splice(0)) release();
    await becomes(
      async () => (await queued(other))[0]?.attempt,
      (attempt) => attempt === 1,
    );
    expect((await client(other.url).delete(`/api/v1/submissions/${id}`)).status).toBe(204);
    const connections = slow.connections();
    await other.step();
    await becomes(
      async () => (await queued(other)).every(({ state }) => state !== 'pending'),
      (isOver) => isOver,
    );
    expect(held).toHaveLength(0);
    expect(slow.connections()).toBe(connections);
    await other.dispose();
    await slow.close();
  });
});

/** Concurrent, because they wait: for servers that hang and for processes that were killed. */
describe.concurrent('a mail server in trouble', () => {
  it('that says "later" gets the mail again after a minute, once', async () => {
    let isBusy = true;
    const mails = await startMailServer({
      onMailFrom: (_address, _session, callback) => callback(isBusy ? answer(451, 'busy') : undefined),
    });
    const server = await startTimeServer(70_000, { env: mailing(mails) });
    const { endpoint } = await makeForm(server.url, {
      form: { notify_emails: ['a@example.com', 'b@example.com'] },
    });
    await submit(endpoint);
    const waiting = (recipient: string) => ({ recipient, state: 'pending', attempt: 1 });
    await becomes(
      () => queued(server),
      (rows) => rows.every(({ attempt }) => attempt === 1),
    );
    expect(await queued(server)).toEqual([waiting('a@example.com'), waiting('b@example.com')]);
    expect(mails.mails).toHaveLength(0);
    isBusy = false;
    await server.step();
    await received(mails, 2);
    await becomes(
      () => queued(server),
      (rows) => rows.every(({ state }) => state === 'delivered'),
    );
    expect(mails.mails.map(({ to }) => to.join()).sort()).toEqual(['a@example.com', 'b@example.com']);
    await server.dispose();
    await mails.close();
  });

  it('that is down costs no submission; the mail waits, also through a restart', async () => {
    const nobody = { url: `smtp://127.0.0.1:${await freePort()}` };
    const first = await startServer({ env: mailing(nobody) });
    const { endpoint, formId } = await makeForm(first.url, { form: { notify_emails: ['a@example.com'] } });
    const id = await submit(endpoint, { name: 'Ada' });
    await becomes(
      () => queued(first),
      ([row]) => row?.attempt === 1,
    );
    expect(await queued(first)).toEqual([{ recipient: 'a@example.com', state: 'pending', attempt: 1 }]);
    expect((await client(first.url).get(`/api/v1/forms/${formId}/submissions`)).body.data[0].id).toBe(id);
    await first.end();
    const mails = await startMailServer();
    const second = await startTimeServer(70_000, { env: mailing(mails), dataDir: first.dataDir });
    await second.step();
    const [mail] = await received(mails, 1);
    expect(mail?.to).toEqual(['a@example.com']);
    expect((await PostalMime.parse(mail?.raw ?? '')).text).toContain(id);
    await second.dispose();
    await mails.close();
  });

  it('that hangs while Inlet dies gets the mail after the restart', async () => {
    const hanging = await startMailServer({ onMailFrom: () => {} });
    const first = await startServer({ env: mailing(hanging) });
    const { endpoint } = await makeForm(first.url, { form: { notify_emails: ['a@example.com'] } });
    await submit(endpoint);
    await becomes(
      () => hanging.open(),
      (open) => open > 0,
    );
    await first.end('SIGKILL');
    hanging.drop();
    const mails = await startMailServer();
    const second = await startServer({ env: mailing(mails), dataDir: first.dataDir });
    await received(mails, 1);
    await becomes(
      () => queued(second),
      ([row]) => row?.state === 'delivered',
    );
    expect(mails.mails).toHaveLength(1);
    await second.dispose();
    await Promise.all([mails.close(), hanging.close()]);
  });

  it('that refuses one address for good does not keep the others from theirs', async () => {
    const mails = await startMailServer({
      onRcptTo: ({ address }, _session, callback) =>
        callback(
          address === 'unknown@example.com' ? answer(550, `5.7.1 <${address}> not allowed`) : undefined,
        ),
    });
    const server = await startServer({ env: mailing(mails) });
    const { endpoint, formId } = await makeForm(server.url, {
      form: { notify_emails: ['known@example.com', 'unknown@example.com'] },
    });
    const config = { to: ['unknown@example.com'], cc: ['copied@example.com'] };
    const own = { kind: 'email', config };
    expect((await client(server.url).post(`/api/v1/forms/${formId}/destinations`, own)).status).toBe(201);
    await submit(endpoint);
    await becomes(
      () => queued(server),
      (rows) => rows.every(({ state }) => state !== 'pending'),
    );
    expect(await queued(server)).toEqual([
      { recipient: 'copied@example.com', state: 'delivered', attempt: 1 },
      { recipient: 'known@example.com', state: 'delivered', attempt: 1 },
      { recipient: 'unknown@example.com', state: 'failed', attempt: 1 },
      { recipient: 'unknown@example.com', state: 'failed', attempt: 1 },
    ]);
    // The log outlives an erasure.
    expect(server.output()).toContain('550 5.7.1 <***> not allowed');
    expect(server.output()).not.toContain('unknown@example.com');
    await server.dispose();
    await mails.close();
  });

  it('that hangs does not hold up the end of Inlet', async () => {
    const hanging = await startMailServer({ onMailFrom: () => {} });
    const server = await startServer({ env: mailing(hanging) });
    const { endpoint } = await makeForm(server.url, { form: { notify_emails: ['a@example.com'] } });
    await submit(endpoint);
    await becomes(
      () => hanging.open(),
      (open) => open > 0,
    );
    const asked = Date.now();
    expect(await server.end()).toBe(0);
    expect(Date.now() - asked).toBeLessThan(20_000);
    hanging.drop();
    await server.dispose();
    await hanging.close();
  });
});

it('without a mail server it says so at the start and in doctor, queues nothing and works on', async () => {
  const server = await startServer({ env: { LOG_LEVEL: 'info' } });
  await waitUntil(() => /no mail server is set \(SMTP_URL, MAIL_FROM\)/.test(server.output()));
  const { endpoint } = await makeForm(server.url, { form: { notify_emails: ['a@example.com'] } });
  await submit(endpoint);
  expect(await queued(server)).toEqual([]);
  const { checks } = await inletJson(['doctor'], { dataDir: server.dataDir });
  const about = checks.find(({ name }: { name: string }) => name === 'e-mail');
  expect(JSON.stringify(about)).toMatch(/SMTP_URL/);
  await server.dispose();
});

/** Mail servers that greylist, fail after receiving the message, hang or refuse one of three: no reply, confirmation or digest is lost. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, makeForm } from '../support/client.js';
import { startTimeServer, type TimeServer } from '../support/clock.js';
import { answer, type MailServer, startMailServer } from '../support/mail-server.js';
import { becomes, deliveriesOf, submit } from '../support/webhooks.js';

type Fault = 'greylists' | 'has no room after the message' | 'hangs up after the message' | 'is slow';

const hourMs = 3_600_000;
/** The fault of the next mail to an address. */
const faults = new Map<string, Fault>();
const received: { readonly to: string; readonly id: string }[] = [];
const held: (() => void)[] = [];

const happens = (address: string, fault: Fault): boolean =>
  faults.get(address) === fault && faults.delete(address);

let mails: MailServer;
let server: TimeServer;
let api: Client;
beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo({ address }, _session, callback) {
      if (address.startsWith('gone')) callback(answer(550, '5.1.1 No such user'));
      else callback(happens(address, 'greylists') ? answer(451, '4.7.1 Try again later') : null);
    },
    onData(stream, { envelope }, callback) {
      const to = envelope.rcptTo[0]?.address ?? '';
      let raw = '';
      stream.on('data', (chunk: Buffer) => {
        raw += chunk.toString();
      });
      stream.on('end', () => {
        if (happens(to, 'has no room after the message')) {
          callback(answer(452, '4.3.1 Insufficient storage'));
          return;
        }
        received.push({ to, id: /^message-id: (.+)\r$/im.exec(raw)?.[1] ?? '' });
        if (happens(to, 'hangs up after the message')) mails.drop();
        else if (happens(to, 'is slow')) held.push(callback);
        else callback();
      });
    },
  });
  server = await startTimeServer(hourMs, {
    env: { SMTP_URL: mails.url, MAIL_FROM: 'inlet@forms.example.com', API_RATE_LIMIT_PER_MINUTE: '100000' },
  });
  api = client(server.url);
});
afterAll(async () => {
  for (const release of held.splice(0)) release();
  await server.dispose();
  await mails.close();
});

const digest = { every: 'hour', time_zone: 'UTC' };

/** Makes a mail of each kind to an address. Returns the submission that it is about. */
const kinds: Readonly<Record<string, (address: string) => Promise<string>>> = {
  async reply(email) {
    const autoresponder = { field: 'email', subject: 'Thanks', text: 'We write back.' };
    return submit((await makeForm(server.url, { form: { autoresponder } })).endpoint, { email });
  },
  async confirmation(email) {
    const double_opt_in = { field: 'email' };
    return submit((await makeForm(server.url, { form: { double_opt_in } })).endpoint, { email });
  },
  digest: (address) => digestTo([address]),
};

async function digestTo(to: readonly string[]): Promise<string> {
  const form = await makeForm(server.url);
  const body = { kind: 'email', config: { to, digest } };
  expect((await api.post(`/api/v1/forms/${form.formId}/destinations`, body)).status).toBe(201);
  const id = await submit(form.endpoint, { name: 'Ada' });
  await server.step();
  return id;
}

const mailTo = async (address: string, submissionId: string) =>
  (await deliveriesOf(api, submissionId)).find(({ url }) => url === address);
const stateBecomes = (address: string, submissionId: string, state: string) =>
  becomes(
    () => mailTo(address, submissionId),
    (mail) => mail?.state === state,
  );
const idsTo = (address: string) => received.filter(({ to }) => to === address).map(({ id }) => id);

describe.each(Object.entries(kinds))('a %s', (kind, make) => {
  it.each<[Fault, string, number]>([
    ['greylists', '451 4.7.1 Try again later', 1],
    ['has no room after the message', '452 4.3.1 Insufficient storage', 1],
    // It may have been accepted, so it is sent again under the same id.
    ['hangs up after the message', '', 2],
  ])('to a server that %s is sent again after a minute', async (fault, said, copies) => {
    const address = `${kind}-${fault.replaceAll(' ', '-')}@x.test`;
    faults.set(address, fault);
    const id = await make(address);
    const tried = await becomes(
      () => mailTo(address, id),
      (mail) => mail?.attempts.length === 1,
    );
    expect(tried?.state).toBe('pending');
    expect(tried?.attempts[0]?.error).toMatch(/^mail_server: /);
    expect(tried?.attempts[0]?.error).toContain(said);
    await server.step();
    await stateBecomes(address, id, 'delivered');
    const ids = idsTo(address);
    expect(ids).toHaveLength(copies);
    expect(new Set(ids).size).toBe(1);
    const suppressed = await api.get(`/api/v1/suppressed-addresses?address=${encodeURIComponent(address)}`);
    expect(suppressed.body.data).toEqual([]);
  });

  it('to a server that is slow is sent once', async () => {
    const address = `${kind}-slow@x.test`;
    faults.set(address, 'is slow');
    const id = await make(address);
    await becomes(
      () => held.length,
      (count) => count === 1,
    );
    expect((await mailTo(address, id))?.state).toBe('pending');
    for (const release of held.splice(0)) release();
    const mail = await stateBecomes(address, id, 'delivered');
    expect(mail?.attempts).toHaveLength(1);
    expect(idsTo(address)).toHaveLength(1);
  });
});

it('a digest reaches two of three recipients where the server refuses one', async () => {
  const id = await digestTo(['one@x.test', 'gone@x.test', 'three@x.test']);
  await Promise.all(['one@x.test', 'three@x.test'].map((address) => stateBecomes(address, id, 'delivered')));
  const refused = await stateBecomes('gone@x.test', id, 'failed');
  expect(refused?.attempts[0]?.error).toContain('550 5.1.1 No such user');
  expect([idsTo('one@x.test').length, idsTo('three@x.test').length]).toEqual([1, 1]);
});

/** `inlet doctor --mail` against a real mail server and a real name server, and the signature of the mail it sends. */
import { generateKeyPairSync } from 'node:crypto';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inlet } from '../support/cli.js';
import { makeForm } from '../support/client.js';
import { verifyDkim } from '../support/dkim.js';
import { answer, type MailServer, startMailServer } from '../support/mail-server.js';
import { type NameServer, startNameServer } from '../support/name-server.js';
import { startServer, temporaryFolder } from '../support/server.js';
import { becomes, submit } from '../support/webhooks.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const published = publicKey.toString('base64');

let mails: MailServer;
let names: NameServer;
let dataDir: string;
beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo: ({ address }, _session, callback) =>
      callback(address === 'gone@example.org' ? answer(550, '5.1.1 No such user') : null),
  });
  names = await startNameServer();
  dataDir = await temporaryFolder();
  expect((await inlet(['migrate'], { dataDir })).code).toBe(0);
});
afterAll(() => Promise.all([mails.close(), names.close()]));

const asking = (server: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(
    `import dns from 'node:dns'; dns.setServers(['${server}']);`,
  )}`,
});
const mailing = () => ({ SMTP_URL: mails.url, MAIL_FROM: 'Forms <forms@mail.example.com>' });
const signing = { DKIM_DOMAIN: 'example.com', DKIM_SELECTOR: 'inlet', DKIM_PRIVATE_KEY: privateKey };

interface Found {
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly next: string | null;
}

async function diagnose(env: Record<string, string>, to = 'you@example.org') {
  const run = await inlet(['doctor', '--json', '--mail', to], {
    dataDir,
    env: { ...mailing(), ...asking(names.server), ...env },
  });
  const { checks } = JSON.parse(run.stdout) as { checks: readonly Found[] };
  const of = (name: string) => checks.find((check) => check.name === name);
  return { code: run.code, of, states: ['test mail', 'SPF', 'DKIM', 'DMARC'].map((name) => of(name)?.state) };
}

it('sends a signed mail, and is content with records that fit', async () => {
  names.set('mail.example.com', { txt: ['google-site-verification=x', 'v=spf1 mx -all'] });
  names.set('inlet._domainkey.example.com', { txt: [`v=DKIM1; k=rsa; p=${published}`] });
  names.set('_dmarc.example.com', { txt: ['v=DMARC1; p=reject'] });
  const { code, states, of } = await diagnose(signing);
  expect([code, ...states]).toEqual([0, 'ok', 'ok', 'ok', 'ok']);
  expect(of('SPF')?.message).toContain('v=spf1 mx -all');
  expect(of('DMARC')?.message).toBe('_dmarc.example.com: "v=DMARC1; p=reject"');
  const raw = mails.mails.at(-1)?.raw ?? '';
  expect((await PostalMime.parse(raw)).subject).toBe('Test mail from Inlet');
  const result = verifyDkim(raw, published);
  expect(result).toMatchObject({
    ...{ domain: 'example.com', selector: 'inlet', isBodyHash: true, isSignature: true },
    signedHeaders: expect.arrayContaining(['from', 'to', 'subject', 'message-id']),
  });
  // Proves that the check can fail.
  expect(verifyDkim(raw.replace('This instance', 'That instance'), published)).toMatchObject({
    isBodyHash: false,
  });
  expect(verifyDkim(raw.replace('Subject: Test', 'Subject: Text'), published)).toMatchObject({
    isSignature: false,
  });
});

it('says which records are missing, and what they must be', async () => {
  for (const name of ['mail.example.com', 'inlet._domainkey.example.com', '_dmarc.example.com'])
    names.set(name, 'no such name');
  const { code, states, of } = await diagnose(signing);
  expect([code, ...states]).toEqual([0, 'ok', 'warn', 'warn', 'warn']);
  expect(of('SPF')?.next).toContain('mail.example.com → "v=spf1 a:127.0.0.1 ~all"');
  expect(of('DKIM')?.next).toBe(
    `Add a TXT record: inlet._domainkey.example.com → "v=DKIM1; k=rsa; p=${published}"`,
  );
  expect(of('DMARC')?.next).toContain('_dmarc.mail.example.com → "v=DMARC1; p=none;');
});

it('finds a key that is not ours, a domain that does not count, and too many records', async () => {
  names.set('inlet._domainkey.example.com', { txt: ['v=DKIM1; p=AAAA'] });
  names.set('mail.example.com', { txt: ['v=spf1 -all', 'v=spf1 mx -all'] });
  const wrong = await diagnose(signing);
  expect(wrong.code).toBe(1);
  expect(wrong.of('DKIM')).toMatchObject({ state: 'fail', next: expect.stringContaining(published) });
  expect(wrong.of('SPF')).toMatchObject({ state: 'warn', next: 'Merge them into one.' });
  names.set('inlet._domainkey.other.example', { txt: [`v=DKIM1; p=${published}`] });
  const other = await diagnose({ ...signing, DKIM_DOMAIN: 'other.example' });
  expect(other.of('DKIM')?.message).toContain(
    'signed for other.example, but MAIL_FROM is at mail.example.com',
  );
});

it('works without a network, and says so', async () => {
  for (const name of ['mail.example.com', '_dmarc.mail.example.com']) names.set(name, 'refused');
  const { code, states, of } = await diagnose({});
  expect([code, ...states]).toEqual([0, 'ok', 'skip', 'skip', 'skip']);
  expect(of('SPF')?.message).toContain('no name server responded');
  expect(of('DKIM')?.message).toContain('mails are not signed here');
  expect(verifyDkim(mails.mails.at(-1)?.raw ?? '', published)).toBeNull();
});

it('fails when the mail is not taken, and without a mail server', async () => {
  const refused = await diagnose({}, 'gone@example.org');
  expect(refused.code).toBe(1);
  expect(refused.of('test mail')?.message).toContain('550 5.1.1 No such user');
  const off = await inlet(['doctor', '--json', '--mail', 'a@example.org'], { dataDir });
  expect(off.code).toBe(1);
  expect(off.stdout).toContain('no mail server is set here');
});

it('takes one address', async () => {
  for (const address of ['nobody', 'A <a@b.example>', 'a@b.example, c@d.example']) {
    const { code, stderr } = await inlet(['doctor', '--mail', address], { dataDir });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--mail must be an e-mail address')]);
  }
});

it.each([
  ['no key', { DKIM_PRIVATE_KEY: 'hush' }, 'DKIM_PRIVATE_KEY cannot be read as a private key'],
  ['no selector', { DKIM_SELECTOR: '' }, 'DKIM_DOMAIN is set without DKIM_SELECTOR'],
])('with %s the server does not start', async (_, wrong, fault) => {
  const { code, stderr } = await inlet(['serve'], { dataDir, env: { ...mailing(), ...signing, ...wrong } });
  expect(code).not.toBe(0);
  expect(stderr).toContain(fault);
  expect(stderr).not.toContain('hush');
});

it('a key in one line signs notifications too', async () => {
  const server = await startServer({
    env: { ...mailing(), ...signing, DKIM_PRIVATE_KEY: privateKey.replaceAll('\n', '\\n') },
  });

  const form = await makeForm(server.url, { form: { notify_emails: ['owner@example.org'] } });
  await submit(form.endpoint, { name: 'Ünïcödé', message: 'Line  one \r\n\r\nLine two' });
  const [mail] = await becomes(
    () => mails.mails.filter(({ to }) => to.includes('owner@example.org')),
    (all) => all.length === 1,
  );
  expect(verifyDkim(mail?.raw ?? '', published)).toMatchObject({ isBodyHash: true, isSignature: true });
  await server.dispose();
});

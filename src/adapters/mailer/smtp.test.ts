import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import PostalMime from 'postal-mime';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { verifyDkim } from '../../../test/support/dkim.js';
import { answer, type MailServer, startMailServer } from '../../../test/support/mail-server.js';
import { type Mailer, type MailMessage, ordinaryMail } from '../../ports/mailer.js';
import { createSmtpMailer, type SmtpMailerOptions } from './smtp.js';

const message: MailMessage = {
  ...ordinaryMail,
  id: '019a2b3c-0000-7000-8000-000000000001',
  to: 'owner@example.com',
  shownTo: ['owner@example.com'],
  shownCc: [],
  replyTo: 'ada@example.org',
  subject: 'New submission: Kontaktformular für Ä',
  text: 'Name: Ada\nMessage:\n  Grüße\n.\nend\n',
  html: '<p>Name: Ada</p><p>Grüße</p>',
};

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

async function serve(options?: SMTPServerOptions): Promise<MailServer> {
  const server = await startMailServer(options);
  ended.push(() => server.close());
  return server;
}

function mailer(url: string, options: Partial<SmtpMailerOptions> = {}): Mailer {
  const created = createSmtpMailer({ url, from: 'Inlet <forms@inlet.example>', ...options });
  ended.push(() => created.close());
  return created;
}

/** A plain TCP server that is not a mail server: `speak` gets the connection. */
async function rawServer(speak: (socket: Socket) => void): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    speak(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ended.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

const signIn: SMTPServerOptions['onAuth'] = ({ username, password }, _session, callback) => {
  if (username === 'forms@inlet.example' && password === 'p@ss:/wörd%') callback(null, { user: username });
  // Some servers echo the credentials.
  else callback(answer(535, `5.7.8 Wrong password ${password} for ${username}`));
};
const withUser = (url: string, password: string): string =>
  url.replace('//', `//${encodeURIComponent('forms@inlet.example')}:${encodeURIComponent(password)}@`);

describe('a mail that the server takes', () => {
  it('arrives once, with its headers and both of its forms', async () => {
    const server = await serve();
    expect(await mailer(server.url).send(message)).toEqual({ kind: 'sent' });
    expect(server.mails).toHaveLength(1);
    const [received] = server.mails;
    expect(received).toMatchObject({ from: 'forms@inlet.example', to: ['owner@example.com'] });
    const mail = await PostalMime.parse(received?.raw ?? '');
    expect(mail).toMatchObject({
      from: { name: 'Inlet', address: 'forms@inlet.example' },
      to: [{ address: 'owner@example.com' }],
      replyTo: [{ address: 'ada@example.org' }],
      subject: message.subject,
      messageId: '<019a2b3c-0000-7000-8000-000000000001@inlet.example>',
      text: `${message.text}\n`,
      html: `${message.html}\n`,
      attachments: [],
    });
    const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]));
    expect(headers).toMatchObject({
      'auto-submitted': 'auto-generated',
      'x-auto-response-suppress': 'All',
    });
    expect(mail.headers.map(({ key }) => key)).not.toContain('x-mailer');
  });

  it('carries a name, a thread, a way to unsubscribe and files', async () => {
    const server = await serve();
    const unsubscribeUrl = `https://forms.example/unsubscribe/${'x'.repeat(300)}?a=1&b=2`;
    const content = Buffer.from([0, 1, 2, 253, 254, 255]);
    const outcome = await mailer(server.url).send({
      ...message,
      fromName: 'Träger, Köln',
      references: 'submission-1',
      autoSubmitted: 'auto-replied',
      unsubscribeUrl,
      attachments: [
        { filename: 'Müller "1".png', type: 'image/png', read: async () => content },
        { filename: 'page.html', type: 'text/html; charset=utf-7', read: async () => content },
      ],
    });
    expect(outcome).toEqual({ kind: 'sent' });
    const mail = await PostalMime.parse(server.mails[0]?.raw ?? '', { attachmentEncoding: 'arraybuffer' });
    expect(mail).toMatchObject({
      from: { name: 'Träger, Köln', address: 'forms@inlet.example' },
      references: '<submission-1@inlet.example>',
      text: `${message.text}\n`,
      html: `${message.html}\n`,
      attachments: [
        { filename: 'Müller "1".png', mimeType: 'image/png', disposition: 'attachment' },
        { filename: 'page.html', mimeType: 'application/octet-stream', disposition: 'attachment' },
      ],
    });
    for (const attachment of mail.attachments) {
      expect(Buffer.from(attachment.content as ArrayBuffer)).toEqual(content);
    }
    const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]));
    expect(headers).toMatchObject({
      'auto-submitted': 'auto-replied',
      'list-unsubscribe': `<${unsubscribeUrl}>`,
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    });
  });

  it('is signed with all its heads, the way to unsubscribe included', async () => {
    const server = await serve();
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'der' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const dkim = { domain: 'inlet.example', selector: 'k1', privateKey };
    const unsubscribeUrl = 'https://forms.example/unsubscribe';
    await mailer(server.url, { dkim }).send({ ...message, references: 'submission-1', unsubscribeUrl });
    const signed = verifyDkim(String(server.mails[0]?.raw ?? ''), publicKey.toString('base64'));
    expect(signed).toMatchObject({
      ...{ domain: 'inlet.example', selector: 'k1', isBodyHash: true, isSignature: true },
      signedHeaders: expect.arrayContaining([
        ...['from', 'to', 'subject', 'reply-to', 'message-id', 'references', 'auto-submitted'],
        ...['list-unsubscribe', 'list-unsubscribe-post'],
      ]),
    });
  });

  it('is tried again when a file cannot be read', async () => {
    const server = await serve();
    const read = () => Promise.reject(new Error('The bucket is unavailable'));
    const outcome = await mailer(server.url).send({
      ...message,
      attachments: [{ filename: 'a', type: 'text/plain', read }],
    });
    expect(outcome).toMatchObject({ kind: 'refused', permanent: false, isNoMailbox: false });
    expect(server.mails).toEqual([]);
  });

  it.each([
    ['plain@inlet.example', { name: '', address: 'plain@inlet.example' }],
    ['<plain@inlet.example>', { name: '', address: 'plain@inlet.example' }],
    ['Träger e.V. <t@inlet.example>', { name: 'Träger e.V.', address: 't@inlet.example' }],
    ['"Doe, Jane" <j@inlet.example>', { name: 'Doe, Jane', address: 'j@inlet.example' }],
  ])('comes from %s', async (from, expected) => {
    const server = await serve();
    expect(await mailer(server.url, { from }).send(message)).toEqual({ kind: 'sent' });
    const [received] = server.mails;
    expect(received?.from).toBe(expected.address);
    expect((await PostalMime.parse(received?.raw ?? '')).from).toEqual(expected);
  });

  it('goes out under our name when the server asks for it', async () => {
    const server = await serve({ authOptional: false, onAuth: signIn });
    const sender = mailer(withUser(server.url, 'p@ss:/wörd%'));
    await sender.check();
    expect(await sender.send(message)).toEqual({ kind: 'sent' });
    expect(server.mails[0]?.user).toBe('forms@inlet.example');
  });

  it('goes out encrypted when the server offers it and its certificate is accepted', async () => {
    const server = await serve({ disabledCommands: [] });
    const sender = mailer(`${server.url}?requireTLS=true&tls.rejectUnauthorized=false`);
    expect(await sender.send(message)).toEqual({ kind: 'sent' });
    expect(server.mails[0]?.secure).toBe(true);
  });
});

describe('a mail that is refused', () => {
  it.each<[string, SMTPServerOptions, boolean, string]>([
    [
      'an unknown recipient',
      { onRcptTo: (_address, _session, callback) => callback(answer(550, '5.1.1 No such\tuser')) },
      true,
      'The mail server refused the recipient: 550 5.1.1 No such user',
    ],
    [
      'greylisting',
      { onRcptTo: (_address, _session, callback) => callback(answer(451, '4.7.1 Try again later')) },
      false,
      'The mail server refused the recipient: 451 4.7.1 Try again later',
    ],
    [
      'a sender that may not send',
      { onMailFrom: (_address, _session, callback) => callback(answer(553, '5.7.1 Not your address')) },
      false,
      'The mail server refused the sender: 553 5.7.1 Not your address',
    ],
    [
      'a login that is missing',
      { authOptional: false },
      false,
      'The mail server refused the sender: 530 Error: authentication Required',
    ],
    [
      'content that is taken for spam',
      {
        onData(stream, _session, callback) {
          stream.resume().on('end', () => callback(answer(554, '5.7.1 Spam')));
        },
      },
      true,
      'The mail server refused the message: 554 5.7.1 Spam',
    ],
    [
      'a full disk',
      {
        onData(stream, _session, callback) {
          stream.resume().on('end', () => callback(answer(452, '4.3.1 Insufficient storage')));
        },
      },
      false,
      'The mail server refused the message: 452 4.3.1 Insufficient storage',
    ],
  ])('%s', async (_, options, permanent, detail) => {
    const server = await serve(options);
    expect(await mailer(server.url).send(message)).toMatchObject({ kind: 'refused', permanent, detail });
    expect(server.mails).toEqual([]);
  });

  it.each([
    ['550 5.1.1 No such user', true],
    ['550-5.1.1 The email account does not exist', true],
    ['550 5.1.10 Recipient not found', true],
    ['553 5.1.3 Bad address', true],
    ['550 5.2.1 The account is disabled', true],
    ['550 No such user here', true],
    ['550 Requested action not taken: mailbox unknown', true],
    ['550 Mailbox unavailable', false],
    ['550 5.7.1 Your address is listed; unknown user rate', false],
    ['552 5.2.2 Mailbox full', false],
    ['554 5.7.1 Rejected by policy', false],
    ['450 4.1.1 No such user, try later', false],
    ['530 5.1.1 Log in first', false],
  ])('%s: a hard bounce is %s', async (said, isNoMailbox) => {
    const server = await serve({
      onRcptTo: (_address, _session, callback) => callback(answer(Number(said.slice(0, 3)), said.slice(4))),
    });
    expect(await mailer(server.url).send(message)).toMatchObject({ kind: 'refused', isNoMailbox });
  });

  it('is no bounce when the server takes the recipient and refuses the message', async () => {
    const server = await serve({
      onData(stream, _session, callback) {
        stream.resume().on('end', () => callback(answer(550, '5.1.1 No such user')));
      },
    });
    expect(await mailer(server.url).send(message)).toMatchObject({ permanent: true, isNoMailbox: false });
  });

  it('leaves the connection to the next one', async () => {
    const server = await serve({
      onRcptTo: ({ address }, _session, callback) =>
        callback(address === 'gone@example.com' ? answer(550, 'gone') : null),
    });
    const sender = mailer(server.url, { poolSize: 1 });
    expect(await sender.send({ ...message, to: 'gone@example.com' })).toMatchObject({ permanent: true });
    expect(await sender.send(message)).toEqual({ kind: 'sent' });
    expect(server.connections()).toBe(1);
  });

  it('a wrong password: to be tried again, and never revealed', async () => {
    const server = await serve({ authOptional: false, onAuth: signIn });
    const sender = mailer(withUser(server.url, 'hunter2+secret'));
    const detail = 'The mail server refused our login: 535 5.7.8 Wrong password *** for ***';
    expect(await sender.send(message)).toMatchObject({ kind: 'refused', permanent: false, detail });
    await expect(sender.check()).rejects.toThrow(new Error(detail));
  });

  it('a certificate that nobody vouches for', async () => {
    const server = await serve({ disabledCommands: [] });
    const outcome = await mailer(server.url).send(message);
    expect(outcome).toMatchObject({ kind: 'refused', permanent: false });
    expect(outcome).toHaveProperty('detail', expect.stringContaining('No secure connection'));
    expect(server.mails).toEqual([]);
  });

  it('a server that offers no encryption although it is required', async () => {
    const server = await serve();
    expect(await mailer(`${server.url}?requireTLS=true`).send(message)).toMatchObject({
      kind: 'refused',
      permanent: false,
      detail: expect.stringContaining('No secure connection'),
    });
  });

  it('a server that is not there', async () => {
    const { url } = await rawServer(() => {});
    for (const end of ended.splice(0)) await end();
    const sender = mailer(url);
    const detail = 'Could not connect to the mail server: connection refused.';
    expect(await sender.send(message)).toMatchObject({ kind: 'refused', permanent: false, detail });
    await expect(sender.check()).rejects.toThrow(detail);
  });

  it('a server that closes at once', async () => {
    const { url } = await rawServer((socket) => socket.destroy());
    expect(await mailer(url).send(message)).toMatchObject({ kind: 'refused', permanent: false });
  });

  it('a server that hangs up in the middle of the mail', async () => {
    const server = await serve({
      onData(stream) {
        stream.once('data', () => server.drop());
        stream.on('error', () => {});
      },
    });
    const long = { ...message, text: `${'A long line of text. '.repeat(40)}\n`.repeat(200) };
    expect(await mailer(server.url).send(long)).toMatchObject({
      kind: 'refused',
      permanent: false,
      detail: 'The mail server closed the connection.',
    });
  });

  it.each(['not an address', 'a@b.c, d@e.f', 'a@b.c\r\nBcc: d@e.f', 'A <a@b.c>', ''])(
    'the recipient %j, without asking the server',
    async (to) => {
      const server = await serve();
      expect(await mailer(server.url).send({ ...message, to })).toMatchObject({
        kind: 'refused',
        permanent: true,
      });
      expect(server.connections()).toBe(0);
    },
  );
});

describe('a server that does not respond', () => {
  const timeoutMs = 300;

  it('costs the time that was given, at the greeting', async () => {
    const { url } = await rawServer(() => {});
    const sender = mailer(url, { timeoutMs });
    expect(await sender.send(message)).toMatchObject({ kind: 'refused', permanent: false });
    await expect(sender.check()).rejects.toThrow('The mail server did not');
  });

  it('costs the time that was given, after the mail was written', async () => {
    const server = await serve({
      onData(stream) {
        stream.resume();
      },
    });
    expect(await mailer(server.url, { timeoutMs }).send(message)).toMatchObject({
      kind: 'refused',
      permanent: false,
    });
  });

  // Each letter restarts an idle timeout. Only an overall timeout ends it.
  it('costs no more when it responds one letter at a time', async () => {
    const timers = new Set<NodeJS.Timeout>();
    ended.push(async () => {
      for (const timer of timers) clearInterval(timer);
    });
    const { url } = await rawServer((socket) => {
      socket.write('220-');
      timers.add(setInterval(() => socket.writable && socket.write('.'), 20));
    });
    expect(await mailer(url, { timeoutMs }).send(message)).toMatchObject({
      kind: 'refused',
      permanent: false,
    });
  });

  it('does not hold up the mails after it, nor sends the one given up on later', async () => {
    let answerLate = (): void => {};
    let tries = 0;
    const server = await serve({
      onData(stream, _session, callback) {
        tries += 1;
        stream.resume();
        if (tries === 1) answerLate = () => callback();
        else stream.on('end', () => callback());
      },
    });
    const sender = mailer(server.url, { timeoutMs: 4_000, poolSize: 1 });
    expect(await sender.send(message)).toMatchObject({ kind: 'refused', permanent: false });
    expect(await sender.send({ ...message, id: 'second' })).toEqual({ kind: 'sent' });
    answerLate();
    expect(tries).toBe(2);
    expect(server.connections()).toBe(2);
  });
});

describe('connections', () => {
  it('are made for the first mail, kept for the next ones and ended by close', async () => {
    const server = await serve();
    const sender = mailer(server.url);
    expect(server.connections()).toBe(0);
    for (let n = 0; n < 5; n += 1) expect(await sender.send(message)).toEqual({ kind: 'sent' });
    expect(server.connections()).toBe(1);
    expect(server.open()).toBe(1);
    await sender.close();
    await server.allGone();
    expect(await sender.send(message)).toMatchObject({ kind: 'refused', permanent: false });
    expect(server.connections()).toBe(1);
  });

  it('are never more than the pool has', async () => {
    const server = await serve();
    const sender = mailer(server.url, { poolSize: 3 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => sender.send(message)));
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => ({ kind: 'sent' })));
    expect(server.mails).toHaveLength(20);
    expect(server.connections()).toBeLessThanOrEqual(3);
  });

  it('that the server dropped are replaced without a lost or doubled mail', async () => {
    const server = await serve();
    const sender = mailer(server.url, { poolSize: 1 });
    for (let n = 0; n < 3; n += 1) {
      expect(await sender.send(message)).toEqual({ kind: 'sent' });
      server.drop();
    }
    expect(server.mails).toHaveLength(3);
  });

  it('are closed after the mails that are on their way', async () => {
    const server = await serve();
    const sender = mailer(server.url);
    const onTheWay = [sender.send(message), sender.send(message)];
    await sender.close();
    expect(await Promise.all(onTheWay)).toEqual([{ kind: 'sent' }, { kind: 'sent' }]);
    await server.allGone();
  });
});

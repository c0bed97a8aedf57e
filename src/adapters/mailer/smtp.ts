/**
 * Mail over SMTP. Nothing is loaded or connected before the first mail; connections stay open for the next ones.
 *
 * A mail that we gave up on must not be sent later, because its retry would be a second copy. So every connection is its
 * own pool of size one: nothing ever waits inside the mail library, and a hanging send can be ended alone.
 */
import { Slots } from '../../kernel/concurrency.js';
import { isMailbox, isPlainAddress } from '../../kernel/email-address.js';
import type { Mailer, MailMessage, MailOutcome } from '../../ports/mailer.js';
import { type Refused, refusalOf, secretSpellings } from './smtp-fault.js';
import { parseSender, parseSmtpUrl, type Sender } from './smtp-url.js';

export interface SmtpMailerOptions {
  /** `smtp://` or `smtps://`, with credentials where needed. */
  readonly url: string;
  /** `a@b.c` or `Name <a@b.c>`. */
  readonly from: string;
  /** How long one mail may take, and how long it may wait for a connection before that. */
  readonly timeoutMs?: number;
  /** Signs every mail (RFC 6376). Null to sign none. */
  readonly dkim?: DkimKey | null;
  /** How many mails are sent at the same time. */
  readonly poolSize?: number;
}

export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly privateKey: string;
}

/** All headers that we write. The library's list lacks the last one, which must be signed for one-click buttons (RFC 8058). */
const signedHeaders =
  'From:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:References:' +
  'Auto-Submitted:List-Unsubscribe:List-Unsubscribe-Post';

const signingBy = ({ domain, selector, privateKey }: DkimKey) => ({
  domainName: domain,
  keySelector: selector,
  privateKey,
  headerFieldNames: signedHeaders,
});

/** Shorter than the idle timeout of mail servers (5 minutes by RFC 5321, 10 s at some large ones). */
const idleMs = 8_000;

export function createSmtpMailer({
  url,
  from,
  timeoutMs = 30_000,
  poolSize = 2,
  dkim = null,
}: SmtpMailerOptions): Mailer {
  const server = parseSmtpUrl(url);
  const sender = parseSender(from);
  const secrets = secretSpellings(server.auth);
  const unlimited = Number.POSITIVE_INFINITY;
  const turns = new Slots(poolSize, poolSize, { max: unlimited, maxPerKey: unlimited });
  const free: Transport[] = [];
  const busy = new Set<Transport>();
  const sending = new Set<Promise<MailOutcome>>();
  let closed = false;

  type Transport = Awaited<ReturnType<typeof open>>;

  async function open() {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      ...server.options,
      host: server.host,
      secure: server.secure,
      ...(server.port === undefined ? {} : { port: server.port }),
      ...(server.auth === undefined ? {} : { auth: { ...server.auth } }),
      tls: { ...server.tls },
      ...(dkim === null ? {} : { dkim: signingBy(dkim) }),
      pool: true,
      maxConnections: 1,
      // A reused connection may turn out to be dead before a byte is sent. Then a new one is tried.
      maxRequeues: 2,
      idleTimeout: Math.min(idleMs, timeoutMs / 2),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      logger: false,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  const sendThrough = async (transport: Transport, message: MailMessage) =>
    transport.sendMail({ ...mailOf(message, sender), attachments: await attachmentsOf(message) });

  async function attempt(message: MailMessage): Promise<MailOutcome> {
    const transport = free.pop() ?? (await open());
    busy.add(transport);
    const outcome = await within(
      timeoutMs,
      sendThrough(transport, message).then(
        (): MailOutcome => ({ kind: 'sent' }),
        (error: unknown) => refusalOf(error, secrets),
      ),
    );
    busy.delete(transport);
    if (outcome === late) {
      // Also ends what an idle timeout would not: a server that responds one letter at a time.
      transport.close({ force: true });
      return notNow(`The mail server did not take the mail within ${timeoutMs / 1000} s.`);
    }
    free.push(transport);
    return outcome;
  }

  async function send(message: MailMessage): Promise<MailOutcome> {
    if (!isMailbox(message.to)) {
      return { ...notNow('The recipient is not one e-mail address.'), permanent: true };
    }
    const atOnce = turns.take('');
    const release = atOnce ?? (await turns.wait('', timeoutMs));
    if (release === null) {
      return notNow(`No connection to the mail server was free within ${timeoutMs / 1000} s.`);
    }
    try {
      // Closing waits for mails that are being sent, not for those still waiting for a connection.
      return closed && atOnce === null ? notNow(closing) : await attempt(message);
    } catch (error) {
      return refusalOf(error, secrets);
    } finally {
      release();
    }
  }

  return {
    send(message) {
      if (closed) return Promise.resolve(notNow(closing));
      const result = send(message);
      sending.add(result);
      return result.finally(() => sending.delete(result));
    },

    async check() {
      const transport = await open();
      const fault = await within(
        timeoutMs,
        transport.verify().then(
          () => null,
          (error: unknown) => refusalOf(error, secrets).detail,
        ),
      );
      transport.close({ force: true });
      if (fault === late) throw new Error(`The mail server did not answer within ${timeoutMs / 1000} s.`);
      // Without the cause: it may contain what is masked in the text.
      if (fault !== null) throw new Error(fault);
    },

    cutOff() {
      closed = true;
      for (const transport of busy) transport.close({ force: true });
    },

    async close() {
      closed = true;
      await Promise.all(sending);
      for (const transport of free.splice(0)) transport.close({ force: true });
    },
  };
}

const closing = 'The service is shutting down.';
const notNow = (detail: string): Refused => ({
  kind: 'refused',
  permanent: false,
  isNoMailbox: false,
  detail,
});

const late = Symbol('late');

async function within<T>(ms: number, work: Promise<T>): Promise<T | typeof late> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

const toAddress = (address: string) => ({ name: '', address });

/**
 * Text that is safe in a header. The mail library encodes it. Removes characters that end a line or change its direction,
 * and breaks up encoded words that a user typed, because mail programs would decode them.
 */
const headerText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replaceAll('=?', '= ?');

const attachmentsOf = ({ attachments }: MailMessage) =>
  Promise.all(
    attachments.map(async ({ filename, type, read }) => ({
      filename: headerText(filename),
      contentType: /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : 'application/octet-stream',
      content: Buffer.from(await read()),
    })),
  );

/** Addresses are passed as values and the envelope is explicit, so that no text is ever parsed as a list of recipients. */
const mailOf = (message: MailMessage, sender: Sender) => ({
  from: { ...sender, ...(message.fromName === null ? {} : { name: headerText(message.fromName) }) },
  to: message.shownTo.map(toAddress),
  ...(message.shownCc.length > 0 ? { cc: message.shownCc.map(toAddress) } : {}),
  envelope: { from: sender.address, to: [message.to] },
  ...(message.replyTo !== null && isPlainAddress(message.replyTo)
    ? { replyTo: { name: '', address: message.replyTo } }
    : {}),
  subject: headerText(message.subject),
  text: message.text,
  html: message.html,
  messageId: messageId(message.id, sender),
  ...(message.references === null ? {} : { references: messageId(message.references, sender) }),
  headers: {
    // Keeps out-of-office notices and bots from replying to the visitor or to us.
    'Auto-Submitted': message.autoSubmitted,
    'X-Auto-Response-Suppress': 'All',
    ...unsubscribing(message.unsubscribeUrl),
  },
});

const messageId = (id: string, { address }: Sender): string =>
  `<${id.replace(/[^\w.-]/g, '')}@${address.split('@').at(-1)}>`;

/** Passed through unchanged: encoding or folding would break the URL. */
const unsubscribing = (url: string | null) =>
  url === null || !/^https?:\/\/[!-;=?-~]{1,900}$/.test(url)
    ? {}
    : {
        'List-Unsubscribe': { prepared: true, value: `<${url}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      };

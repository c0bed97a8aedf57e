/**
 * Describes in one line for its owner what went wrong with a mail. Text from the server is never shown with control
 * characters, with our credentials or at unlimited length.
 */
import type { MailOutcome } from '../../ports/mailer.js';

/** What the mail library adds to its errors. */
interface SmtpFault {
  readonly message: string;
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

export type Refused = Extract<MailOutcome, { kind: 'refused' }>;

const maxDetailLength = 300;
/** Codes about the session or our login, not this mail: bad sequence, authentication or encryption required. */
const aboutTheSession = new Set([503, 530, 534, 535, 538]);
const messageTooLarge = 552;

export function refusalOf(error: unknown, secrets: readonly string[]): Refused {
  const fault = asFault(error);
  return {
    kind: 'refused',
    permanent: isPermanent(fault),
    isNoMailbox: isNoMailbox(fault),
    detail: oneLine(describe(fault), secrets),
  };
}

const asFault = (error: unknown): SmtpFault => (error instanceof Error ? error : { message: String(error) });

function isPermanent({ code, command, responseCode }: SmtpFault): boolean {
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false;
  // Rejected before anything was sent: SMTP cannot carry this address.
  if (responseCode === undefined) return command === 'API';
  if (responseCode < 500 || responseCode > 599 || aboutTheSession.has(responseCode)) return false;
  // A rejected sender is a configuration error: once it is fixed, the same mail will pass.
  return command !== 'MAIL FROM' || responseCode === messageTooLarge;
}

/**
 * Only responses about the address itself (RFC 3463, 5.1.x and a disabled mailbox). A rejection for content, reputation or a
 * full mailbox has the same status but goes away. Without such an enhanced code, matches the words that common servers use.
 */
const noMailbox = /^5\d\d[ -](?:5\.1\.(?:1|2|3|6|10)|5\.2\.1)\b/;
const noMailboxWords =
  /\b(?:user|recipient|mailbox|address)\b.*\b(?:unknown|not found|does(?: not|n't) exist)\b|\b(?:no such|unknown) (?:user|recipient|mailbox|address)\b/i;

function isNoMailbox(fault: SmtpFault): boolean {
  const { code, command, response = '' } = fault;
  if (code !== 'EENVELOPE' || command !== 'RCPT TO' || !isPermanent(fault)) return false;
  return noMailbox.test(response) || (!/^5\d\d[ -]5\.\d/.test(response) && noMailboxWords.test(response));
}

function describe(fault: SmtpFault): string {
  const cause = fault.response ?? fault.message;
  switch (fault.code) {
    case 'EENVELOPE':
      return `The mail server refused the ${fault.command === 'MAIL FROM' ? 'sender' : 'recipient'}: ${cause}`;
    case 'EMESSAGE':
      return `The mail server refused the message: ${cause}`;
    case 'EAUTH':
    case 'ENOAUTH':
      return `The mail server refused our login: ${cause}`;
    case 'ETIMEDOUT':
      return 'The mail server did not answer in time.';
    case 'EDNS':
      return 'The host name of the mail server was not found.';
    case 'ETLS':
      return `No secure connection to the mail server: ${cause}`;
    case 'ECONNECTION':
      return fault.response === undefined
        ? 'The mail server closed the connection.'
        : `The mail server closed the connection: ${cause}`;
    case 'ESOCKET':
      return ofSocket(fault);
    default:
      return `The mail could not be sent: ${cause}`;
  }
}

function ofSocket({ originalCode = '', message }: SmtpFault): string {
  if (originalCode === 'ECONNREFUSED') return 'Could not connect to the mail server: connection refused.';
  if (/^(?:ECONNRESET|EPIPE)$/.test(originalCode)) return 'The mail server closed the connection.';
  if (/CERT|SSL|TLS|ISSUER|SIGNATURE|EPROTO/.test(originalCode)) {
    return `No secure connection to the mail server: ${message}`;
  }
  return `Could not connect to the mail server: ${message}`;
}

function oneLine(text: string, secrets: readonly string[]): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  const masked = secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), line);
  return masked.length > maxDetailLength ? `${masked.slice(0, maxDetailLength - 1).toWellFormed()}…` : masked;
}

/**
 * Every spelling in which a server could echo our credentials, longest first. Texts of one or two characters are left
 * out: they are not secret, and masking them would make every line unreadable.
 */
export function secretSpellings(auth: { user: string; pass: string } | undefined): readonly string[] {
  if (auth === undefined) return [];
  const { user, pass } = auth;
  const together = [`\0${user}\0${pass}`, `${user}\0${user}\0${pass}`].map(base64);
  const each = [user, pass].flatMap((text) => [text, encodeURIComponent(text.toWellFormed()), base64(text)]);
  return [...new Set([...together, ...each])]
    .filter((text) => text.length > 2)
    .sort((left, right) => right.length - left.length);
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

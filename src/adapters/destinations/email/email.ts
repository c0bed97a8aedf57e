/**
 * Mails about submissions. Each recipient is a separate delivery: one that the server rejects does not affect the others. The
 * text is composed when it is sent, so that file links are valid from then on. The row only records that a mail is due.
 */
import { mailOrigin, noExchange } from '../../../model/delivery.js';
import { type DestinationOf, type MailPurpose, purposeOf } from '../../../model/destination.js';
import type { DestinationKind, Message, SendResult } from '../../../ports/destination-kind.js';
import { type Mailer, type MailOutcome, noMailServer } from '../../../ports/mailer.js';
import { type Composer, suppressed, type Unsent } from './composer.js';
import { digestIn } from './digest.js';
import { bodyOf, recipientsOf } from './notification.js';

export interface EmailDeps {
  /** Null when no mail server is configured. */
  readonly mailer: Mailer | null;
  readonly composers: Readonly<Record<MailPurpose | 'digest', Composer>>;
  /** Monotonic. */
  readonly now: () => number;
  /** Called before the attempt is recorded, so that what it writes is durable by then. */
  readonly observe: (message: Message, sent: SentMail, outcome: MailOutcome) => Promise<void>;
}

export interface SentMail {
  readonly destination: DestinationOf<'email'>;
  /** The form that the mail is about. */
  readonly formId: string;
}

export interface EmailKind extends DestinationKind<'email'> {
  /** Makes sends under way reject, and closes the connections. */
  cutOff(): Promise<void>;
}

export function createEmail({ mailer, composers, now, observe }: EmailDeps): EmailKind {
  let isCutOff = false;

  const send = async (message: Message, destination: DestinationOf<'email'>): Promise<Sent> => {
    const purpose = purposeOf(destination.id);
    if (!mailer) return withoutServer(purpose);
    const compose = composers[digestIn(message.body) === null ? purpose : 'digest'];
    const composed = await compose(message, destination);
    if (!('mail' in composed)) return composed;
    const outcome = await mailer.send(composed.mail);
    // A mail that we cut off ourselves does not count as an attempt.
    if (isCutOff && outcome.kind !== 'sent') throw new Error('The service is shutting down');
    await observe(message, { destination, formId: composed.formId }, outcome);
    return sentAs(purpose, outcome);
  };

  return {
    originOf: () => mailOrigin,

    prepare: (event, { config }) =>
      recipientsOf(config, () => event.fields()).map((address) => ({
        address,
        body: event.isTest ? bodyOf(event) : '',
      })),

    async send(message, destination) {
      const startedAt = now();
      const sent = await send(message, destination);
      return resultOf(message, sent, Math.round(now() - startedAt));
    },

    async cutOff() {
      isCutOff = true;
      mailer?.cutOff();
      await mailer?.close();
    },
  };
}

type Sent = Unsent | { readonly end: 'succeeded'; readonly error: null };

/** A mail to a visitor is useless if a server is only configured some day later, so it is not retried. */
const withoutServer = (purpose: MailPurpose): Unsent =>
  purpose === 'notification' ? { end: 'failed', error: noMailServer } : suppressed(noMailServer);

function sentAs(purpose: MailPurpose, outcome: MailOutcome): Sent {
  if (outcome.kind === 'sent') return { end: 'succeeded', error: null };
  const { isNoMailbox, permanent, detail } = outcome;
  // A visitor's typo is not a failure of the form.
  if (isNoMailbox && purpose !== 'notification') return suppressed(`bounced: ${detail}`);
  return { end: permanent ? 'rejected' : 'failed', error: `mail_server: ${detail}` };
}

const resultOf = (message: Message, sent: Sent, durationMs: number): SendResult => ({
  ...noExchange,
  ...sent,
  durationMs,
  retryAfterMs: null,
  // A mail server that does not respond occupies only the few slots of its own origin.
  isUnresponsive: false,
  responseHeaders: null,
  recorded: () => null,
  request: () => ({ method: 'SMTP', url: `mailto:${message.url}`, headers: {}, body: '' }),
});

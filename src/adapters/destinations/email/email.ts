/**
 * Mails about submissions. Each recipient is a delivery: one that the server refuses keeps no other from its mail. The text is
 * made when it is sent, so that links to files last from then on; the row is only the promise.
 */
import type { EmailConfig } from '../../../contract/destination.js';
import { distinctAddresses } from '../../../kernel/email-address.js';
import { mailOrigin, noExchange } from '../../../model/delivery.js';
import type { DestinationOf } from '../../../model/destination.js';
import { shownFile } from '../../../model/file.js';
import type { Submission } from '../../../model/submission.js';
import type { DeliverySubject } from '../../../ports/deliveries.js';
import type {
  DestinationKind,
  Message,
  SendResult,
  SubmissionEvent,
} from '../../../ports/destination-kind.js';
import type { Mailer, MailMessage, MailOutcome } from '../../../ports/mailer.js';
import { composeSubmissionMail } from './message.js';

export interface EmailDeps {
  /** null: no mail server is set. */
  readonly mailer: Mailer | null;
  /** What a mail is about; null when it is deleted. */
  readonly subject: (submissionId: string) => Promise<DeliverySubject | null>;
  readonly fileLink: (fileId: string) => string;
  /** Monotonic. */
  readonly now: () => number;
  readonly observe: (message: Message, about: DeliverySubject, outcome: MailOutcome) => void;
}

export interface EmailKind extends DestinationKind<'email'> {
  /** Makes the sends under way reject, and ends the connections. */
  cutOff(): Promise<void>;
}

export function createEmail({ mailer, subject, fileLink, now, observe }: EmailDeps): EmailKind {
  let isCutOff = false;

  const send = async (message: Message, destination: DestinationOf<'email'>): Promise<Sent> => {
    if (!mailer) return failed('no_mail_server: The operator has set no mail server (SMTP_URL, MAIL_FROM)');
    const { config, builtIn } = destination;
    if (!builtIn && !recipientsOf(config).includes(message.url)) return rejected('the address was removed');
    const about = message.body === '' ? await subject(message.submissionId) : sampleOf(message.body);
    if (!about) return rejected('the submission was deleted');
    const mail = composedMail(message, about, fileLink);
    const outcome = await mailer.send(builtIn ? mail : { ...mail, shownTo: config.to, shownCc: config.cc });
    // What we cut off ourselves was no attempt.
    if (isCutOff && outcome.kind !== 'sent') throw new Error('The service is shutting down');
    observe(message, about, outcome);
    if (outcome.kind === 'sent') return { end: 'succeeded', error: null };
    return { end: outcome.permanent ? 'rejected' : 'failed', error: `mail_server: ${outcome.detail}` };
  };

  return {
    originOf: () => mailOrigin,

    prepare: (event, { config }) =>
      recipientsOf(config).map((address) => ({ address, body: event.isTest ? bodyOf(event) : '' })),

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

const recipientsOf = ({ to, cc, bcc }: EmailConfig): readonly string[] =>
  distinctAddresses([...to, ...cc, ...bcc]);

/** A test carries what it is about: that is stored nowhere. */
const bodyOf = ({ submission, form, project }: SubmissionEvent): string =>
  JSON.stringify({ submission, formName: form.name, projectName: project.name });

function sampleOf(body: string): DeliverySubject {
  const { submission, formName, projectName } = JSON.parse(body) as Omit<DeliverySubject, 'submission'> & {
    readonly submission: Submission;
  };
  return { submission: { ...submission, files: [], deliveryState: null }, formName, projectName };
}

type Sent = Pick<SendResult, 'end' | 'error'>;

const failed = (error: string): Sent => ({ end: 'failed', error });
const rejected = (reason: string): Sent => ({ end: 'rejected', error: `cancelled: ${reason}` });

function composedMail(
  { id, url }: Message,
  { submission, formName, projectName }: DeliverySubject,
  fileLink: (fileId: string) => string,
): MailMessage {
  return composeSubmissionMail({
    mailId: id,
    recipient: url,
    projectName,
    formName,
    submissionId: submission.id,
    createdAt: submission.createdAt,
    data: submission.data,
    files: submission.files.map((file) => ({ ...shownFile(file), link: fileLink(file.id) })),
    metadata: submission.metadata,
    link: null,
  });
}

const resultOf = (message: Message, sent: Sent, durationMs: number): SendResult => ({
  ...noExchange,
  ...sent,
  durationMs,
  retryAfterMs: null,
  // A mail server that does not respond holds few places, which are its own.
  isUnresponsive: false,
  responseHeaders: null,
  recorded: () => null,
  request: () => ({ method: 'SMTP', url: `mailto:${message.url}`, headers: {}, body: '' }),
});

/** The mail that tells owners of a submission, as their destinations want it. */
import type { EmailConfig } from '../../../contract/destination.js';
import { distinctAddresses } from '../../../kernel/email-address.js';
import { shownFile } from '../../../model/file.js';
import type { Submission } from '../../../model/submission.js';
import type { DeliverySubject } from '../../../ports/deliveries.js';
import type { Message, SubmissionEvent } from '../../../ports/destination-kind.js';
import type { MailMessage } from '../../../ports/mailer.js';
import { type Composer, cancelled } from './composer.js';
import { composeSubmissionMail } from './message.js';

export interface NotificationDeps {
  /** What a mail is about; null when it is deleted. */
  readonly subject: (submissionId: string) => Promise<DeliverySubject | null>;
  readonly fileLink: (fileId: string) => string;
}

export const createNotifications =
  ({ subject, fileLink }: NotificationDeps): Composer =>
  async (message, { config, builtIn }) => {
    if (!builtIn && !recipientsOf(config).includes(message.url)) return cancelled('the address was removed');
    const about = message.body === '' ? await subject(message.submissionId) : sampleOf(message.body);
    if (!about) return cancelled('the submission was deleted');
    const mail = composedMail(message, about, fileLink);
    const shown = builtIn ? mail : { ...mail, shownTo: config.to, shownCc: config.cc };
    return { mail: shown, formId: about.submission.formId };
  };

export const recipientsOf = ({ to, cc, bcc }: EmailConfig): readonly string[] =>
  distinctAddresses([...to, ...cc, ...bcc]);

/** A test carries what it is about: that is stored nowhere. */
export const bodyOf = ({ submission, form, project }: SubmissionEvent): string =>
  JSON.stringify({ submission, formName: form.name, projectName: project.name });

function sampleOf(body: string): DeliverySubject {
  const { submission, formName, projectName } = JSON.parse(body) as Omit<DeliverySubject, 'submission'> & {
    readonly submission: Submission;
  };
  return { submission: { ...submission, files: [], deliveryState: null }, formName, projectName };
}

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

/** From a queued mail to the message: reads what it is about at the time it is sent. */
import type { Mail } from '../../model/mail.js';
import type { MailMessage } from '../../ports/mailer.js';
import type { Store } from '../../ports/store.js';
import { composeSubmissionMail } from './message.js';

export const createMailComposer =
  (deps: { store: Pick<Store, 'mails'>; fileLink: (fileId: string) => string }) =>
  async (mail: Mail): Promise<MailMessage | null> => {
    const subject = await deps.store.mails.subject(mail.submissionId);
    if (!subject) return null;
    const { submission, formName, projectName } = subject;
    return composeSubmissionMail({
      mailId: mail.id,
      recipient: mail.recipient,
      projectName,
      formName,
      submissionId: submission.id,
      createdAt: submission.createdAt,
      data: submission.data,
      files: submission.files.map((file) => ({
        id: file.id,
        field: file.fieldName,
        filename: file.filename,
        type: file.mimeType,
        size: file.sizeBytes,
        link: deps.fileLink(file.id),
      })),
      metadata: submission.metadata,
      link: null,
    });
  };

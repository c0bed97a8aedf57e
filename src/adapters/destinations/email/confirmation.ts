/**
 * The mail that asks a visitor to confirm an address. The address may belong to another person: it gets
 * only a few mails per day, none if it is suppressed, and nothing in them is written by the visitor.
 */
import type { OptInMail } from '../../../model/opt-in.js';
import { type MailMessage, ordinaryMail } from '../../../ports/mailer.js';
import { type Composer, cancelled, suppressed, type Unsent } from './composer.js';
import { composeLetter } from './letter.js';

export interface ConfirmationDeps {
  /** Resolves with null when the submission or its form was deleted. */
  readonly mailOf: (submissionId: string) => Promise<OptInMail | null>;
  /** Resolves with why the address gets no mail now, or with null if it may be sent. It is counted then. */
  readonly withheld: (deliveryId: string, destinationId: string, mail: OptInMail) => Promise<string | null>;
  readonly now: () => number;
}

/** The visitor has already confirmed: an attempt that was cut off arrived after all. */
const arrived: Unsent = { end: 'succeeded', error: null };

export const createConfirmations =
  ({ mailOf, withheld, now }: ConfirmationDeps): Composer =>
  async ({ id, submissionId }, destination) => {
    const mail = await mailOf(submissionId);
    if (mail === null) return cancelled('the submission was deleted');
    const { optIn } = mail;
    if (optIn.confirmedAt !== null) return arrived;
    if (optIn.expiresAt <= now()) return cancelled('the confirmation has expired');
    const reason = await withheld(id, destination.id, mail);
    if (reason !== null) return suppressed(reason);
    return { formId: optIn.formId, mail: composeConfirmation(id, mail) };
  };

export function composeConfirmation(id: string, mail: OptInMail): MailMessage {
  const { optIn, subject, letter, fromName, replyTo } = mail;
  const bodies = composeLetter(letter);
  return {
    ...ordinaryMail,
    id,
    to: optIn.address,
    shownTo: [optIn.address],
    shownCc: [],
    replyTo,
    fromName,
    subject,
    text: mail.text ?? bodies.text,
    html: mail.html ?? bodies.html,
  };
}

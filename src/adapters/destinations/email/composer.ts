/** What a mail of a delivery says: one composer for each purpose (`purposeOf`), and email.ts sends what it gives. */
import type { DestinationOf } from '../../../model/destination.js';
import type { Message, SendResult } from '../../../ports/destination-kind.js';
import type { MailMessage } from '../../../ports/mailer.js';

/** It is not sent, and why. */
export type Unsent = Pick<SendResult, 'end' | 'error'>;

export const cancelled = (reason: string): Unsent => ({ end: 'rejected', error: `cancelled: ${reason}` });
export const suppressed = (reason: string): Unsent => ({ end: 'suppressed', error: `suppressed: ${reason}` });

export interface Composed {
  readonly mail: MailMessage;
  /** Of the submission that it is about. */
  readonly formId: string;
}

/** Made anew for every attempt, always under the delivery's id. */
export type Composer = (message: Message, destination: DestinationOf<'email'>) => Promise<Composed | Unsent>;

/** What a mail of a delivery says: one composer for each purpose (`purposeOf`), and email.ts sends what it gives. */
import type { DestinationOf } from '../../../model/destination.js';
import type { Subscription } from '../../../model/subscription.js';
import type { SuppressedAddress } from '../../../model/suppression.js';
import type { Message, SendResult } from '../../../ports/destination-kind.js';
import type { MailMessage } from '../../../ports/mailer.js';

/** It is not sent, and why. */
export type Unsent = Pick<SendResult, 'end' | 'error'>;

export const cancelled = (reason: string): Unsent => ({ end: 'rejected', error: `cancelled: ${reason}` });
export const suppressed = (reason: string): Unsent => ({ end: 'suppressed', error: `suppressed: ${reason}` });

export const stoppedBy = ({ reason, detail }: SuppressedAddress): Unsent =>
  suppressed(detail === '' ? reason : `${reason}: ${detail}`);

/** For mails that their readers can unsubscribe from. */
export interface SubscriptionDeps {
  readonly unsubscribeUrl: (subscription: Subscription) => string;
  /** Why it gets no more mails; null: it does. */
  readonly suppression: (subscription: Subscription) => Promise<SuppressedAddress | null>;
}

export interface Composed {
  readonly mail: MailMessage;
  /** Of the submission that it is about. */
  readonly formId: string;
}

/** Made anew for every attempt, always under the delivery's id. */
export type Composer = (message: Message, destination: DestinationOf<'email'>) => Promise<Composed | Unsent>;

/** Composes the mail of a delivery: one composer per purpose (`purposeOf`), and one for digests. email.ts sends the result. */
import type { DestinationOf } from '../../../model/destination.js';
import type { Subscription } from '../../../model/subscription.js';
import type { SuppressedAddress } from '../../../model/suppression.js';
import type { Message, SendResult } from '../../../ports/destination-kind.js';
import type { MailMessage } from '../../../ports/mailer.js';

/** The mail is not sent, and why. */
export type Unsent = Pick<SendResult, 'end' | 'error'>;

export const cancelled = (reason: string): Unsent => ({ end: 'cancelled', error: `cancelled: ${reason}` });
export const suppressed = (reason: string): Unsent => ({ end: 'suppressed', error: `suppressed: ${reason}` });

export const stoppedBy = ({ reason, detail }: SuppressedAddress): Unsent =>
  suppressed(detail === '' ? reason : `${reason}: ${detail}`);

/** For mails that recipients can unsubscribe from. */
export interface SubscriptionDeps {
  readonly unsubscribeUrl: (subscription: Subscription) => string;
  /** Resolves with why the address gets no more mails, or with null if it still gets them. */
  readonly suppression: (subscription: Subscription) => Promise<SuppressedAddress | null>;
}

export interface Composed {
  readonly mail: MailMessage;
  /** The form that the mail is about. For the digest of a project, its first form. */
  readonly formId: string;
}

/** Composes the mail again for every attempt, always under the delivery's id. */
export type Composer = (message: Message, destination: DestinationOf<'email'>) => Promise<Composed | Unsent>;

/** Who gets no more mail, and how many mails an address or a form has had today. */
import type { SuppressedAddress } from '../model/suppression.js';
import type { Day } from '../model/tally.js';
import type { Page } from './scopes.js';

export interface SuppressionStore {
  /** Does nothing if the address is already suppressed there. */
  add(suppressed: SuppressedAddress): Promise<void>;
  /** Those of the addresses, spelt as given, that the destination must not mail: suppressed for it or for the whole account. */
  among(
    accountId: string,
    destinationId: string,
    addresses: readonly string[],
  ): Promise<readonly SuppressedAddress[]>;
  /** Newest first; with `address` null, all of them. */
  list(accountId: string, address: string | null, page: Page): Promise<readonly SuppressedAddress[]>;
  /** Returns false when the account has no such entry. */
  lift(accountId: string, id: string): Promise<boolean>;
  /** The same by address, for a recipient who undoes an unsubscription. */
  liftAddress(accountId: string, destinationId: string, address: string): Promise<boolean>;
}

/** The limit of mails per day for one key: a form, or an address of an account. */
export interface MailCap {
  readonly key: string;
  readonly most: number;
}

/**
 * Counts mails to visitors before they are sent, durably: a crash in between never lets more go out than the caps allow. A
 * delivery that is retried on the same day is not counted again.
 */
export interface MailCapStore {
  /** Returns the first cap that is reached, and counts nothing; null when it may be sent, and then counts it in all of them. */
  take(deliveryId: string, day: Day, caps: readonly MailCap[]): Promise<MailCap | null>;
}

/** Who gets no more mails, and how many mails an address or a form has had today. */
import type { SuppressedAddress } from '../model/suppression.js';
import type { Day } from '../model/tally.js';
import type { Page } from './scopes.js';

export interface SuppressionStore {
  /** Does nothing if the address is suppressed there already. */
  add(suppressed: SuppressedAddress): Promise<void>;
  /** Those of the addresses, spelt as given, that the destination must not mail: suppressed for it, or for the whole account. */
  among(
    accountId: string,
    destinationId: string,
    addresses: readonly string[],
  ): Promise<readonly SuppressedAddress[]>;
  /** Newest first; `address` null: all of them. */
  list(accountId: string, address: string | null, page: Page): Promise<readonly SuppressedAddress[]>;
  /** False: the account has no such one. */
  lift(accountId: string, id: string): Promise<boolean>;
  /** The same by whom it is about, for who takes an unsubscription back. */
  liftAddress(accountId: string, destinationId: string, address: string): Promise<boolean>;
}

/** So many mails in a day count against one name: of a form, or of an address of an account. */
export interface MailCap {
  readonly key: string;
  readonly most: number;
}

/**
 * Counts mails to visitors before they are sent, durably: a crash in between never lets more go out than the caps allow. A
 * delivery that is tried again on the same day is not counted again.
 */
export interface MailCapStore {
  /** The first cap that is reached, and nothing is counted; null: it may be sent, and counts in all of them. */
  take(deliveryId: string, day: Day, caps: readonly MailCap[]): Promise<MailCap | null>;
}

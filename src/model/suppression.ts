/** An address that gets no more mails from one destination, or from the whole account. */
import type { SuppressionReason } from '../contract/suppression.js';

export interface SuppressedAddress {
  readonly id: string;
  readonly accountId: string;
  /** null: no destination of the account sends mails to it. */
  readonly destinationId: string | null;
  /** In lower case; see `addressKey`. */
  readonly address: string;
  readonly reason: SuppressionReason;
  /** What the mail server reported. Empty if there was no report. */
  readonly detail: string;
  readonly createdAt: number;
}

/** Addresses that differ only in case count as the same mailbox. */
export const addressKey = (address: string): string => address.toLowerCase();

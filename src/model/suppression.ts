/** An address that gets no more mails: of one destination, or of the whole account. */
import type { SuppressionReason } from '../contract/suppression.js';

export interface SuppressedAddress {
  readonly id: string;
  readonly accountId: string;
  /** null: none of the account's destinations mails it. */
  readonly destinationId: string | null;
  /** In lower case, as `addressKey` spells it. */
  readonly address: string;
  readonly reason: SuppressionReason;
  /** What the mail server said; empty where nobody said anything. */
  readonly detail: string;
  readonly createdAt: number;
}

/** Who writes an address otherwise means the same mailbox. */
export const addressKey = (address: string): string => address.toLowerCase();

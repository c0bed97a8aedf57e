/**
 * Submissions that wait for the digest of their destination, and the mails that they become.
 *
 * - A submission waits as a delivery in `digestQueue`, stored with it. If it is in spam or trash when the digest is made, it
 *   waits for the next one.
 * - `make` is one transaction: what waited is in one digest and its mails are queued, or nothing has changed. When two
 *   processes make the same digest, one finds nothing.
 */
import type { Delivery } from '../model/delivery.js';
import type { FieldLabels } from '../model/field-labels.js';

/** A destination for which something is due, taken from one of its waiting deliveries. */
export type DueDigest = Pick<
  Delivery,
  'formId' | 'projectId' | 'destinationId' | 'kind' | 'target' | 'url' | 'lane'
>;

export interface NewDigest {
  readonly id: string;
  readonly lane: string;
  readonly now: number;
  /** When the submissions that are left out are due again. */
  readonly nextAt: number;
  /** Each gets a mail. */
  readonly recipients: readonly { readonly deliveryId: string; readonly address: string }[];
}

export interface DigestedSubmission {
  readonly id: string;
  readonly formName: string;
  readonly createdAt: number;
  /** The text of a JSON object; null when it is too long for a digest. */
  readonly data: string | null;
  /** For the fields of its form. */
  readonly labels: FieldLabels;
}

export interface DigestedForm {
  readonly id: string;
  readonly name: string;
  readonly count: number;
}

export interface DigestContent {
  /** The one with the most submissions first. */
  readonly forms: readonly [DigestedForm, ...DigestedForm[]];
  readonly projectName: string;
  readonly accountId: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Newest first. */
  readonly newest: readonly DigestedSubmission[];
}

export interface DigestStore {
  listDue(now: number, most: number): Promise<readonly DueDigest[]>;
  /** Returns how many submissions are in it. */
  make(digest: NewDigest): Promise<number>;
  /** For a destination without recipients: what waits becomes ordinary deliveries, which record why they fail. */
  release(lane: string, now: number): Promise<void>;
  /** As it is now, without what was deleted or moved to spam or trash; null when nothing is left. */
  content(digestId: string, most: number): Promise<DigestContent | null>;
}

/** The receipt of an erasure: what was erased and when, with the person only as a keyed hash, signed by this instance. */
import { isoTime } from '../../kernel/clock.js';
import { hmacBase64Url, sameSecret } from '../../kernel/secrets.js';
import { type Erasure, type PlaceCounts, personPlaces } from '../../model/erasure.js';

export interface Receipt {
  readonly erasure_id: string;
  readonly account_id: string;
  readonly person_hash: string;
  readonly requested_at: string;
  readonly finished_at: string;
  readonly counts: PlaceCounts;
  readonly files_removed: number;
}

export interface SignedReceipt extends Receipt {
  readonly signature: string;
}

/** In a fixed order, whatever order a client has stored the receipt in. */
const signedText = (receipt: Receipt): string =>
  JSON.stringify([
    'inlet erasure receipt 1',
    receipt.erasure_id,
    receipt.account_id,
    receipt.person_hash,
    receipt.requested_at,
    receipt.finished_at,
    personPlaces.map((place) => receipt.counts[place] ?? 0),
    receipt.files_removed,
  ]);

/** Returns null when the erasure has not finished. */
export function receiptOf(erasure: Erasure, key: Buffer): SignedReceipt | null {
  if (erasure.finishedAt === null) return null;
  const receipt: Receipt = {
    erasure_id: erasure.id,
    account_id: erasure.accountId,
    person_hash: erasure.personHash,
    requested_at: isoTime(erasure.createdAt),
    finished_at: isoTime(erasure.finishedAt),
    counts: erasure.counts,
    files_removed: erasure.filesRemoved,
  };
  return { ...receipt, signature: hmacBase64Url(key, signedText(receipt)) };
}

export const isGenuine = ({ signature, ...receipt }: SignedReceipt, key: Buffer): boolean =>
  sameSecret(signature, hmacBase64Url(key, signedText(receipt)));

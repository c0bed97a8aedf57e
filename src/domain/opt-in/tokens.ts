/** The token of the link in a mail: sealed, so that it tells nobody what it stands for, and cannot be made up. */
import { isUuid } from '../../kernel/ids.js';
import type { Sealer } from '../../kernel/secrets.js';

export interface OptInToken {
  readonly submissionId: string;
  /** The token knows by itself: what has expired is deleted soon. */
  readonly expiresAt: number;
}

const longestToken = 200;

export const sealToken = (sealer: Sealer, { submissionId, expiresAt }: OptInToken): string =>
  sealer.seal(`${submissionId} ${expiresAt}`);

/** null: it is none of ours. */
export function openToken(sealer: Sealer, token: string): OptInToken | null {
  if (token.length > longestToken) return null;
  try {
    const [submissionId = '', expiresAt = ''] = sealer.open(token).split(' ');
    return isUuid(submissionId) ? { submissionId, expiresAt: Number(expiresAt) } : null;
  } catch {
    return null;
  }
}

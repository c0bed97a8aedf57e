/** The token of the link in a mail: sealed, so that it reveals nothing and cannot be forged. */
import { isUuid } from '../../kernel/ids.js';
import { opened, type Sealer } from '../../kernel/secrets.js';

export interface OptInToken {
  readonly submissionId: string;
  /** Part of the token, because the submission is deleted soon after it has expired. */
  readonly expiresAt: number;
}

const longestToken = 200;

export const sealToken = (sealer: Sealer, { submissionId, expiresAt }: OptInToken): string =>
  sealer.seal(`${submissionId} ${expiresAt}`);

/** Returns null when the token is not ours. */
export function openToken(sealer: Sealer, token: string): OptInToken | null {
  if (token.length > longestToken) return null;
  const [submissionId = '', expiresAt = ''] = opened(sealer, token).split(' ');
  return isUuid(submissionId) ? { submissionId, expiresAt: Number(expiresAt) } : null;
}

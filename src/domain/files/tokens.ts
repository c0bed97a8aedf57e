/**
 * File tokens: an expiry and an HMAC over file id, expiry and purpose. No state: a token is good until it expires,
 * for one file and one purpose only.
 */
import { hmacBase64Url, sameSecret } from '../../kernel/secrets.js';

/** `access`: handed out in download_url. `content`: the short-lived leg that the download redirects to. */
export type TokenPurpose = 'access' | 'content';

export interface FileTokens {
  mint(fileId: string, purpose: TokenPurpose, expiresAt: number): string;
  isGood(token: string, fileId: string, purpose: TokenPurpose, now: number): boolean;
}

const shape = /^([0-9a-z]{1,11})\.([A-Za-z0-9_-]{43})$/;

export function createFileTokens(key: Buffer): FileTokens {
  const sign = (fileId: string, purpose: TokenPurpose, expiry: string): string =>
    hmacBase64Url(key, `${purpose}\n${fileId}\n${expiry}`);
  return {
    mint(fileId, purpose, expiresAt) {
      const expiry = Math.floor(expiresAt).toString(36);
      return `${expiry}.${sign(fileId, purpose, expiry)}`;
    },
    isGood(token, fileId, purpose, now) {
      const parts = shape.exec(token);
      if (!parts) return false;
      const [, expiry = '', signature = ''] = parts;
      // The signature first: whether a forged expiry lies in the future is nobody's business.
      return sameSecret(signature, sign(fileId, purpose, expiry)) && Number.parseInt(expiry, 36) > now;
    },
  };
}

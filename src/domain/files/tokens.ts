/**
 * File tokens: an expiry and an HMAC over file id, expiry and purpose, and over the transformation if it is bound to one.
 * Stateless: a token is valid until it expires, for one file, one purpose and, if bound, one variant only.
 */
import { hmacBase64Url, sameSecret } from '../../kernel/secrets.js';

/** `access`: in download_url. `content`: short-lived, in the URL that the download redirects to. */
export type TokenPurpose = 'access' | 'content';

/** What a token is valid for. */
export interface TokenScope {
  readonly fileId: string;
  readonly purpose: TokenPurpose;
  /** Text of the only transformation it is valid for. null: `content` gives the original; `access` the original and all variants. */
  readonly transformation: string | null;
}

export interface FileTokens {
  mint(scope: TokenScope, expiresAt: number): string;
  isGood(token: string, scope: TokenScope, now: number): boolean;
  /** Only for a token that passed `isGood`. */
  expiryOf(token: string): number;
}

const shape = /^([0-9a-z]{1,11})\.([A-Za-z0-9_-]{43})$/;

export function createFileTokens(key: Buffer): FileTokens {
  const sign = ({ fileId, purpose, transformation }: TokenScope, expiry: string): string =>
    hmacBase64Url(
      key,
      `${purpose}\n${fileId}\n${expiry}${transformation === null ? '' : `\n${transformation}`}`,
    );
  return {
    mint(scope, expiresAt) {
      const expiry = Math.floor(expiresAt).toString(36);
      return `${expiry}.${sign(scope, expiry)}`;
    },
    isGood(token, scope, now) {
      const parts = shape.exec(token);
      if (!parts) return false;
      const [, expiry = '', signature = ''] = parts;
      // The signature first, so that the response reveals nothing about a forged expiry.
      return sameSecret(signature, sign(scope, expiry)) && Number.parseInt(expiry, 36) > now;
    },
    expiryOf: (token) => Number.parseInt(shape.exec(token)?.[1] ?? '0', 36),
  };
}

const mailTokenLifeMs = 30 * 24 * 60 * 60 * 1000;

/** For a link in a mail, which may be read much later. */
export const mailToken = (tokens: FileTokens, fileId: string, now: number): string =>
  tokens.mint({ fileId, purpose: 'access', transformation: null }, now + mailTokenLifeMs);

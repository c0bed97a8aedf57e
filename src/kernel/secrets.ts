/** Keys, hashes and encryption, independent of what they protect. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

export const sha256Hex = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex');

/** Compares hashes, so that the time reveals nothing about the content. `timingSafeEqual` alone throws on unequal lengths. */
export function sameSecret(left: string, right: string): boolean {
  const a = createHash('sha256').update(left).digest();
  const b = createHash('sha256').update(right).digest();
  return timingSafeEqual(a, b);
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random text from the 62 letters and digits. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 * 62: bytes above it would favour the first letters.
      if (byte < 248 && text.length < length) text += base62.charAt(byte % 62);
    }
  }
  return text;
}

/** 256 random bits, for secrets that only machines handle. */
export const randomSecret = (): string => randomBytes(32).toString('base64url');

/** Six letters derived from the rest, so that a secret scanner can distinguish a real key from noise. */
function checksum(text: string): string {
  let value = createHash('sha256').update(text).digest().readUIntBE(0, 6);
  let letters = '';
  for (let i = 0; i < 6; i += 1) {
    letters += base62.charAt(value % 62);
    value = Math.floor(value / 62);
  }
  return letters;
}

/** `prefix` + 40 random letters (238 bits) + checksum. */
export function newToken(prefix: string): string {
  const body = prefix + randomText(40);
  return body + checksum(body);
}

/** Derives a separate key for each purpose from one master secret. One key reveals nothing about another. */
export const deriveKey = (master: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master, 'inlet', purpose, 32));

export const hmacBase64Url = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

/** Encrypts values at rest (AES-256-GCM). The sealed text names its scheme, so that schemes can change. */
export interface Sealer {
  seal(plain: string): string;
  /** Throws when the text was changed or sealed with another key. */
  open(sealed: string): string;
  /** The same for the same text. Without the key, it does not reveal the text and cannot be guessed. */
  mark(plain: string): string;
}

const scheme = 'v1.';

export function createSealer(key: Buffer): Sealer {
  const markKey = deriveKey(key.toString('hex'), 'mark');
  return {
    mark: (plain) => hmacBase64Url(markKey, plain),
    seal(plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return scheme + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed) {
      if (!sealed.startsWith(scheme)) throw new Error('Unknown seal');
      const text = sealed.slice(scheme.length);
      const bytes = Buffer.from(text, 'base64url');
      // The decoder skips unknown characters, so a changed text could decode to the same bytes.
      if (bytes.length < 28 || bytes.toString('base64url') !== text) throw new Error('Broken seal');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
      decipher.setAuthTag(bytes.subarray(12, 28));
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

/** Returns an empty text when the token is not ours. */
export function opened(sealer: Sealer, token: string): string {
  try {
    return sealer.open(token);
  } catch {
    return '';
  }
}

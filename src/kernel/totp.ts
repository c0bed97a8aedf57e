/** Time-based codes (RFC 6238: SHA-1, six digits, 30 seconds), as supported by every authenticator app. */
import { createHmac, randomBytes } from 'node:crypto';
import { sameSecret } from './secrets.js';

const stepMs = 30_000;
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** 160 random bits in base32, the format that apps accept. */
export const newTotpSecret = (): string => Array.from(randomBytes(32), (byte) => letters[byte & 31]).join('');

function bytesOf(secret: string): Buffer {
  const bits = Array.from(secret, (letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export const totpStepAt = (at: number): number => Math.floor(at / stepMs);

export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** Returns the step of this code: the current, previous or next one, because clocks differ. Returns null for other codes. */
export function totpStepOf(secret: string, code: string, at: number): number | null {
  const now = totpStepAt(at);
  return [now, now - 1, now + 1].find((step) => sameSecret(totpCode(secret, step), code)) ?? null;
}

/** The content of the QR code. */
export const totpUri = ({ secret, issuer, name }: { secret: string; issuer: string; name: string }): string =>
  `otpauth://totp/${encodeURIComponent(`${issuer}:${name}`)}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;

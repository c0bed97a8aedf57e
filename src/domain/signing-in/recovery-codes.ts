/** Ten codes for when the device of a second factor is lost. They come with the first factor and go with the last. */
import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../kernel/secrets.js';
import type { BoundStore } from '../../ports/store.js';
import { factorsOf } from '../accounts/second-factor.js';

const codeCount = 10;
/** Without those that look like others. */
const letters = 'abcdefghijkmnpqrstuvwxyz23456789';

/** 80 random bits. */
const newCode = (): string =>
  Array.from(randomBytes(16), (byte) => letters[byte & 31])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-');

/** People leave out what stands between the letters. */
export const hashOfCode = (code: string): string => sha256Hex(code.toLowerCase().replace(/[^a-z0-9]/g, ''));

/** New ones in the place of all before, inside a transaction. */
export async function putRecoveryCodes(tx: BoundStore, loginId: string): Promise<readonly string[]> {
  const codes = Array.from({ length: codeCount }, newCode);
  await tx.factors.putRecoveryCodes(loginId, codes.map(hashOfCode));
  return codes;
}

/** Alone they would be a second factor that nobody set up. */
export async function dropUnneededCodes(tx: BoundStore, loginId: string): Promise<void> {
  if ((await factorsOf(tx, loginId)).length === 0) await tx.factors.putRecoveryCodes(loginId, []);
}

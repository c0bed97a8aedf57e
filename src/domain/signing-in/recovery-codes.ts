/** Ten codes for when the device of a second factor is lost. They are created with the first factor and deleted with the last. */
import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../kernel/secrets.js';
import type { BoundStore } from '../../ports/store.js';
import { factorsOf } from '../accounts/second-factor.js';

const codeCount = 10;
/** Without characters that look alike. */
const letters = 'abcdefghijkmnpqrstuvwxyz23456789';

/** 80 random bits. */
const newCode = (): string =>
  Array.from(randomBytes(16), (byte) => letters[byte & 31])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-');

/** Users leave out the separators. */
export const hashOfCode = (code: string): string => sha256Hex(code.toLowerCase().replace(/[^a-z0-9]/g, ''));

/** Replaces all codes with new ones, inside a transaction. */
export async function putRecoveryCodes(tx: BoundStore, loginId: string): Promise<readonly string[]> {
  const codes = Array.from({ length: codeCount }, newCode);
  await tx.factors.putRecoveryCodes(loginId, codes.map(hashOfCode));
  return codes;
}

/** Deletes the codes if no factor is left: alone they would be a second factor that the user never set up. */
export async function dropUnneededCodes(tx: BoundStore, loginId: string): Promise<void> {
  if ((await factorsOf(tx, loginId)).length === 0) await tx.factors.putRecoveryCodes(loginId, []);
}

/** Solves a challenge (ALTCHA, version 2): finds the counter whose derived key starts with the required prefix. */
import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { sha256 } from '@noble/hashes/sha2.js';

export interface Parameters {
  readonly algorithm: string;
  readonly cost: number;
  readonly keyLength?: number;
  readonly keyPrefix: string;
  readonly nonce: string;
  readonly salt: string;
  /** Seconds since 1970. */
  readonly expiresAt?: number;
}

export interface Solution {
  readonly counter: number;
  readonly derivedKey: string;
  readonly time: number;
}

const maxSearchMs = 90_000;

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

async function derive(
  { algorithm, cost, keyLength = 32 }: Parameters,
  salt: Uint8Array<ArrayBuffer>,
  password: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const [, hash = ''] = /^PBKDF2\/(SHA-(?:256|384|512))$/.exec(algorithm) ?? [];
  const { subtle }: Partial<typeof crypto> = crypto;
  // Pages on plain HTTP have no `crypto.subtle`.
  if (subtle === undefined && hash === 'SHA-256')
    return pbkdf2(sha256, password, salt, { c: cost, dkLen: keyLength });
  if (subtle === undefined || hash === '') throw new Error(`This page cannot solve ${algorithm}`);
  const key = await subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
  const how = { name: 'PBKDF2', salt, iterations: cost, hash };
  return new Uint8Array(await subtle.deriveBits(how, key, keyLength * 8));
}

/** Tries `first`, `first + step` and so on. `restAfterMs` is the longest it blocks the page before it yields. */
export async function search(
  parameters: Parameters,
  first: number,
  step: number,
  restAfterMs: number,
): Promise<Solution> {
  const nonce = bytesOf(parameters.nonce);
  const salt = bytesOf(parameters.salt);
  const prefix = parameters.keyPrefix.toLowerCase();
  const password = new Uint8Array(nonce.length + 4);
  password.set(nonce);
  const counterPlace = new DataView(password.buffer);
  const startedAt = performance.now();
  let restedAt = startedAt;
  for (let counter = first; ; counter += step) {
    counterPlace.setUint32(nonce.length, counter);
    const derivedKey = hexOf(await derive(parameters, salt, password));
    const now = performance.now();
    if (derivedKey.startsWith(prefix)) return { counter, derivedKey, time: Math.round(now - startedAt) };
    if (now - startedAt > maxSearchMs) throw new Error('The challenge takes too long');
    if (now - restedAt > restAfterMs) {
      await new Promise((resolve) => setTimeout(resolve));
      restedAt = performance.now();
    }
  }
}

/** Reads and checks the key file of a Google service account. */
import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';

export interface ServiceAccount {
  readonly clientEmail: string;
  readonly privateKey: string;
  /** Identifies the credentials without revealing them. */
  readonly fingerprint: string;
}

/** Google's keys have 2,048 bits. Signing with 8,192 bits blocked the event loop for 240 ms, with 4,096 for 56 ms. */
const maxKeyBits = 4096;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function parsedRecord(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function readKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

/** Returns why the key cannot sign a token, or null when it can. */
export function judgeKey({ privateKey }: ServiceAccount): string | null {
  const key = readKey(privateKey);
  if (key === null) return 'has a private_key that cannot be read';
  if (key.asymmetricKeyType !== 'rsa') return 'has a private_key that is not an RSA key';
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  return bits < 1024 || bits > maxKeyBits ? `has a private_key of ${bits} bits` : null;
}

/** Returns the account, or why the text is not one. The private key is not parsed here. */
export function readServiceAccount(text: string): ServiceAccount | string {
  const file = parsedRecord(text);
  if (file === null) return 'must be the JSON text of a key file';
  const { client_email: clientEmail, private_key: privateKey } = file;
  if (typeof clientEmail !== 'string' || !/^[^\s@<>]{1,200}@[^\s@<>]{1,200}$/.test(clientEmail))
    return 'has no client_email; use the key file of a service account';
  if (typeof privateKey !== 'string' || privateKey === '')
    return 'has no private_key; use the key file of a service account';
  return { clientEmail, privateKey, fingerprint: createHash('sha256').update(text).digest('base64') };
}

/** Returns why the credentials are unusable, worded to follow the name of the field, or null when they are usable. */
export function checkCredentials(text: string): string | null {
  const account = readServiceAccount(text);
  return typeof account === 'string' ? account : judgeKey(account);
}

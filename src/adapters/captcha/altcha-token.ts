/**
 * Reads the token of a solved challenge: base64 of `{challenge: {parameters, signature}, solution}`. Whatever a client
 * sends, this neither throws nor takes long. The result is a new object of exactly our shape, not verified yet.
 */
import type { ChallengeParameters, Solution } from 'altcha-lib/types';

interface ReadParameters extends ChallengeParameters {
  data: { form: string };
  expiresAt: number;
  /** Without it the library would derive the key again, at the cost that the token names. */
  keySignature: string;
}

export interface AltchaToken {
  readonly challenge: { readonly parameters: ReadParameters; readonly signature: string };
  readonly solution: Solution;
}

/** A real one has about 800 characters. */
const maxTokenLength = 4_096;
const keyLength = 32;

/** Own properties only: `constructor` and the like are not parameters. */
const member = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null && Object.hasOwn(of, name)
    ? (of as Readonly<Record<string, unknown>>)[name]
    : undefined;

const isWhole = (value: unknown, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max;

const isHex = (value: unknown, bytes: number): value is string =>
  typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]+$/.test(value);

export function readAltchaToken(token: string, algorithm: string): AltchaToken | null {
  const json = parsed(token);
  const challenge = member(json, 'challenge');
  const solution = member(json, 'solution');
  const given = (name: string): unknown => member(member(challenge, 'parameters'), name);

  const signature = member(challenge, 'signature');
  const form = member(given('data'), 'form');
  const [nonce, salt, keyPrefix, keySignature] = ['nonce', 'salt', 'keyPrefix', 'keySignature'].map(given);
  const [cost, expiresAt] = [given('cost'), given('expiresAt')];
  const counter = member(solution, 'counter');
  const derivedKey = member(solution, 'derivedKey');

  if (given('algorithm') !== algorithm || given('keyLength') !== keyLength) return null;
  if (!isHex(nonce, 16) || !isHex(salt, 16) || !isHex(keyPrefix, keyLength / 2)) return null;
  if (!isHex(keySignature, 32) || !isHex(signature, 32) || !isHex(derivedKey, keyLength)) return null;
  if (!isWhole(cost, 2 ** 32) || !isWhole(expiresAt, 2 ** 40) || !isWhole(counter, 2 ** 32 - 1)) return null;
  if (typeof form !== 'string') return null;
  return {
    challenge: {
      parameters: {
        algorithm,
        cost,
        data: { form },
        expiresAt,
        keyLength,
        keyPrefix,
        keySignature,
        nonce,
        salt,
      },
      signature,
    },
    solution: { counter, derivedKey },
  };
}

function parsed(token: string): unknown {
  if (token.length > maxTokenLength) return null;
  try {
    return JSON.parse(Buffer.from(token, 'base64').toString('utf8'));
  } catch {
    return null;
  }
}

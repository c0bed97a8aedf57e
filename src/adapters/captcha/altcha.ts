/**
 * The built-in CAPTCHA: a proof of work that ALTCHA's widget, or any script, solves (docs/adr/0010).
 *
 * Invariants: nothing in a token is trusted before its signature is checked, so a client's numbers cost us nothing.
 * A solution passes for one form, before it expires, and once.
 *
 * Deterministic mode: the counter is drawn here and its key derived once, the solution carries the key, and checking it
 * takes two HMACs. Measured (one core, cost 2,000): creating 1.3 ms, 0.8 ms of it in the thread pool; checking 0.3 ms.
 * Without this mode, creating takes 0.2 ms, but each check derives a key, one challenge is enough to request any number
 * of checks, and the visitor's wait has no upper bound.
 */
import { createChallenge, randomInt, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Clock } from '../../kernel/clock.js';
import { hmacBase64Url } from '../../kernel/secrets.js';
import type { CaptchaVerifier, ChallengeMaker } from '../../ports/captcha.js';
import { readAltchaToken } from './altcha-token.js';

export interface AltchaOptions {
  readonly key: Buffer;
  /** How many keys a visitor derives on average. */
  readonly difficulty: number;
  readonly clock: Clock;
  /** Resolves with true the first time an id is spent. Ids are remembered at least until they expire. */
  readonly spend: (id: string, expiresAt: number) => Promise<boolean>;
}

const algorithm = 'PBKDF2/SHA-256';
/**
 * Rounds of one derivation. In a browser each derivation has an overhead of some tenths of a millisecond, which native
 * programs do not have: far fewer rounds would favour them, far more would make creating a challenge costly for us.
 */
const cost = 2_000;
const lifeMs = 10 * 60_000;

export function createAltcha(options: AltchaOptions): CaptchaVerifier & ChallengeMaker {
  const { key, difficulty, clock, spend } = options;
  const secrets = {
    hmacSignatureSecret: hmacBase64Url(key, 'challenge'),
    hmacKeySignatureSecret: hmacBase64Url(key, 'solution'),
  };
  // From half to one and a half times the difficulty: the wait is bounded, and a solver cannot guess where to start.
  const fewest = Math.max(1, Math.floor(difficulty / 2));
  const most = Math.max(fewest, Math.ceil(difficulty * 1.5));

  return {
    async challenge(formId) {
      const made = await createChallenge({
        algorithm,
        cost,
        counter: randomInt(most, fewest),
        deriveKey,
        data: { form: formId },
        expiresAt: Math.floor((clock.now() + lifeMs) / 1_000),
        ...secrets,
      });
      return JSON.stringify(made);
    },

    async verify({ token, formId }) {
      const read = readAltchaToken(token, algorithm);
      if (read === null) return 'failed';
      const { parameters } = read.challenge;
      const expiresAt = parameters.expiresAt * 1_000;
      if (parameters.data.form !== formId || expiresAt <= clock.now()) return 'failed';
      const { verified } = await verifySolution({ ...read, deriveKey, ...secrets });
      if (!verified) return 'failed';
      return (await spend(parameters.nonce, expiresAt)) ? 'passed' : 'failed';
    },
  };
}

/** The solver's own PBKDF2 and its search, held against Node's and against the library that verifies on the server. */
import { pbkdf2Sync } from 'node:crypto';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { pbkdf2 } from '../../client/pbkdf2.js';
import { search } from '../../client/search.js';

describe('PBKDF2 without crypto.subtle', () => {
  it('derives what Node derives', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const numbers = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(bytes, bytes, numbers, fc.integer({ min: 1, max: 100 }), (password, salt, cost, length) => {
        const expected = pbkdf2Sync(password, salt, cost, length, 'sha256');
        expect(Buffer.from(pbkdf2(password, salt, cost, length))).toEqual(expected);
      }),
    );
  });

  it.each([55, 56, 63, 64, 65, 119, 120])(
    'with a password and salt of %i bytes, at the edge of a block',
    (length) => {
      const bytes = Buffer.alloc(length, 7);
      expect(Buffer.from(pbkdf2(bytes, bytes, 3, 32))).toEqual(pbkdf2Sync(bytes, bytes, 3, 32, 'sha256'));
    },
  );
});

describe('the search', () => {
  afterEach(() => vi.unstubAllGlobals());

  const secret = 'a secret of the server';
  const challengeWith = (algorithm: string) =>
    createChallenge({ algorithm, cost: 20, counter: 37, deriveKey, hmacSignatureSecret: secret });

  const isVerified = async (algorithm: string): Promise<boolean> => {
    const challenge = await challengeWith(algorithm);
    // As it comes over the wire.
    const solution = await search(JSON.parse(JSON.stringify(challenge.parameters)), 0, 1, 12);
    expect(solution.counter).toBe(37);
    return (await verifySolution({ challenge, solution, deriveKey, hmacSignatureSecret: secret })).verified;
  };

  it.each(['PBKDF2/SHA-256', 'PBKDF2/SHA-512'])('solves %s as the server verifies it', async (algorithm) => {
    expect(await isVerified(algorithm)).toBe(true);
  });

  it('solves PBKDF2/SHA-256 where the page has no crypto.subtle', async () => {
    const challenge = await challengeWith('PBKDF2/SHA-256');
    vi.stubGlobal('crypto', {});
    const solution = await search(JSON.parse(JSON.stringify(challenge.parameters)), 1, 2, 12);
    vi.unstubAllGlobals();
    const verdict = await verifySolution({ challenge, solution, deriveKey, hmacSignatureSecret: secret });
    expect([solution.counter, verdict.verified]).toEqual([37, true]);
  });

  it('says which algorithm it cannot solve', async () => {
    const { parameters } = await challengeWith('PBKDF2/SHA-256');
    const foreign = { ...JSON.parse(JSON.stringify(parameters)), algorithm: 'ARGON2ID' };
    await expect(search(foreign, 0, 1, 12)).rejects.toThrow('ARGON2ID');
  });
});

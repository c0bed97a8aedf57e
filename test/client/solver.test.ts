/** The solver's search, checked against the library that verifies on the server. */
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { search } from '../../client/search.js';

describe('the search', () => {
  afterEach(() => vi.unstubAllGlobals());

  const secret = 'a secret of the server';
  const challengeWith = (algorithm: string) =>
    createChallenge({ algorithm, cost: 20, counter: 37, deriveKey, hmacSignatureSecret: secret });

  const isVerified = async (algorithm: string): Promise<boolean> => {
    const challenge = await challengeWith(algorithm);
    // As received over the network.
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

import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../model/errors.js';
import { argon2id, createPasswords, maxWaiting, nobodysHash, type PasswordHashing } from './passwords.js';

/** Work that ends when the test says so. */
function heldHashing() {
  const ends: (() => void)[] = [];
  const verified: string[] = [];
  const hashing: PasswordHashing = {
    hash: (password) => new Promise((resolve) => ends.push(() => resolve(`hash of ${password}`))),
    verify: (passwordHash) => {
      verified.push(passwordHash);
      return new Promise((resolve) => ends.push(() => resolve(true)));
    },
  };
  return { hashing, ends, verified };
}

describe('passwords', () => {
  it('are argon2id hashes, of one letter in either of its spellings', async () => {
    const passwords = createPasswords();
    const passwordHash = await passwords.hash('p\u00e4ssword of mine');
    expect(passwordHash).toMatch(/^\$argon2id\$/);
    expect(await passwords.matches(passwordHash, 'pa\u0308ssword of mine')).toBe(true);
    expect(await passwords.matches(passwordHash, 'password of mine')).toBe(false);
  });

  it('of nobody cost what those of somebody cost', async () => {
    const parameters = (text: string) => text.split('$').slice(0, 4);
    expect(parameters(nobodysHash)).toEqual(parameters(await argon2id.hash('x')));
    const { hashing, ends, verified } = heldHashing();
    const asked = createPasswords(hashing).matches(null, 'guess');
    while (ends.length === 0) await Promise.resolve();
    ends[0]?.();
    // Even if somebody found the text behind it.
    expect(await asked).toBe(false);
    expect(verified).toEqual([nobodysHash]);
  });

  it('are checked two at a time; some wait, the rest is told to come again', async () => {
    const { hashing, ends } = heldHashing();
    const passwords = createPasswords(hashing);
    const crowd = Array.from({ length: 2 + maxWaiting }, () => passwords.matches('h', 'x'));
    const refused = (await passwords
      .matches('h', 'one too many')
      .catch((error: unknown) => error)) as Refusal;
    expect([refused.kind, refused.retryAfterSeconds]).toEqual(['unavailable', 5]);
    expect(ends).toHaveLength(2);
    for (let done = 0; done < crowd.length; done += 1) {
      while (ends[done] === undefined) await Promise.resolve();
      expect(ends.length).toBeLessThanOrEqual(done + 2);
      ends[done]?.();
    }
    expect(new Set(await Promise.all(crowd))).toEqual(new Set([true]));
  });

  it('that are made by the dozen keep nobody from signing in', async () => {
    const { hashing, ends, verified } = heldHashing();
    const passwords = createPasswords(hashing);
    const making = Array.from({ length: 1 + maxWaiting }, () => passwords.hash('x'));
    await expect(passwords.hash('one too many')).rejects.toMatchObject({ kind: 'unavailable' });
    const asked = passwords.matches('h', 'mine');
    while (verified.length === 0) await Promise.resolve();
    ends[1]?.();
    expect(await asked).toBe(true);
    for (let done = 0; done < ends.length; done += 1) {
      ends[done]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(new Set(await Promise.all(making))).toEqual(new Set(['hash of x']));
  });
});

import { describe, expect, it } from 'vitest';
import type { Caller } from '../../kernel/fair-slots.js';
import type { Refusal } from '../../model/errors.js';
import { argon2id, createPasswords, makingRoom, nobodysHash, type PasswordHashing } from './passwords.js';

const somebody: Caller = { networks: ['192.0.2.0/24', '192.0.2.1'], subject: '', isKnown: false, delayMs: 0 };
const fresh = { like: null, by: 'an account' };

/** Hashing that finishes when the test says so. */
function heldHashing() {
  const ends: (() => void)[] = [];
  const likes: (string | null)[] = [];
  const hashing: PasswordHashing = (password, like) => {
    likes.push(like);
    return new Promise((resolve) => ends.push(() => resolve(`${like?.split('$')[0] ?? 'salt'}$${password}`)));
  };
  return { hashing, ends, likes };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('passwords', () => {
  it('are argon2id hashes, of one letter in either of its spellings', async () => {
    const passwords = createPasswords();
    const passwordHash = await passwords.hash('p\u00e4ssword of mine', fresh);
    expect(passwordHash).toMatch(/^\$argon2id\$/);
    const isRight = async (password: string) =>
      (await passwords.check(passwordHash, password, somebody))(passwordHash);
    expect(await isRight('pa\u0308ssword of mine')).toBe(true);
    expect(await isRight('password of mine')).toBe(false);
  });

  it('made with the salt of another are the library’s own, and found among those that share it', async () => {
    const passwords = createPasswords();
    const first = await passwords.hash('the password of one', fresh);
    const second = await passwords.hash('the password of two', { like: first, by: 'an account' });
    expect(second.split('$').slice(0, 5)).toEqual(first.split('$').slice(0, 5));
    expect(second).not.toBe(first);
    const { verify } = await import('@node-rs/argon2');
    expect(await verify(second, 'the password of two')).toBe(true);
    const isRight = await passwords.check(first, 'the password of two', somebody);
    expect([first, second].map(isRight)).toEqual([false, true]);
  });

  it('of nobody cost what those of somebody cost, and what those of many with one salt do', async () => {
    const parameters = (text: string) => text.split('$').slice(0, 4);
    expect(parameters(nobodysHash)).toEqual(parameters(await argon2id('x', null)));
    const computed: (string | null)[] = [];
    const passwords = createPasswords(async (password, like) => {
      computed.push(like);
      return `${like?.slice(0, like.lastIndexOf('$'))}$${password}`;
    });
    await passwords.check(null, 'x', somebody);
    expect(computed).toEqual([nobodysHash]);
    const isRight = await passwords.check('s$a', 'c', somebody);
    expect(['s$a', 's$b', 's$c'].map(isRight)).toEqual([false, false, true]);
    expect(computed).toHaveLength(2);
  });

  it('are checked two at a time; forty networks at once wait, and each is judged', async () => {
    const { hashing, ends } = heldHashing();
    const passwords = createPasswords(hashing);
    const crowd = Array.from({ length: 40 }, (_, i) =>
      passwords.check('s$x', 'x', { ...somebody, networks: [`10.0.${i}.0/24`, `10.0.${i}.1`] }),
    );
    await settled();
    expect(ends).toHaveLength(2);
    for (let done = 0; done < crowd.length; done += 1) {
      while (ends[done] === undefined) await settled();
      expect(ends.length).toBeLessThanOrEqual(done + 2);
      ends[done]?.();
    }
    expect((await Promise.all(crowd)).every((isRight) => isRight('s$x'))).toBe(true);
  });

  it('that one account sets by the dozen keep no other from it, and nobody from signing in', async () => {
    const { hashing, ends, likes } = heldHashing();
    const passwords = createPasswords(hashing);
    const making = Array.from({ length: makingRoom.maxPerNetwork }, () => passwords.hash('x', fresh));
    const refused = (await passwords.hash('one too many', fresh).catch((error: unknown) => error)) as Refusal;
    expect([refused.kind, refused.retryAfterSeconds]).toEqual(['unavailable', 5]);
    const other = passwords.hash('of another', { like: null, by: 'another account' });
    const asked = passwords.check('h$mine', 'mine', somebody);
    await settled();
    expect(likes).toEqual([null, 'h$mine']);
    ends[1]?.();
    expect((await asked)('h$mine')).toBe(true);
    ends[0]?.();
    await settled();
    ends[2]?.();
    expect(await other).toBe('salt$of another');
    for (let done = 3; done < ends.length; done += 1) {
      ends[done]?.();
      await settled();
    }
    expect(new Set(await Promise.all(making))).toEqual(new Set(['salt$x']));
  });
});

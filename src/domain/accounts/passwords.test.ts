import { describe, expect, it } from 'vitest';
import type { Caller } from '../../kernel/fair-slots.js';
import type { Refusal } from '../../model/errors.js';
import { argon2id, createPasswords, makingRoom, nobodysHash, type PasswordHashing } from './passwords.js';

const somebody: Caller = { networks: ['192.0.2.0/24', '192.0.2.1'], subject: '', isKnown: false, delayMs: 0 };
const fresh = { like: null, by: 'an account' };

/** Work that ends when the test says so. */
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
    expect(await passwords.find([passwordHash], 'pa\u0308ssword of mine', somebody)).toBe(0);
    expect(await passwords.find([passwordHash], 'password of mine', somebody)).toBe(-1);
  });

  it('made with the salt of another are the library’s own, and found among those that share it', async () => {
    const passwords = createPasswords();
    const first = await passwords.hash('the password of one', fresh);
    const second = await passwords.hash('the password of two', { like: first, by: 'an account' });
    expect(second.split('$').slice(0, 5)).toEqual(first.split('$').slice(0, 5));
    expect(second).not.toBe(first);
    const { verify } = await import('@node-rs/argon2');
    expect(await verify(second, 'the password of two')).toBe(true);
    expect(await passwords.find([first, second], 'the password of two', somebody)).toBe(1);
  });

  it('of nobody cost what those of somebody cost, and what those of many with one salt do', async () => {
    const parameters = (text: string) => text.split('$').slice(0, 4);
    expect(parameters(nobodysHash)).toEqual(parameters(await argon2id('x', null)));
    const computed: (string | null)[] = [];
    const passwords = createPasswords(async (password, like) => {
      computed.push(like);
      return `${like?.slice(0, like.lastIndexOf('$'))}$${password}`;
    });
    // Even if somebody found the text behind it.
    const digest = nobodysHash.slice(nobodysHash.lastIndexOf('$') + 1);
    expect(await passwords.find([], digest, somebody)).toBe(-1);
    expect(computed).toEqual([nobodysHash]);
    expect(await passwords.find(['s$a', 's$b', 's$c'], 'c', somebody)).toBe(2);
    expect(computed).toHaveLength(2);
    // Other salts are no reason to keep anybody out, nor to compute without end.
    expect(await passwords.find(['s$a', 't$b'], 'b', somebody)).toBe(1);
    expect(computed).toHaveLength(4);
    const many = Array.from({ length: 10 }, (_, i) => `salt ${i}$a`);
    expect(await passwords.find(many, 'b', somebody)).toBe(-1);
    expect(computed).toHaveLength(8);
  });

  it('are checked two at a time; forty networks at once wait, and each is judged', async () => {
    const { hashing, ends } = heldHashing();
    const passwords = createPasswords(hashing);
    const crowd = Array.from({ length: 40 }, (_, i) =>
      passwords.find(['s$x'], 'x', { ...somebody, networks: [`10.0.${i}.0/24`, `10.0.${i}.1`] }),
    );
    await settled();
    expect(ends).toHaveLength(2);
    for (let done = 0; done < crowd.length; done += 1) {
      while (ends[done] === undefined) await settled();
      expect(ends.length).toBeLessThanOrEqual(done + 2);
      ends[done]?.();
    }
    expect(new Set(await Promise.all(crowd))).toEqual(new Set([0]));
  });

  it('that one account sets by the dozen keep no other from it, and nobody from signing in', async () => {
    const { hashing, ends, likes } = heldHashing();
    const passwords = createPasswords(hashing);
    const making = Array.from({ length: makingRoom.maxPerNetwork }, () => passwords.hash('x', fresh));
    const refused = (await passwords.hash('one too many', fresh).catch((error: unknown) => error)) as Refusal;
    expect([refused.kind, refused.retryAfterSeconds]).toEqual(['unavailable', 5]);
    const other = passwords.hash('of another', { like: null, by: 'another account' });
    const asked = passwords.find(['h$mine'], 'mine', somebody);
    await settled();
    expect(likes).toEqual([null, 'h$mine']);
    ends[1]?.();
    expect(await asked).toBe(0);
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

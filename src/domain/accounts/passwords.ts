/**
 * Hashing and checking of passwords (argon2id). Each takes 19 MiB and a thread of the pool that also writes files: only a
 * few are done at once, a bounded number waits, the rest is told to come again.
 */
import { Slots } from '../../kernel/concurrency.js';
import { refuse } from '../../model/errors.js';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** null: there is no such user, and the answer takes the same work. */
  matches(passwordHash: string | null, password: string): Promise<boolean>;
}

/** The work itself, so that tests can hold it still. */
export interface PasswordHashing {
  hash(password: string): Promise<string>;
  verify(passwordHash: string, password: string): Promise<boolean>;
}

/** Loaded only when a password is set or checked: the service itself does not need it to start. */
export const argon2id: PasswordHashing = {
  hash: async (password) => (await import('@node-rs/argon2')).hash(password),
  verify: async (passwordHash, password) => (await import('@node-rs/argon2')).verify(passwordHash, password),
};

/** Of a random text that nobody kept, with the parameters that `argon2id.hash` uses. */
export const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$8e1pY/mJ/kyQsgtAM1/Kow$k8V0hoEZcMVFlOF5ZeLXcKdFvoFHHAxmf40iOhncSFM';

/** With the one that makes, three of the four threads in the pool: file writes must find one. */
const atOnce = 2;
export const maxWaiting = 16;
const maxWaitMs = 5_000;

/** The same letter can be typed as one code point or as two, and systems differ in which they send. */
const normal = (password: string): string => password.normalize('NFC');

export function createPasswords(hashing: PasswordHashing = argon2id): Passwords {
  // Apart: whoever makes users by the dozen must not keep others from signing in.
  const checking = new Slots(atOnce, atOnce, maxWaiting);
  const making = new Slots(1, 1, maxWaiting);
  const inTurn = async <T>(slots: Slots, work: () => Promise<T>): Promise<T> => {
    const free = await slots.wait('', maxWaitMs);
    if (!free) throw refuse.busy();
    try {
      return await work();
    } finally {
      free();
    }
  };
  return {
    hash: (password) => inTurn(making, () => hashing.hash(normal(password))),
    async matches(passwordHash, password) {
      const right = await inTurn(checking, () =>
        hashing.verify(passwordHash ?? nobodysHash, normal(password)),
      );
      return right && passwordHash !== null;
    },
  };
}

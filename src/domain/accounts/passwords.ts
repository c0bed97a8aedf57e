/**
 * Hashes and checks passwords (argon2id). Each computation takes 19 MiB and a thread of the pool that also writes files, so
 * only a few run at once. Waiting costs almost nothing, so many callers may wait, and networks share the slots fairly.
 */
import { systemTimers, type Timers } from '../../kernel/clock.js';
import { type Caller, FairSlots, type Room } from '../../kernel/fair-slots.js';
import { sameSecret } from '../../kernel/secrets.js';
import { refuse } from '../../model/errors.js';

export interface Passwords {
  /**
   * `like`: a hash whose salt is reused. All users with one e-mail address share a salt, so that signing in takes one
   * computation however many accounts have the address. `by`: whom the work is for; other callers do not wait for all of it.
   */
  hash(password: string, options: { like: string | null; by: string }): Promise<string>;
  /**
   * Computes once. The returned function says whether a hash with the salt of `like` matches the password, and returns false
   * for null. With `like` null the work is the same.
   */
  check(
    like: string | null,
    password: string,
    caller: Caller,
  ): Promise<(passwordHash: string | null) => boolean>;
  /** Waits for a slot like `check`, without computing anything. */
  wait(caller: Caller): Promise<void>;
}

/** The computation itself, which tests can pause. `like`: a hash whose salt and parameters are used. */
export type PasswordHashing = (password: string, like: string | null) => Promise<string>;

/** Loads the library only when a password is set or checked: the service does not need it to start. */
export const argon2id: PasswordHashing = async (password, like) => {
  const { hash, parseOptions } = await import('@node-rs/argon2');
  if (like === null) return hash(password);
  const { algorithm, version, memoryCost, timeCost, parallelism, outputLen } = parseOptions(like);
  const salt = Buffer.from(like.split('$').at(-2) ?? '', 'base64');
  return hash(password, { algorithm, version, memoryCost, timeCost, parallelism, outputLen, salt });
};

/** The hash of a random text that was discarded, with the parameters of `argon2id`. */
export const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$8e1pY/mJ/kyQsgtAM1/Kow$k8V0hoEZcMVFlOF5ZeLXcKdFvoFHHAxmf40iOhncSFM';

/** Everything before the digest. Hashes that share it are compared after one computation. */
const saltOf = (passwordHash: string): string => passwordHash.slice(0, passwordHash.lastIndexOf('$'));

export const haveSameSalt = (left: string, right: string): boolean => saltOf(left) === saltOf(right);

/** Returns a hash with the salt that all these users of one e-mail address share, or null when none has a password. */
export const saltIn = (users: readonly { readonly passwordHash: string | null }[]): string | null =>
  users.find(({ passwordHash }) => passwordHash !== null)?.passwordHash ?? null;

/** Together with `makingRoom`, three of the four threads in the pool: one must stay free for file writes. */
const checkingRoom: Room = {
  slots: 2,
  maxWaiting: 1_000,
  maxPerNetwork: 64,
  maxPerSubject: 100,
  patienceMs: 30_000,
};
export const makingRoom: Room = {
  slots: 1,
  maxWaiting: 64,
  maxPerNetwork: 16,
  maxPerSubject: 64,
  patienceMs: 30_000,
};

/** The same letter can be typed as one code point or as two, and systems differ in which they send. */
const normal = (password: string): string => password.normalize('NFC');

export function createPasswords(
  hashing: PasswordHashing = argon2id,
  timers: Timers = systemTimers,
): Passwords {
  // Separate, so that creating users in bulk does not keep others from signing in.
  const checking = new FairSlots(checkingRoom, timers);
  const making = new FairSlots(makingRoom, timers);

  const inTurn = async <T>(slots: FairSlots, caller: Caller, work: () => Promise<T>): Promise<T> => {
    const free = await slots.enter(caller);
    if (!free) throw refuse.busy();
    try {
      return await work();
    } finally {
      free();
    }
  };

  return {
    hash: (password, { like, by }) =>
      inTurn(making, { networks: [by], subject: '', isKnown: false, delayMs: 0 }, () =>
        hashing(normal(password), like),
      ),
    check: (like, password, caller) =>
      inTurn(checking, caller, async () => {
        const computed = await hashing(normal(password), like ?? nobodysHash);
        return (passwordHash) => passwordHash !== null && sameSecret(passwordHash, computed);
      }),
    wait: (caller) => inTurn(checking, caller, async () => {}),
  };
}

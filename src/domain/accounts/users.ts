/** People who may sign in to the dashboard. Passwords are kept as argon2id hashes. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { randomText } from '../../kernel/secrets.js';
import type { Principal, User } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import { type Store, StoreConflict } from '../../ports/store.js';
import { haveSameSalt, type Passwords } from './passwords.js';

export class UserExists extends Error {}
export class UserUnknown extends Error {}
/** Several accounts have a user with this e-mail address. */
export class UserAmbiguous extends Error {}

export interface UserName {
  readonly email: string;
  /** null: the account is left out, because only one has such a user. */
  readonly accountId: string | null;
}

export interface UserService {
  /** Throws UserExists: the account has one with this e-mail address. What other accounts have makes no difference. */
  create(input: { accountId: string; email: string; password: string }): Promise<User>;
  list(accountId: string): Promise<readonly User[]>;
  /** Throws UserUnknown, or UserAmbiguous without an account. */
  get(who: UserName): Promise<User>;
  /** Signs that user out everywhere. Refuses to delete the caller, and the last one of the account. */
  delete(who: Pick<Principal, 'accountId' | 'userId'>, id: string): Promise<void>;
  /** Signs that user out everywhere. Throws UserUnknown, or UserAmbiguous without an account. */
  resetPassword(who: UserName, password: string): Promise<void>;
}

/** Addresses compare without case: nobody remembers how they typed theirs. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();

export const newPassword = (): string => randomText(20);

export function createUserService(deps: {
  store: Store;
  clock: Clock;
  passwords: Passwords;
  /** All sessions of this user have ended. */
  onSessionsEnded: (userId: string) => void;
}): UserService {
  const { store, clock, passwords } = deps;

  /** False: meanwhile another account got a user of this address, with another salt. */
  const insert = (user: User, passwordHash: string): Promise<boolean> =>
    store
      .tx(async (tx) => {
        const [first] = await tx.users.listByEmail(user.email);
        if (first && !haveSameSalt(first.passwordHash, passwordHash)) return false;
        await tx.users.create(user, passwordHash);
        // A set-up link that lies in some log must not come to life again when this user is deleted.
        await tx.setup.clear();
        return true;
      })
      .catch((error: unknown) => {
        if (error instanceof StoreConflict && error.rule === 'unique') throw new UserExists(user.email);
        throw error;
      });

  const find = async ({ email, accountId }: UserName) => {
    const listed = await store.users.listByEmail(normalEmail(email));
    const [found, another] = listed.filter(({ user }) => accountId === null || user.accountId === accountId);
    if (!found) throw new UserUnknown(email);
    if (another) throw new UserAmbiguous(email);
    return found;
  };

  return {
    async create({ accountId, email, password }) {
      const normal = normalEmail(email);
      for (;;) {
        const [first] = await store.users.listByEmail(normal);
        const like = first?.passwordHash ?? null;
        const passwordHash = await passwords.hash(password, { like, by: accountId });
        const now = clock.now();
        const user: User = { id: newId(now), accountId, email: normal, createdAt: now };
        if (await insert(user, passwordHash)) return user;
      }
    },
    list: (accountId) => store.users.list(accountId),
    get: async (who) => (await find(who)).user,
    async delete(who, id) {
      if (id === who.userId) throw refuse.ownUser();
      if (!isUuid(id)) throw refuse.userNotFound();
      await store.tx(async (tx) => {
        if (!(await tx.users.delete(who.accountId, id))) throw refuse.userNotFound();
        // Also of two who delete each other at the same moment one stays.
        if ((await tx.users.list(who.accountId)).length === 0) throw refuse.lastUser();
      });
      deps.onSessionsEnded(id);
    },
    async resetPassword(who, password) {
      const found = await find(who);
      const like = found.passwordHash;
      const passwordHash = await passwords.hash(password, { like, by: found.user.accountId });
      await store.tx(async (tx) => {
        await tx.users.setPassword(found.user.id, passwordHash);
        await tx.sessions.endAllOf(found.user.id);
      });
      deps.onSessionsEnded(found.user.id);
    },
  };
}

/** People who may sign in to the dashboard. Passwords are kept as argon2id hashes. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { randomText } from '../../kernel/secrets.js';
import type { Principal, User } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import { type Store, StoreConflict } from '../../ports/store.js';
import type { Passwords } from './passwords.js';

export class UserExists extends Error {}
export class UserUnknown extends Error {}

export interface UserService {
  /** Throws UserExists. */
  create(input: { accountId: string; email: string; password: string }): Promise<User>;
  list(accountId: string): Promise<readonly User[]>;
  /** Signs that user out everywhere. Refuses to delete the caller, and the last one of the account. */
  delete(who: Pick<Principal, 'accountId' | 'userId'>, id: string): Promise<void>;
  /** Signs that user out everywhere. Throws UserUnknown. */
  resetPassword(email: string, password: string): Promise<void>;
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
  return {
    async create({ accountId, email, password }) {
      const passwordHash = await passwords.hash(password);
      const now = clock.now();
      const user: User = { id: newId(now), accountId, email: normalEmail(email), createdAt: now };
      try {
        await store.tx(async (tx) => {
          await tx.users.create(user, passwordHash);
          // A set-up link that lies in some log must not come to life again when this user is deleted.
          await tx.setup.clear();
        });
      } catch (error) {
        if (error instanceof StoreConflict && error.rule === 'unique') throw new UserExists(user.email);
        throw error;
      }
      return user;
    },
    list: (accountId) => store.users.list(accountId),
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
    async resetPassword(email, password) {
      const found = await store.users.findByEmail(normalEmail(email));
      if (!found) throw new UserUnknown(email);
      const passwordHash = await passwords.hash(password);
      await store.tx(async (tx) => {
        await tx.users.setPassword(found.user.id, passwordHash);
        await tx.sessions.endAllOf(found.user.id);
      });
      deps.onSessionsEnded(found.user.id);
    },
  };
}

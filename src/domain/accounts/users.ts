/** People who may sign in to the dashboard. Passwords are kept as argon2id hashes. */
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { randomText } from '../../kernel/secrets.js';
import type { User } from '../../model/account.js';
import { type Store, StoreConflict } from '../../ports/store.js';

export class UserExists extends Error {}
export class UserUnknown extends Error {}

export interface UserService {
  create(input: { accountId: string; email: string; password: string }): Promise<User>;
  resetPassword(email: string, password: string): Promise<void>;
}

/** Addresses compare without case: nobody remembers how they typed theirs. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();

/** Loaded only when a password is set: the service itself does not need it to start. */
export const hashPassword = async (password: string): Promise<string> =>
  (await import('@node-rs/argon2')).hash(password);

export const newPassword = (): string => randomText(20);

export function createUserService({ store, clock }: { store: Store; clock: Clock }): UserService {
  return {
    async create({ accountId, email, password }) {
      const now = clock.now();
      const user: User = { id: newId(now), accountId, email: normalEmail(email), createdAt: now };
      try {
        await store.users.create(user, await hashPassword(password));
      } catch (error) {
        if (error instanceof StoreConflict) throw new UserExists(user.email);
        throw error;
      }
      return user;
    },
    async resetPassword(email, password) {
      const found = await store.users.findByEmail(normalEmail(email));
      if (!found) throw new UserUnknown(email);
      await store.users.setPassword(found.user.id, await hashPassword(password));
    },
  };
}

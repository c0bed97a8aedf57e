/** People who may sign in to the dashboard. Passwords are stored as argon2id hashes, one per login. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { randomText } from '../../kernel/secrets.js';
import type { Access, Principal, User } from '../../model/account.js';
import type { Actor, Recorder } from '../../model/audit.js';
import { refuse } from '../../model/errors.js';
import { type BoundStore, type Store, StoreConflict } from '../../ports/store.js';
import { record } from '../audit/record.js';
import { requireProjects } from './own-projects.js';
import { haveSameSalt, type Passwords, saltIn } from './passwords.js';

export class UserExists extends Error {}
export class UserUnknown extends Error {}
/** Several accounts have a user with this e-mail address. */
export class UserAmbiguous extends Error {}

export interface UserName {
  readonly email: string;
  /** null: no account is given, which works if only one has such a user. */
  readonly accountId: string | null;
}

export interface UserService {
  /** Throws UserExists if the account has a user with this e-mail address, whatever other accounts have. */
  create(
    who: Recorder,
    input: {
      email: string;
      password: string;
      /** Absent: an owner. */
      access?: Access;
    },
  ): Promise<User>;
  list(accountId: string): Promise<readonly User[]>;
  /** Throws UserUnknown, or UserAmbiguous without an account. */
  get(who: UserName): Promise<User>;
  /** Takes effect at once, also if the user is signed in. Refuses to leave the account without an owner. */
  setAccess(who: Recorder, id: string, access: Access): Promise<User>;
  /** Also signs the user out everywhere. Refuses to delete the caller, and the last user or last owner of the account. */
  delete(who: Pick<Principal, 'accountId' | 'userId' | 'actor'>, id: string): Promise<void>;
  /** Sets the login's password in all accounts and signs it out everywhere. Throws UserUnknown, or UserAmbiguous without an account. */
  resetPassword(actor: Actor, who: UserName, password: string): Promise<void>;
  /** Removes the second factors of the login: the password is enough from now on. Returns false when it had none. */
  resetTwoFactors(actor: Actor, user: User): Promise<boolean>;
}

/** Addresses are compared case-insensitively: users do not remember how they typed theirs. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();

/** The user gets a login of their own, with the same id. */
export const newUser = (input: { accountId: string; email: string; access: Access; now: number }): User => {
  const { accountId, email, access, now } = input;
  const id = newId(now);
  return { id, accountId, loginId: id, email, ...access, createdAt: now };
};

const requireOwn = (tx: BoundStore, accountId: string, { projects }: Access): Promise<void> =>
  requireProjects(
    tx,
    accountId,
    projects.map(({ projectId }) => projectId),
    (place) => `projects.${place}.project_id`,
  );

/** Inside the transaction: of two owners who demote or delete each other concurrently, one remains. */
const requireOwner = async (tx: BoundStore, accountId: string): Promise<void> => {
  if (!(await tx.users.list(accountId)).some(({ role }) => role === 'owner')) throw refuse.lastOwner();
};

export const owner: Access = { role: 'owner', projects: [] };
export const userObject = ({ id, email }: User) => ({ kind: 'user', id, name: email });

/** Also ends all sessions of the login and voids the links that were mailed to it. Runs inside a transaction. */
export async function replacePassword(tx: BoundStore, loginId: string, passwordHash: string): Promise<void> {
  await tx.users.setPassword(loginId, passwordHash);
  await tx.sessions.endAllOf(loginId);
  await tx.loginLinks.voidAll(loginId, 'reset');
  await tx.loginLinks.voidAll(loginId, 'email');
}

export const newPassword = (): string => randomText(20);

export function createUserService(deps: {
  store: Store;
  clock: Clock;
  passwords: Passwords;
  /** Called when sessions of this login have ended, or when the access of one of its users has changed. */
  onSessionsEnded: (loginId: string) => void;
}): UserService {
  const { store, clock, passwords } = deps;

  /** Returns false when another account has got a user with this address meanwhile, with a different salt. */
  const insert = (who: Recorder, user: User, passwordHash: string): Promise<boolean> =>
    store
      .tx(async (tx) => {
        const salt = saltIn(await tx.users.listByEmail(user.email));
        if (salt !== null && !haveSameSalt(salt, passwordHash)) return false;
        await requireOwn(tx, user.accountId, user);
        await tx.users.create(user, passwordHash);
        // A set-up link that is still in some log must not become valid again when this user is deleted.
        await tx.setup.clear();
        record(tx, who, { action: 'user.created', object: userObject(user), after: user });
        return true;
      })
      .catch((error: unknown) => {
        if (error instanceof StoreConflict && error.rule === 'unique') throw new UserExists(user.email);
        throw error;
      });

  /** Returns false in the same case as `insert`. */
  const replace = (actor: Actor, user: User, passwordHash: string): Promise<boolean> =>
    store.tx(async (tx) => {
      const salt = saltIn(await tx.users.listByEmail(user.email));
      if (salt !== null && !haveSameSalt(salt, passwordHash)) return false;
      await replacePassword(tx, user.loginId, passwordHash);
      const { accountId } = user;
      record(tx, { accountId, actor }, { action: 'user.password_reset', object: userObject(user) });
      return true;
    });

  const find = async ({ email, accountId }: UserName) => {
    const listed = await store.users.listByEmail(normalEmail(email));
    const [found, another] = listed.filter(({ user }) => accountId === null || user.accountId === accountId);
    if (!found) throw new UserUnknown(email);
    if (another) throw new UserAmbiguous(email);
    return found;
  };

  return {
    async create(who, { email, password, access = owner }) {
      const { accountId } = who;
      const normal = normalEmail(email);
      for (;;) {
        const like = saltIn(await store.users.listByEmail(normal));
        const passwordHash = await passwords.hash(password, { like, by: accountId });
        const now = clock.now();
        const user = newUser({ accountId, email: normal, access, now });
        if (await insert(who, user, passwordHash)) return user;
      }
    },
    list: (accountId) => store.users.list(accountId),
    get: async (who) => (await find(who)).user,
    async setAccess(who, id, access) {
      const { accountId } = who;
      if (!isUuid(id)) throw refuse.userNotFound();
      const user = await store.tx(async (tx) => {
        const found = await tx.users.find(accountId, id);
        if (!found) throw refuse.userNotFound();
        await requireOwn(tx, accountId, access);
        await tx.users.setAccess(accountId, id, access);
        if (found.user.role === 'owner') await requireOwner(tx, accountId);
        const changed = { ...found.user, ...access };
        record(tx, who, {
          ...{ action: 'user.updated', object: userObject(changed) },
          ...{ before: found.user, after: changed },
        });
        return changed;
      });
      deps.onSessionsEnded(user.loginId);
      return user;
    },
    async delete(who, id) {
      if (id === who.userId) throw refuse.ownUser();
      if (!isUuid(id)) throw refuse.userNotFound();
      const { loginId } = await store.tx(async (tx) => {
        const found = await tx.users.find(who.accountId, id);
        if (!found || !(await tx.users.delete(who.accountId, id))) throw refuse.userNotFound();
        // Of two users who delete each other concurrently, one remains.
        if ((await tx.users.list(who.accountId)).length === 0) throw refuse.lastUser();
        if (found.user.role === 'owner') await requireOwner(tx, who.accountId);
        record(tx, who, { action: 'user.deleted', object: userObject(found.user), before: found.user });
        return found.user;
      });
      deps.onSessionsEnded(loginId);
    },
    resetTwoFactors: (actor, user) =>
      store.tx(async (tx) => {
        const { accountId, loginId } = user;
        if (!(await tx.factors.deleteAll(loginId))) return false;
        record(tx, { accountId, actor }, { action: 'user.two_factors_reset', object: userObject(user) });
        return true;
      }),
    async resetPassword(actor, who, password) {
      const { user } = await find(who);
      const { email, accountId, loginId } = user;
      for (;;) {
        const like = saltIn(await store.users.listByEmail(email));
        const passwordHash = await passwords.hash(password, { like, by: accountId });
        if (await replace(actor, user, passwordHash)) return deps.onSessionsEnded(loginId);
      }
    },
  };
}

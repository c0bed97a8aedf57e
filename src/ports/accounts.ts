/** The part of the store that knows who may do what: accounts, their keys, their users, and who is signed in. */
import type { Access, Account, ApiKey, Session, User } from '../model/account.js';
import type { PlanName } from '../model/plans.js';
import type { Reach } from '../model/reach.js';

export interface AccountStore {
  create(account: Account): Promise<void>;
  find(id: string): Promise<Account | null>;
  /** Oldest first. */
  list(): Promise<readonly Account[]>;
  /** The operator's own: the account that was made first. */
  findOldest(): Promise<Account | null>;
  setPlan(id: string, plan: PlanName): Promise<boolean>;
  setTwoFactorsRequired(id: string, isRequired: boolean): Promise<void>;
  usage(reach: Reach): Promise<{ projects: number; forms: number; submissions: number }>;
}

export interface KeyStore {
  create(key: ApiKey, keyHash: string): Promise<void>;
  /** The key and its account, by the hash of the presented key. */
  findByHash(keyHash: string): Promise<{ key: ApiKey; account: Account } | null>;
  list(accountId: string): Promise<readonly ApiKey[]>;
  revoke(accountId: string, id: string): Promise<boolean>;
  touch(id: string, usedAt: number): Promise<void>;
}

/** A user and the hash of their login's password; null: this login has none. */
export interface StoredUser {
  readonly user: User;
  readonly passwordHash: string | null;
}

export interface UserStore {
  /** With a login of their own. `StoreConflict('unique')`: the account has a user with this e-mail address. */
  create(user: User, passwordHash: string | null): Promise<void>;
  /** For a login that has a user elsewhere. `StoreConflict`: 'unique' as above; 'reference': there is no such login. */
  join(user: User): Promise<void>;
  /** Of all accounts, at most one of each; oldest first. */
  listByEmail(email: string): Promise<readonly StoredUser[]>;
  /** Of all accounts, at most one of each; oldest first. */
  listOfLogin(loginId: string): Promise<readonly { user: User; account: Account }[]>;
  find(accountId: string, id: string): Promise<StoredUser | null>;
  /** Oldest first. */
  list(accountId: string): Promise<readonly User[]>;
  /** With all sessions of that user, and their login if this was its last user; false: there is no such user. */
  delete(accountId: string, id: string): Promise<boolean>;
  /** False: there is no such user. */
  setAccess(accountId: string, id: string, access: Access): Promise<boolean>;
  setPassword(loginId: string, passwordHash: string): Promise<void>;
  /** Of all users of the login. `StoreConflict('unique')`: an account of one of them has a user with this address. */
  setEmail(loginId: string, email: string): Promise<void>;
  /** Gives the user a new login without a password; the old one stays with its other users. */
  separate(id: string, loginId: string, now: number): Promise<void>;
  /** Of all accounts. */
  count(): Promise<number>;
}

/** Who is signed in. A session is found until it is ended or purged: whether it has expired is the domain's question. */
export interface SessionStore {
  /** `StoreConflict('reference')`: there is no such user. */
  create(session: Session): Promise<void>;
  /** With the user and the account as they are now. */
  find(tokenHash: string): Promise<{ session: Session; user: User; account: Account } | null>;
  /** Of all users of the login, those used last first. */
  listOf(loginId: string): Promise<readonly Session[]>;
  /** Nothing happens when it has ended meanwhile. */
  touch(tokenHash: string, lastSeenAt: number, expiresAt: number): Promise<void>;
  end(tokenHash: string): Promise<void>;
  /** Of all users of the login. */
  endAllOf(loginId: string): Promise<void>;
}

/** How an instance begins, and its one-time set-up link, of which there is at most one. */
export interface SetupStore {
  /**
   * Inside a transaction: true for the first who ever begins. Who comes at the same moment waits for the end of the other's
   * transaction, and is the first if that was rolled back.
   */
  begin(): Promise<boolean>;
  /** Takes the place of the one before. */
  put(tokenHash: string): Promise<void>;
  /**
   * For processes that share the database and must all show the same link: puts the token unless one was shared before;
   * the one that counts now.
   */
  share(token: string): Promise<string>;
  holds(tokenHash: string): Promise<boolean>;
  /** True for the first who comes with the token that was put last, however many try at the same moment. */
  take(tokenHash: string): Promise<boolean>;
  clear(): Promise<void>;
}

/** The part of the store for access: accounts, their keys and users, and who is signed in. */
import type { Access, Account, ApiKey, Session, User } from '../model/account.js';
import type { Reach } from '../model/reach.js';

export type AccountChanges = Partial<Pick<Account, 'name' | 'plan' | 'twoFactorsRequired'>>;

export interface AccountStore {
  create(account: Account): Promise<void>;
  find(id: string): Promise<Account | null>;
  /** Oldest first. */
  list(): Promise<readonly Account[]>;
  /** The operator's own account: the one created first. */
  findOldest(): Promise<Account | null>;
  /** Returns false when there is no such account. */
  update(id: string, changes: AccountChanges): Promise<boolean>;
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

/** A user and the hash of their login's password; null when the login has none. */
export interface StoredUser {
  readonly user: User;
  readonly passwordHash: string | null;
}

export interface UserStore {
  /** With a login of their own. `StoreConflict('unique')`: the account already has a user with this e-mail address. */
  create(user: User, passwordHash: string | null): Promise<void>;
  /** For a login with a user in another account. `StoreConflict`: 'unique' as above; 'reference': there is no such login. */
  join(user: User): Promise<void>;
  /** Across all accounts, at most one per account; oldest first. */
  listByEmail(email: string): Promise<readonly StoredUser[]>;
  /** Across all accounts, at most one per account; oldest first. */
  listOfLogin(loginId: string): Promise<readonly { user: User; account: Account }[]>;
  find(accountId: string, id: string): Promise<StoredUser | null>;
  /** Oldest first. */
  list(accountId: string): Promise<readonly User[]>;
  /** Also deletes the user's sessions, and the login if this was its last user. Returns false when there is no such user. */
  delete(accountId: string, id: string): Promise<boolean>;
  /** Returns false when there is no such user. */
  setAccess(accountId: string, id: string, access: Access): Promise<boolean>;
  setPassword(loginId: string, passwordHash: string): Promise<void>;
  /** For all users of the login. `StoreConflict('unique')`: one of their accounts already has a user with this address. */
  setEmail(loginId: string, email: string): Promise<void>;
  /** Gives the user a new login without a password; the old one stays with its other users. */
  separate(id: string, loginId: string, now: number): Promise<void>;
  /** Across all accounts. */
  count(): Promise<number>;
}

/** Who is signed in. A session is found until it is ended or purged; the domain checks whether it has expired. */
export interface SessionStore {
  /** `StoreConflict('reference')`: there is no such user. */
  create(session: Session): Promise<void>;
  /** With the user and the account as they are now. */
  find(tokenHash: string): Promise<{ session: Session; user: User; account: Account } | null>;
  /** Of all users of the login, most recently used first. */
  listOf(loginId: string): Promise<readonly Session[]>;
  /** Does nothing when the session has ended meanwhile. */
  touch(tokenHash: string, lastSeenAt: number, expiresAt: number): Promise<void>;
  end(tokenHash: string): Promise<void>;
  /** Of all users of the login. */
  endAllOf(loginId: string): Promise<void>;
}

/** The set-up of an instance, and its one-time set-up link, of which there is at most one. */
export interface SetupStore {
  /**
   * Inside a transaction. Returns true only for the first caller ever. A concurrent caller waits for the other transaction to
   * end, and is the first if that one was rolled back.
   */
  begin(): Promise<boolean>;
  /** Replaces the previous one. */
  put(tokenHash: string): Promise<void>;
  /**
   * For processes that share the database and must all show the same link: stores the token unless one was shared before.
   * Returns the one that counts now.
   */
  share(token: string): Promise<string>;
  holds(tokenHash: string): Promise<boolean>;
  /** Returns true only for the first caller with the token that was put last, however many try at once. */
  take(tokenHash: string): Promise<boolean>;
  clear(): Promise<void>;
}

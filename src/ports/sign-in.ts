/** The part of the store for ways to sign in other than a password. */
import type { Authenticator, Invitation, LinkPurpose, LoginLink, Passkey } from '../model/sign-in.js';

export interface InvitationStore {
  /** Replaces an invitation to the same address. `StoreConflict('reference')`: there is no such account. */
  put(invitation: Invitation, tokenHash: string): Promise<void>;
  /** In any account, by the hash of its token, expired or not. */
  findByToken(tokenHash: string): Promise<Invitation | null>;
  /** Those that expire after `now`, oldest first. */
  list(accountId: string, now: number): Promise<readonly Invitation[]>;
  /** Returns true only for the first caller, however many try at once. */
  delete(accountId: string, id: string): Promise<boolean>;
}

export interface LoginLinkStore {
  /** `StoreConflict('reference')`: there is no such login. */
  create(link: LoginLink): Promise<void>;
  find(tokenHash: string, purpose: LinkPurpose): Promise<LoginLink | null>;
  /** Returns true only for the first caller, however many try at once. */
  take(tokenHash: string, purpose: LinkPurpose): Promise<boolean>;
  voidAll(loginId: string, purpose: LinkPurpose): Promise<void>;
}

export interface FactorStore {
  findAuthenticator(loginId: string): Promise<Authenticator | null>;
  /** Replaces the previous one. `StoreConflict('reference')`: there is no such login. */
  putAuthenticator(authenticator: Authenticator): Promise<void>;
  /** Also confirms it. Returns false when that step or a later one was used before, or no authenticator has this secret. */
  spendStep(authenticator: Authenticator, step: number): Promise<boolean>;
  deleteAuthenticator(loginId: string): Promise<boolean>;
  /** Oldest first. */
  listPasskeys(loginId: string): Promise<readonly Passkey[]>;
  /** Of any login. */
  findPasskey(id: string): Promise<Passkey | null>;
  /** `StoreConflict`: 'unique' when it exists, 'reference' when there is no such login. */
  addPasskey(passkey: Passkey): Promise<void>;
  renamePasskey(loginId: string, id: string, name: string): Promise<boolean>;
  deletePasskey(loginId: string, id: string): Promise<boolean>;
  /** Returns false when it is gone or its counter is already this high. A passkey that does not count stays at 0. */
  usedPasskey(id: string, counter: number, at: number): Promise<boolean>;
  /** Deletes all of them and the recovery codes. Returns false when there were none. */
  deleteAll(loginId: string): Promise<boolean>;
  countRecoveryCodes(loginId: string): Promise<number>;
  /** Replaces all previous ones. */
  putRecoveryCodes(loginId: string, codeHashes: readonly string[]): Promise<void>;
  /** Returns true only for the first caller with this code, however many try at once. */
  spendRecoveryCode(loginId: string, codeHash: string): Promise<boolean>;
}

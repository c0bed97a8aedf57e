/** The part of the store that knows how people get in beside their password. */
import type { Authenticator, Invitation, LinkPurpose, LoginLink, Passkey } from '../model/sign-in.js';

export interface InvitationStore {
  /** Takes the place of one to the same address. `StoreConflict('reference')`: there is no such account. */
  put(invitation: Invitation, tokenHash: string): Promise<void>;
  /** Of all accounts, by the hash of its token, expired or not. */
  findByToken(tokenHash: string): Promise<Invitation | null>;
  /** Those that expire after `now`, oldest first. */
  list(accountId: string, now: number): Promise<readonly Invitation[]>;
  /** True for the first who comes, however many try at the same moment. */
  delete(accountId: string, id: string): Promise<boolean>;
}

export interface LoginLinkStore {
  /** `StoreConflict('reference')`: there is no such login. */
  create(link: LoginLink): Promise<void>;
  find(tokenHash: string, purpose: LinkPurpose): Promise<LoginLink | null>;
  /** True for the first who comes, however many try at the same moment. */
  take(tokenHash: string, purpose: LinkPurpose): Promise<boolean>;
  voidAll(loginId: string, purpose: LinkPurpose): Promise<void>;
}

export interface FactorStore {
  findAuthenticator(loginId: string): Promise<Authenticator | null>;
  /** Takes the place of the one before. `StoreConflict('reference')`: there is no such login. */
  putAuthenticator(authenticator: Authenticator): Promise<void>;
  /** False: that step or a later one was used before, or there is no authenticator with this secret. Confirms it. */
  spendStep(authenticator: Authenticator, step: number): Promise<boolean>;
  deleteAuthenticator(loginId: string): Promise<boolean>;
  /** Oldest first. */
  listPasskeys(loginId: string): Promise<readonly Passkey[]>;
  /** Whosever it is. */
  findPasskey(id: string): Promise<Passkey | null>;
  /** `StoreConflict`: 'unique': it exists; 'reference': there is no such login. */
  addPasskey(passkey: Passkey): Promise<void>;
  renamePasskey(loginId: string, id: string, name: string): Promise<boolean>;
  deletePasskey(loginId: string, id: string): Promise<boolean>;
  /** False: it is gone, or its counter is at this or beyond. One that does not count stays at 0. */
  usedPasskey(id: string, counter: number, at: number): Promise<boolean>;
  /** All of them, with the recovery codes; false: there were none. */
  deleteAll(loginId: string): Promise<boolean>;
  countRecoveryCodes(loginId: string): Promise<number>;
  /** In the place of all before. */
  putRecoveryCodes(loginId: string, codeHashes: readonly string[]): Promise<void>;
  /** True for the first who comes with it, however many try at the same moment. */
  spendRecoveryCode(loginId: string, codeHash: string): Promise<boolean>;
}

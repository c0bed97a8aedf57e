/** Who may vouch for users: the providers of an account, as stored, and as they are talked to. */
import type { Claims, IdentityProvider } from '../model/identity-provider.js';

export interface IdentityProviderStore {
  create(provider: IdentityProvider): Promise<void>;
  /** Oldest first. */
  list(accountId: string): Promise<readonly IdentityProvider[]>;
  get(accountId: string, id: string): Promise<IdentityProvider | null>;
  /** Of whatever account, for who is not signed in yet. */
  find(id: string): Promise<IdentityProvider | null>;
  /** Of all accounts, oldest first, at most 20: those of this domain if it is not null, and those that are listed while there is one account. */
  offered(domain: string | null): Promise<readonly IdentityProvider[]>;
  /** Writes all settings; false: the account has no such one. */
  update(provider: IdentityProvider): Promise<boolean>;
  /** With what it knows of users; their sessions end. False: the account has no such one. */
  delete(accountId: string, id: string): Promise<boolean>;
  /** The user whom the provider knows by this subject. */
  userOf(providerId: string, subject: string): Promise<string | null>;
  /** From now on the provider vouches for this user. Of two at the same moment the first counts. */
  link(providerId: string, subject: string, userId: string): Promise<void>;
}

/** What must come back with somebody who was sent to a provider. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface Departure {
  readonly url: string;
  readonly checks: SignInChecks;
}

/** Talks to providers. Everything throws SignInFailed with 'provider_unavailable' or 'provider_invalid'; `finish` also 'cancelled'. */
export interface SingleSignOn {
  begin(provider: IdentityProvider, redirectUri: string): Promise<Departure>;
  /** `callback` is the address that the browser came back to, with its query. */
  finish(provider: IdentityProvider, callback: string, checks: SignInChecks): Promise<Claims>;
  /** Where somebody signs out of the provider too; null: it has no such page. */
  signOutUrl(provider: IdentityProvider, returnTo: string): Promise<string | null>;
}

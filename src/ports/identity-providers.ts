/** The identity providers of an account: how they are stored, and how we talk to them. */
import type { Claims, IdentityProvider } from '../model/identity-provider.js';

export interface IdentityProviderStore {
  create(provider: IdentityProvider): Promise<void>;
  /** Oldest first. */
  list(accountId: string): Promise<readonly IdentityProvider[]>;
  get(accountId: string, id: string): Promise<IdentityProvider | null>;
  /** In any account, for users who are not signed in yet. */
  find(id: string): Promise<IdentityProvider | null>;
  /** Across accounts, oldest first, at most 20: those of `domain` unless it is null, and listed ones while there is only one account. */
  offered(domain: string | null): Promise<readonly IdentityProvider[]>;
  /** Writes all settings. Returns false when the account has no such provider. */
  update(provider: IdentityProvider): Promise<boolean>;
  /** Also deletes its links to users; their sessions end. Returns false when the account has no such provider. */
  delete(accountId: string, id: string): Promise<boolean>;
  /** The id of the user whom the provider knows by this subject. */
  userOf(providerId: string, subject: string): Promise<string | null>;
  /** From now on the provider vouches for this user. Of two concurrent calls, the first counts. */
  link(providerId: string, subject: string, userId: string): Promise<void>;
}

/** What must come back with a user who was sent to a provider. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface Departure {
  readonly url: string;
  readonly checks: SignInChecks;
}

/** Talks to providers. All methods throw SignInFailed with 'provider_unavailable' or 'provider_invalid'; `finish` also 'cancelled'. */
export interface SingleSignOn {
  begin(provider: IdentityProvider, redirectUri: string): Promise<Departure>;
  /** `callback` is the address that the browser returned to, with its query. */
  finish(provider: IdentityProvider, callback: string, checks: SignInChecks): Promise<Claims>;
  /** Where a user signs out of the provider too; null when it has no such page. */
  signOutUrl(provider: IdentityProvider, returnTo: string): Promise<string | null>;
}

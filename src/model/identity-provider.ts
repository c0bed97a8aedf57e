/** A provider whose users may sign in to one account, by OpenID Connect. */
import type { SignInFailure } from '../contract/identity-provider.js';
import type { Role } from './permission.js';

export interface IdentityProvider {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** In lower case. Whose address is in none of them does not get in; empty: every address that the provider has verified does. */
  readonly domains: readonly string[];
  /** Users with an address in `domains` sign in here, except for owners who have a password. */
  readonly isRequired: boolean;
  /** Everybody sees it on the sign-in page; otherwise only who gives an address in `domains`. */
  readonly isListed: boolean;
  /** Who has no user in the account gets one at the first sign-in. */
  readonly createsUsers: boolean;
  /** The claim that says the role; null: none does, and roles are given here. */
  readonly roleClaim: string | null;
  /** From values of that claim; of several the highest role counts. */
  readonly roles: Readonly<Record<string, Role>>;
  /** Of users without a role by the claim; null: they do not get in. */
  readonly defaultRole: Role | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type IdentityProviderSettings = Omit<IdentityProvider, 'id' | 'accountId' | 'createdAt' | 'updatedAt'>;

/** What a provider says of somebody who has just signed in there. Its signature, audience and time have been checked. */
export interface Claims {
  readonly subject: string;
  readonly email: string | null;
  /** null: the provider does not say. */
  readonly isEmailVerified: boolean | null;
  /** Of the claim that says the role, as texts. */
  readonly roleValues: readonly string[];
}

export class SignInFailed extends Error {
  constructor(
    readonly failure: SignInFailure,
    /** For the operator's log. */
    readonly detail: string,
  ) {
    super(`${failure}: ${detail}`);
  }
}

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

/** An OpenID Connect provider whose users can sign in to one account. */
import type { SignInFailure } from '../contract/identity-provider.js';
import type { Role } from './permission.js';

export interface IdentityProvider {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** In lower case. Only users with an address in these domains can sign in. Empty: any address that the provider has verified. */
  readonly domains: readonly string[];
  /** Users with an address in `domains` must sign in here, except owners who have a password. */
  readonly isRequired: boolean;
  /** Whether everyone sees it on the sign-in page. Otherwise only users who enter an address in `domains` do. */
  readonly isListed: boolean;
  /** Whether a user is created at the first sign-in of someone who has none in the account. */
  readonly createsUsers: boolean;
  /** The claim that contains the role. null: none, and roles are assigned in Inlet. */
  readonly roleClaim: string | null;
  /** Maps values of that claim to roles. If several match, the highest role counts. */
  readonly roles: Readonly<Record<string, Role>>;
  /** For users without a role from the claim. null: they cannot sign in. */
  readonly defaultRole: Role | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type IdentityProviderSettings = Omit<IdentityProvider, 'id' | 'accountId' | 'createdAt' | 'updatedAt'>;

/** What a provider says about a user who has just signed in there. Signature, audience and time have been verified. */
export interface Claims {
  readonly subject: string;
  readonly email: string | null;
  /** null: the provider does not say. */
  readonly isEmailVerified: boolean | null;
  /** The values of the role claim, as texts. */
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

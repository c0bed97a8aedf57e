/** Single sign-on: an account's identity providers, and signing in through one. */
import type { SignInFailure } from '../../../src/contract/identity-provider.js';

// On the sign-in page
export const continueWith = (name: string): string => `Continue with ${name}`;
export const or = 'or';
export const failures: Readonly<Record<SignInFailure, string>> = {
  cancelled: 'You were not signed in: the sign-in was cancelled at the provider.',
  expired: 'You were not signed in: the sign-in took too long or was opened twice. Try again.',
  provider_unavailable: 'You were not signed in: the provider is unavailable. Try again later.',
  provider_invalid:
    'You were not signed in: the response of the provider is not valid. Ask an owner to check it.',
  address_not_accepted:
    'You were not signed in: your e-mail address is not verified, or its domain is not allowed.',
  not_a_user:
    'You were not signed in: your account has no user with your e-mail address. Ask an owner to invite you.',
  no_role: 'You were not signed in: the provider gives you no role here. Ask an owner.',
};

// The page
export const title = 'Single sign-on';
export const description =
  'Let your team sign in with the identity provider you already use (OpenID Connect).';
export const add = 'Add provider';
export const edit = 'Edit';
export const editNamed = (name: string): string => `Edit ${name}`;
export const nothingYet = 'No identity provider yet';
export const nothingYetHint =
  'Connect Google Workspace, Microsoft Entra ID, Okta, Keycloak, Authentik or any other OpenID Connect provider.';
export const required = 'Required';
export const test = 'Test';
export const testNamed = (name: string): string => `Test ${name}`;
export const testWorks = 'The provider was found and can be used';
export const testFails = 'The provider cannot be used';
export const remove = 'Delete';
export const deleteProvider = 'Delete provider';
export const deleteWarning =
  'Users who signed in with it are signed out at once. They need another way to sign in.';
export const deleted = 'The provider was deleted';
export const notDeleted = 'The provider was not deleted';
export const saved = 'The provider was saved';
export const domainsHead = 'Domains';

// The dialog
export const name = 'Name';
export const nameDescription = 'Shown on the sign-in button.';
export const issuer = 'Issuer URL';
export const issuerDescription = 'From your provider, such as https://login.example.com.';
export const clientId = 'Client ID';
export const clientSecret = 'Client secret';
export const secretKept = 'Leave it empty to keep the stored one.';
export const callbackUrl = 'Redirect URI';
export const callbackDescription = 'Register this URL at your provider.';
export const callbackLater = 'Save the provider to get the redirect URI that you register there.';
export const domains = 'Domains';
export const domainsDescription =
  'Only e-mail addresses in these domains may sign in. Empty: every address the provider has verified.';
export const isRequired = 'Require single sign-on for these domains';
export const isRequiredDescription = 'Passwords no longer work, except for owners.';
export const isListed = 'Show on the sign-in page';
export const createsUsers = 'Add users when they first sign in';
export const defaultRole = 'Role of new users';
export const roleClaim = 'Claim with the role';
export const roleClaimDescription =
  'For example groups. The role is set at each sign-in. Empty: roles are set here.';
export const roles = 'Roles by value';
export const rolesDescription = 'One per line: value = owner, editor or viewer. The highest role counts.';
export const noRole = 'None: they may not sign in';
export const rolesWrong = (line: string): string => `Not understood: ${line}`;
export const save = 'Save provider';

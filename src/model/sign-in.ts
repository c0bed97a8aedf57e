/** What lets people in beside a password: invitations, links by mail, second factors. Tokens are kept as hashes only. */
import type { Role } from './permission.js';

/** An invitation that nobody has accepted yet. Anyone who has its link becomes a user with its address. */
export interface Invitation {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export const maxInvitations = 100;

/** `reset` sets a new password, `email` confirms a new address. */
export type LinkPurpose = 'reset' | 'email';

/** A link that was mailed to somebody who has a login. */
export interface LoginLink {
  readonly tokenHash: string;
  readonly loginId: string;
  readonly purpose: LinkPurpose;
  /** Where it was mailed: the address of the login, or the one that it is to get. */
  readonly email: string;
  /** Of the same password, with the salt that users of `email` share; null: the link sets another one. */
  readonly passwordHash: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An app that shows codes which change with the time (RFC 6238). */
export interface Authenticator {
  readonly loginId: string;
  /** Base32, as the app takes it. */
  readonly secret: string;
  /** False: being set up; it counts for nothing yet. */
  readonly isConfirmed: boolean;
  /** Of the last code that was used: each counts once. */
  readonly lastStep: number;
  readonly createdAt: number;
}

/** A key pair of a device; its private half never leaves it. */
export interface Passkey {
  /** As the device names it. */
  readonly id: string;
  readonly loginId: string;
  readonly name: string;
  /** COSE, as base64url. */
  readonly publicKey: string;
  /** How often it was used, as far as the device counts. */
  readonly counter: number;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export const maxPasskeys = 20;

/** What somebody can show beside the password. */
export const factorNames = ['totp', 'passkey', 'recovery_code'] as const;
export type FactorName = (typeof factorNames)[number];

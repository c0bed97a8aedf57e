/** What lets users in besides a password: invitations, links by mail, second factors. Tokens are stored only as hashes. */
import type { Role } from './permission.js';

/** An open invitation. Anyone who has its link can become a user with its address. */
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

/** A link that was mailed to a user who has a login. */
export interface LoginLink {
  readonly tokenHash: string;
  readonly loginId: string;
  readonly purpose: LinkPurpose;
  /** The recipient: the address of the login, or its future address. */
  readonly email: string;
  /** The unchanged password, hashed with the salt that users of `email` share. null: the link sets a new password. */
  readonly passwordHash: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An app that shows time-based codes (RFC 6238). */
export interface Authenticator {
  readonly loginId: string;
  /** In base32, the format that apps accept. */
  readonly secret: string;
  /** False during set-up: it does not count yet. */
  readonly isConfirmed: boolean;
  /** The step of the last code that was used: each code works only once. */
  readonly lastStep: number;
  readonly createdAt: number;
}

/** A key pair on a device. The private key never leaves the device. */
export interface Passkey {
  /** Chosen by the device. */
  readonly id: string;
  readonly loginId: string;
  readonly name: string;
  /** COSE, as base64url. */
  readonly publicKey: string;
  /** How often it was used, if the device counts. */
  readonly counter: number;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export const maxPasskeys = 20;

/** The second factors. */
export const factorNames = ['totp', 'passkey', 'recovery_code'] as const;
export type FactorName = (typeof factorNames)[number];

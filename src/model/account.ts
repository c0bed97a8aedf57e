/** Who owns things, and how they prove it. */
import type { PlanName } from './plans.js';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly createdAt: number;
}

export const keyScopes = ['full', 'read'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** An API key as it is kept: the key itself is shown once and only its hash is stored. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly scope: KeyScope;
  /** The first characters, so that a person recognises the key in a list. */
  readonly prefix: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A person who may sign in to the dashboard. */
export interface User {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly createdAt: number;
}

/** What is read and typed is text; the rule counts bytes of UTF-8, because that is what hashing costs by. */
export const passwordBytes = { min: 10, max: 128 } as const;

/** A person's stay in the dashboard. The cookie itself is not kept, only its hash. */
export interface Session {
  readonly tokenHash: string;
  readonly userId: string;
  readonly createdAt: number;
  /** To the minute. */
  readonly lastSeenAt: number;
  readonly expiresAt: number;
}

/** The proven caller of a management request. A service method asks for the one it needs. */
export interface Principal {
  readonly accountId: string;
  readonly plan: PlanName;
  /** null: a person, who is signed in. */
  readonly keyId: string | null;
  /** null: a program, with an API key. */
  readonly userId: string | null;
  readonly scope: KeyScope;
}

/**
 * A stored secret as this caller may see it. Every response that carries one goes through here: read keys are given to
 * reports and monitors, which must not be able to sign webhooks or submit in the owner's name.
 */
export const secretFor = ({ scope }: Principal, secret: string | null): string | null =>
  scope === 'full' ? secret : null;

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

/** The proven caller of a management request. A service method asks for the one it needs. */
export interface Principal {
  readonly accountId: string;
  readonly plan: PlanName;
  readonly keyId: string;
  readonly scope: KeyScope;
}

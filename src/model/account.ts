/** Accounts, users, API keys and sessions, and what they have access to. */
import type { Actor } from './audit.js';
import { isAccountWide, isAllowed, type Permission, type Role } from './permission.js';
import type { PlanName } from './plans.js';
import type { Reach } from './reach.js';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  /** Users who sign in without an identity provider need a second factor. */
  readonly twoFactorsRequired: boolean;
  readonly createdAt: number;
}

export const keyScopes = ['full', 'read'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** An API key can do what a user with this role can do. */
const roleOfScope: Readonly<Record<KeyScope, Role>> = { full: 'owner', read: 'viewer' };

/** An API key as it is stored. The key itself is shown only once; only its hash is stored. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly scope: KeyScope;
  /** The first characters, so that users recognise the key in a list. */
  readonly prefix: string;
  readonly createdAt: number;
  /** From this time on, the key is rejected. null: it does not expire. */
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  /** The projects it is limited to. null: the whole account. */
  readonly projectIds: readonly string[] | null;
}

/** Projects have no owner role: what only owners can do concerns the whole account. */
export interface ProjectRole {
  readonly projectId: string;
  readonly role: Exclude<Role, 'owner'>;
}

/** A user who can sign in to the dashboard of an account. */
export interface User {
  readonly id: string;
  readonly accountId: string;
  /** How this user signs in. One login can have users in several accounts, all with one address and one password. */
  readonly loginId: string;
  readonly email: string;
  /** In the whole account. null: only in `projects`. */
  readonly role: Role | null;
  /** Empty for a user with a role in the whole account. */
  readonly projects: readonly ProjectRole[];
  readonly createdAt: number;
}

/** Passwords are text, but the limits count UTF-8 bytes, because these determine the cost of hashing. */
export const passwordBytes = { min: 10, max: 128 } as const;

/** A user's session in the dashboard. Only the hash of the cookie is stored. */
export interface Session {
  readonly tokenHash: string;
  readonly userId: string;
  /** The identity provider that the user signed in with. null: a password. */
  readonly providerId: string | null;
  readonly createdAt: number;
  /** Accurate to the minute. */
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  /** Where the session started. */
  readonly address: string;
  readonly userAgent: string;
}

/** The roles of a user or an API key. */
export type Access = Pick<User, 'role' | 'projects'>;

/** The access of an API key. A key that is limited to projects has no access to what concerns the whole account. */
export const accessOfKey = ({ scope, projectIds }: Pick<ApiKey, 'scope' | 'projectIds'>): Access =>
  projectIds === null
    ? { role: roleOfScope[scope], projects: [] }
    : {
        role: null,
        projects: projectIds.map((projectId) => ({
          projectId,
          role: scope === 'read' ? 'viewer' : 'editor',
        })),
      };

export const roleIn = ({ role, projects }: Access, projectId: string): Role | null =>
  role ?? projects.find((one) => one.projectId === projectId)?.role ?? null;

/** Everything that this access covers, in any role. */
export const reachOf = (accountId: string, { role, projects }: Access): Reach => ({
  accountId,
  projectIds: role === null ? projects.map(({ projectId }) => projectId) : null,
});

/** The authenticated caller of a management request. A route limits the caller to what its permission covers; see `permitted`. */
export interface Principal extends Reach {
  readonly plan: PlanName;
  /** null: a signed-in user. */
  readonly keyId: string | null;
  /** null: an API key. */
  readonly userId: string | null;
  readonly access: Access;
  /** For the audit log. */
  readonly actor: Actor;
}

/** A signed-in user. */
export type PrincipalInPerson = Principal & { readonly userId: string; readonly email: string };

/**
 * Limits the caller to the projects in which they have the permission. Returns null when they have it nowhere. Returns
 * `account` when the permission concerns the whole account and the caller has roles in some projects only.
 */
export function permitted(who: Principal, permission: Permission): Principal | 'account' | null {
  const { role, projects } = who.access;
  if (role !== null) return isAllowed(role, permission) ? who : null;
  if (isAccountWide(permission)) return 'account';
  const projectIds = projects
    .filter((one) => isAllowed(one.role, permission))
    .map(({ projectId }) => projectId);
  return projectIds.length > 0 ? { ...who, projectIds } : null;
}

/**
 * Returns a stored secret of a project, or null when this caller may not see it. Every response with a secret goes through
 * here: read keys are given to reports and monitors, which must not be able to sign webhooks or submit in the owner's name.
 */
export const secretFor = ({ access }: Principal, projectId: string, secret: string | null): string | null => {
  const role = roleIn(access, projectId);
  return role !== null && isAllowed(role, 'secrets.read') ? secret : null;
};

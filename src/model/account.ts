/** Who owns things, and how they prove it. */
import type { Actor } from './audit.js';
import { isAccountWide, isAllowed, type Permission, type Role } from './permission.js';
import type { PlanName } from './plans.js';
import type { Reach } from './reach.js';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  /** Users whom no identity provider vouches for need a second factor. */
  readonly twoFactorsRequired: boolean;
  readonly createdAt: number;
}

export const keyScopes = ['full', 'read'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** What an API key may do, as a person in this role. */
const roleOfScope: Readonly<Record<KeyScope, Role>> = { full: 'owner', read: 'viewer' };

/** An API key as it is kept: the key itself is shown once and only its hash is stored. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly scope: KeyScope;
  /** The first characters, so that a person recognises the key in a list. */
  readonly prefix: string;
  readonly createdAt: number;
  /** From then on it opens nothing; null: it does not expire. */
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  /** What it reaches; null: the whole account. */
  readonly projectIds: readonly string[] | null;
}

/** There is no owner of a project: what only owners may do concerns the whole account. */
export interface ProjectRole {
  readonly projectId: string;
  readonly role: Exclude<Role, 'owner'>;
}

/** A person who may sign in to the dashboard of an account. */
export interface User {
  readonly id: string;
  readonly accountId: string;
  /** How this person signs in. One login may have a user in several accounts, all with one address and one password. */
  readonly loginId: string;
  readonly email: string;
  /** In the whole account; null: only in `projects`. */
  readonly role: Role | null;
  /** Empty for a user with a role in the whole account. */
  readonly projects: readonly ProjectRole[];
  readonly createdAt: number;
}

/** What is read and typed is text; the rule counts bytes of UTF-8, because that is what hashing costs by. */
export const passwordBytes = { min: 10, max: 128 } as const;

/** A person's stay in the dashboard. The cookie itself is not kept, only its hash. */
export interface Session {
  readonly tokenHash: string;
  readonly userId: string;
  /** The identity provider that vouched for the user; null: a password did. */
  readonly providerId: string | null;
  readonly createdAt: number;
  /** To the minute. */
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  /** Where it began. */
  readonly address: string;
  readonly userAgent: string;
}

/** Where somebody has which role. */
export type Access = Pick<User, 'role' | 'projects'>;

/** An API key's, as of a person; one that is limited to projects has no part in what concerns the whole account. */
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

/** Everything that somebody with this access reaches in some role. */
export const reachOf = (accountId: string, { role, projects }: Access): Reach => ({
  accountId,
  projectIds: role === null ? projects.map(({ projectId }) => projectId) : null,
});

/** The proven caller of a management request, who reaches what the permission of the route allows. A service method asks for the one it needs. */
export interface Principal extends Reach {
  readonly plan: PlanName;
  /** null: a person, who is signed in. */
  readonly keyId: string | null;
  /** null: a program, with an API key. */
  readonly userId: string | null;
  readonly access: Access;
  /** For the audit log. */
  readonly actor: Actor;
}

/** A person, who is signed in. */
export type PrincipalInPerson = Principal & { readonly userId: string; readonly email: string };

/**
 * The same caller, who reaches only the projects in which they have the permission; null: they have it nowhere. It says
 * `account` of what concerns the whole account, and they have a part in some projects only.
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
 * A stored secret of a project as this caller may see it. Every response that carries one goes through here: read keys are
 * given to reports and monitors, which must not be able to sign webhooks or submit in the owner's name.
 */
export const secretFor = ({ access }: Principal, projectId: string, secret: string | null): string | null => {
  const role = roleIn(access, projectId);
  return role !== null && isAllowed(role, 'secrets.read') ? secret : null;
};

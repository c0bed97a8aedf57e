/** Who can do what in an account. Every management route names one of these permissions. */

/** In ascending order: each role can do everything that the roles before it can do. */
export const roles = ['viewer', 'editor', 'owner'] as const;
export type Role = (typeof roles)[number];

/** The lowest role that has each permission. */
export const permissions = {
  'account.read': 'viewer',
  'account.manage': 'owner',
  'audit.read': 'owner',
  'users.read': 'viewer',
  'users.manage': 'owner',
  'api_keys.read': 'viewer',
  'api_keys.manage': 'owner',
  'identity_providers.read': 'viewer',
  'identity_providers.manage': 'owner',
  'projects.read': 'viewer',
  'projects.create': 'editor',
  'projects.manage': 'editor',
  'forms.read': 'viewer',
  'forms.manage': 'editor',
  'submissions.read': 'viewer',
  'submissions.manage': 'editor',
  'files.read': 'viewer',
  'files.manage': 'editor',
  'inbox.read': 'viewer',
  'inbox.manage': 'editor',
  'labels.manage': 'editor',
  'quarantine.read': 'viewer',
  'quarantine.manage': 'editor',
  'destinations.read': 'viewer',
  'destinations.manage': 'editor',
  'deliveries.read': 'viewer',
  'deliveries.manage': 'editor',
  'suppressed_addresses.read': 'viewer',
  'suppressed_addresses.manage': 'editor',
  'persons.read': 'owner',
  'persons.manage': 'owner',
  'statistics.read': 'viewer',
  'secrets.read': 'editor',
} as const satisfies Readonly<Record<string, Role>>;
export type Permission = keyof typeof permissions;

/** These concern the whole account: a role in some of its projects does not grant them. */
const accountWide: ReadonlySet<Permission> = new Set([
  'account.manage',
  'audit.read',
  'users.read',
  'users.manage',
  'api_keys.read',
  'api_keys.manage',
  'identity_providers.read',
  'identity_providers.manage',
  'projects.create',
  'labels.manage',
  'suppressed_addresses.read',
  'suppressed_addresses.manage',
  'persons.read',
  'persons.manage',
]);
export const isAccountWide = (permission: Permission): boolean => accountWide.has(permission);

export const isAllowed = (role: Role, permission: Permission): boolean =>
  roles.indexOf(role) >= roles.indexOf(permissions[permission]);

/** Everyone who may call the management API, and what the document says they may do there. */
import { client } from './client.js';
import { type Person, sameOrigin, signedIn } from './dashboard.js';
import { changeStored } from './engine.js';
import type { RunningServer } from './server.js';

export type Role = 'viewer' | 'editor' | 'owner';
const roles: readonly string[] = ['viewer', 'editor', 'owner'];

/** Permissions for the whole account, listed a second time on purpose. */
const accountWide: ReadonlySet<string> = new Set([
  'account.manage',
  'users.read',
  'users.manage',
  'identity_providers.read',
  'identity_providers.manage',
  'audit.read',
  'api_keys.read',
  'api_keys.manage',
  'projects.create',
  'labels.manage',
  'suppressed_addresses.read',
  'suppressed_addresses.manage',
  'persons.read',
  'persons.manage',
]);

export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** null when the credential opens nothing. */
  readonly role: Role | null;
  readonly isKey: boolean;
  readonly isLimited: boolean;
  /** Whether the caller can access the project that the matrix is about. */
  readonly isInside: boolean;
  /** The role in that project, if `role` is the one in another project. */
  readonly roleInside?: Role;
  readonly isForeign: boolean;
}

/** `outside`: the caller has the permission, but the object does not exist for them. */
export type Expected =
  | { readonly kind: 'allowed' | 'outside' }
  | { readonly kind: 'denied'; readonly status: 401 | 403; readonly code: string };

export function expectedOf(
  caller: Caller,
  permission: string,
  leastRoles: Readonly<Record<string, string>>,
): Expected {
  const { role, isKey, isLimited, isInside, roleInside = role } = caller;
  if (role === null) return { kind: 'denied', status: 401, code: 'invalid_api_key' };
  if (isLimited && accountWide.has(permission))
    return { kind: 'denied', status: 403, code: 'account_access_required' };
  const least = roles.indexOf(leastRoles[permission] ?? '');
  if (least < 0) throw new Error(`The document does not say who has ${permission}`);
  if (roles.indexOf(role) < least)
    return { kind: 'denied', status: 403, code: isKey ? 'read_only_api_key' : 'role_not_sufficient' };
  const isEnoughInside = roleInside !== null && roles.indexOf(roleInside) >= least;
  return { kind: isInside && isEnoughInside ? 'allowed' : 'outside' };
}

const password = 'a long password';

/** A user created with a key of the account, and signed in. */
export async function memberOf(
  server: RunningServer,
  email: string,
  access: Readonly<Record<string, unknown>>,
): Promise<Person & { readonly id: string }> {
  const made = await client(server.url).post('/api/v1/users', { email, password, ...access });
  if (made.status !== 201) throw new Error(`user: ${made.status} ${made.text}`);
  return { ...(await signedIn(server, { email, password })), id: made.body.id };
}

export async function makeCallers(
  server: RunningServer,
  { inside, outside, foreignKey }: { inside: string; outside: string; foreignKey: string },
): Promise<readonly Caller[]> {
  const common = { isKey: false, isLimited: false, isInside: true, isForeign: false };
  const member = async (name: string, role: Role, access: Readonly<Record<string, unknown>>) => {
    const { cookie } = await memberOf(server, `${name.replaceAll(' ', '-')}@example.com`, access);
    return { ...common, name, role, headers: { cookie, ...sameOrigin } };
  };
  const inProject = async (name: string, role: Role, project: string) => ({
    ...(await member(name, role, { projects: [{ project_id: project, role }] })),
    isLimited: true,
    isInside: project === inside,
  });
  const key = async (name: string, settings: Readonly<Record<string, unknown>>) => {
    const made = await client(server.url).post('/api/v1/api-keys', { name, ...settings });
    if (made.status !== 201) throw new Error(`key: ${made.status} ${made.text}`);
    return { ...common, name, isKey: true, headers: { authorization: `Bearer ${made.body.api_key}` } };
  };
  const expiring = await key('expired key', { expires_at: '2999-01-01' });
  await changeStored(server.dataDir, "UPDATE api_keys SET expires_at = 1 WHERE name = 'expired key'");
  return [
    await member('owner', 'owner', { role: 'owner' }),
    await member('editor', 'editor', { role: 'editor' }),
    await member('viewer', 'viewer', { role: 'viewer' }),
    await inProject('editor of the project', 'editor', inside),
    await inProject('viewer of the project', 'viewer', inside),
    await inProject('editor of another project', 'editor', outside),
    {
      ...(await member('viewer of the project and editor of another', 'editor', {
        projects: [
          { project_id: inside, role: 'viewer' },
          { project_id: outside, role: 'editor' },
        ],
      })),
      ...{ isLimited: true, roleInside: 'viewer' },
    },
    { ...(await key('full key', {})), role: 'owner' },
    { ...(await key('read key', { scope: 'read' })), role: 'viewer' },
    {
      ...(await key('read key of the project', { scope: 'read', project_ids: [inside] })),
      ...{ role: 'viewer', isLimited: true },
    },
    { ...(await key('key of the project', { project_ids: [inside] })), role: 'editor', isLimited: true },
    {
      ...(await key('key of another project', { project_ids: [outside] })),
      ...{ role: 'editor', isLimited: true, isInside: false },
    },
    {
      ...common,
      ...{ name: 'key of another account', role: 'owner', isKey: true, isInside: false, isForeign: true },
      headers: { authorization: `Bearer ${foreignKey}` },
    },
    { ...expiring, role: null },
  ];
}

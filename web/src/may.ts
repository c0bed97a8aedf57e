/** The signed-in user's permissions, to hide buttons that the server would only reject. The server decides. */
import { isAccountWide, isAllowed, type Permission } from '../../src/model/permission.js';
import { useSession } from './session.js';
import type { Session } from './wire.js';

/** In this project. Without one: in the whole account, or in any of the user's projects unless the permission is account-wide. */
function mayIn({ role, projects }: Session['user'], permission: Permission, projectId?: string): boolean {
  if (role !== null) return isAllowed(role, permission);
  if (isAccountWide(permission)) return false;
  return projects.some(
    (one) => (projectId === undefined || one.project_id === projectId) && isAllowed(one.role, permission),
  );
}

export function useMay(permission: Permission, projectId?: string): boolean {
  const user = useSession().data?.user;
  return user !== undefined && mayIn(user, permission, projectId);
}

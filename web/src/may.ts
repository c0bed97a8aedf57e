/** What the person who is signed in may do, so that no button is shown that would only be refused. The server decides. */
import { isAccountWide, isAllowed, type Permission } from '../../src/model/permission.js';
import { useSession } from './session.js';
import type { Session } from './wire.js';

/** In this project; without one: in the whole account, or in one of their projects if it is no matter of the account. */
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

/** The signed-in user's permissions, to hide buttons that the server would only reject. The server decides. */
import { useCallback } from 'react';
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

type May = (permission: Permission, projectId?: string) => boolean;

/** For several permissions or projects at once. Stable across renders. */
export function usePermissions(): May {
  const user = useSession().data?.user;
  return useCallback(
    (permission, projectId) => user !== undefined && mayIn(user, permission, projectId),
    [user],
  );
}

export const useMay: May = (permission, projectId) => usePermissions()(permission, projectId);

/** For rows of several projects. Stable across renders. */
export function useMayIn(permission: Permission): (row: { readonly project_id: string }) => boolean {
  const may = usePermissions();
  return useCallback(({ project_id }) => may(permission, project_id), [may, permission]);
}

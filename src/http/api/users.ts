/** /api/v1/users: the users of the account. */
import type { FastifyInstance } from 'fastify';
import { ChangeUser, CreateUser, UserItem, UserList } from '../../contract/session.js';
import { byId } from '../../contract/shapes.js';
import { UserExists, type UserService } from '../../domain/accounts/users.js';
import { isoTime } from '../../kernel/clock.js';
import type { Access, User } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';

/** Also used for the session. */
export const accessFields = ({ role, projects }: Access) => ({
  role,
  projects: projects.map((one) => ({ project_id: one.projectId, role: one.role })),
});

/** A role in the whole account, or roles in projects. Returns null when neither was given. */
function toAccess({ role = null, projects = [] }: ChangeUser): Access | null {
  if (role !== null && projects.length > 0)
    throw refuse.invalidBody([{ path: 'projects', message: 'must be empty if role is set' }]);
  const roles = projects.map((one) => ({ projectId: one.project_id, role: one.role }));
  const twice = roles.findIndex(
    ({ projectId }, i) => roles.findIndex((one) => one.projectId === projectId) < i,
  );
  if (twice >= 0)
    throw refuse.invalidBody([{ path: `projects.${twice}.project_id`, message: 'is there twice' }]);
  return role === null && roles.length === 0 ? null : { role, projects: roles };
}

const toItem = (user: User): UserItem => ({
  id: user.id,
  email: user.email,
  ...accessFields(user),
  created_at: isoTime(user.createdAt),
});

export function userRoutes(app: FastifyInstance, { gate, users }: { gate: Gate; users: UserService }): void {
  const add = routesOf(app, 'Account');

  add({
    method: 'GET',
    path: '/users',
    operationId: 'listUsers',
    summary: 'List the people who may sign in for the account',
    responses: { 200: UserList },
    ...gate.may('users.read'),
    handle: async ({ who }) => ({ data: (await users.list(who.accountId)).map(toItem) }),
  });

  add({
    method: 'POST',
    path: '/users',
    operationId: 'createUser',
    summary: 'Let a person sign in for the account',
    body: CreateUser,
    responses: { 201: UserItem },
    errors: [409],
    ...gate.may('users.manage'),
    async handle({ who, body: { email, password, ...body } }) {
      const access = toAccess(body);
      const user = await users
        .create(who, { email, password, ...(access && { access }) })
        .catch((error: unknown) => {
          throw error instanceof UserExists ? refuse.userExists() : error;
        });
      return toItem(user);
    },
  });

  add({
    method: 'PATCH',
    path: '/users/:id',
    operationId: 'updateUser',
    summary: 'Give a person another role, in the whole account or in some projects; it counts at once',
    params: byId('The user.'),
    body: ChangeUser,
    responses: { 200: UserItem },
    errors: [409],
    ...gate.may('users.manage'),
    async handle({ who, params, body }) {
      const access = toAccess(body);
      if (!access) throw refuse.invalidBody([{ path: 'role', message: 'must be set if projects is empty' }]);
      return toItem(await users.setAccess(who, params.id, access));
    },
  });

  add({
    method: 'DELETE',
    path: '/users/:id',
    operationId: 'deleteUser',
    summary: 'Remove a person, who is signed out at once; nobody can remove themselves',
    params: byId('The user.'),
    responses: { 204: null },
    errors: [409],
    ...gate.may('users.manage'),
    handle: ({ who, params }) => users.delete(who, params.id),
  });
}

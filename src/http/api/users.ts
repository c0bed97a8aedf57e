/** /api/v1/users: the people who may sign in for the account. */
import type { FastifyInstance } from 'fastify';
import { CreateUser, UserItem, UserList } from '../../contract/session.js';
import { byId } from '../../contract/shapes.js';
import { UserExists, type UserService } from '../../domain/accounts/users.js';
import { isoTime } from '../../kernel/clock.js';
import type { User } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';

const toItem = (user: User): UserItem => ({
  id: user.id,
  email: user.email,
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
    caller: gate.reader,
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
    caller: gate.writer,
    async handle({ who, body: { email, password } }) {
      const user = await users
        .create({ accountId: who.accountId, email, password })
        .catch((error: unknown) => {
          throw error instanceof UserExists ? refuse.userExists() : error;
        });
      return toItem(user);
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
    caller: gate.writer,
    handle: ({ who, params }) => users.delete(who, params.id),
  });
}

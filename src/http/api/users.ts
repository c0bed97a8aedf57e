/** /api/v1/users: the people who may sign in for the account. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { CreateUser, UserItem } from '../../contract/session.js';
import { listOf } from '../../contract/shapes.js';
import { UserExists, type UserService } from '../../domain/accounts/users.js';
import { isoTime } from '../../kernel/clock.js';
import type { User } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { Gate } from '../principal.js';
import { type Route, route } from '../route.js';

const toItem = (user: User): UserItem => ({
  id: user.id,
  email: user.email,
  created_at: isoTime(user.createdAt),
});

export function userRoutes(app: FastifyInstance, { gate, users }: { gate: Gate; users: UserService }): void {
  const add = <Caller>(definition: Omit<Route<Caller>, 'tag'>) =>
    route(app, { tag: 'Account', ...definition });

  add({
    method: 'GET',
    path: '/users',
    summary: 'List the people who may sign in for the account',
    answers: { 200: listOf(UserItem) },
    caller: gate.reader,
    handle: async ({ who }) => ({ data: (await users.list(who.accountId)).map(toItem) }),
  });

  add({
    method: 'POST',
    path: '/users',
    summary: 'Let a person sign in for the account',
    body: CreateUser,
    answers: { 201: UserItem },
    errors: [409, 503],
    caller: gate.writer,
    async handle({ who, request, reply }) {
      const { email, password } = request.body as CreateUser;
      const user = await users
        .create({ accountId: who.accountId, email, password })
        .catch((error: unknown) => {
          throw error instanceof UserExists ? refuse.userExists() : error;
        });
      return reply.status(201).send(toItem(user));
    },
  });

  add({
    method: 'DELETE',
    path: '/users/:id',
    summary: 'Remove a person, who is signed out at once; nobody can remove themselves',
    params: Type.Object({ id: Type.String() }),
    answers: { 204: Type.Null() },
    errors: [404, 409],
    caller: gate.writer,
    async handle({ who, id, reply }) {
      await users.delete(who, id);
      return reply.status(204).send();
    },
  });
}

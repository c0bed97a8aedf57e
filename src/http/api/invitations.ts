/** /api/v1/users/invitations, and /api/v1/session/invitation to accept one. */
import type { FastifyInstance } from 'fastify';
import { SessionFull } from '../../contract/session.js';
import { byId } from '../../contract/shapes.js';
import {
  AcceptInvitation,
  CreateInvitation,
  InvitationCreated,
  InvitationFound,
  type InvitationItem,
  InvitationList,
  LinkToken,
} from '../../contract/sign-in.js';
import type { InvitationService } from '../../domain/signing-in/invitations.js';
import { isoTime } from '../../kernel/clock.js';
import type { Invitation } from '../../model/sign-in.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';
import { createEntrance, type EntranceDeps } from './entrance.js';

const toItem = (invitation: Invitation): InvitationItem => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  created_at: isoTime(invitation.createdAt),
  expires_at: isoTime(invitation.expiresAt),
});

export function invitationRoutes(
  app: FastifyInstance,
  deps: EntranceDeps & { gate: Gate; invitations: InvitationService },
): void {
  const { gate, sessions, invitations, sameOrigin } = deps;
  const { anybody, visit, welcome } = createEntrance(deps);
  const addToAccount = routesOf(app, 'Account');
  const add = routesOf(app, 'Sessions');

  addToAccount({
    method: 'GET',
    path: '/users/invitations',
    operationId: 'listInvitations',
    summary: 'List the invitations that nobody has accepted yet',
    responses: { 200: InvitationList },
    ...gate.may('users.read'),
    handle: async ({ who }) => ({ data: (await invitations.list(who.accountId)).map(toItem) }),
  });

  addToAccount({
    method: 'POST',
    path: '/users/invitations',
    operationId: 'createInvitation',
    summary: 'Invite somebody to the account, in place of an earlier invitation to the same address',
    body: CreateInvitation,
    responses: { 201: InvitationCreated },
    errors: [409],
    ...gate.may('users.manage'),
    async handle({ who, body }) {
      const { invitation, acceptUrl, isMailed } = await invitations.invite(who, body);
      return { ...toItem(invitation), accept_url: acceptUrl, mailed: isMailed };
    },
  });

  addToAccount({
    method: 'DELETE',
    path: '/users/invitations/:id',
    operationId: 'revokeInvitation',
    summary: 'Revoke an invitation; its link stops working at once',
    params: byId('The invitation.'),
    responses: { 204: null },
    ...gate.may('users.manage'),
    handle: ({ who, params }) => invitations.revoke(who, params.id),
  });

  add({
    method: 'POST',
    path: '/session/invitation/find',
    operationId: 'findInvitation',
    summary: 'See what an invitation is to',
    credential: 'none',
    body: LinkToken,
    responses: { 200: InvitationFound },
    caller: anybody,
    async handle({ body, request }) {
      const { invitation, account } = await invitations.look(body.token, visit(request).address);
      return { account_name: account.name, email: invitation.email, role: invitation.role };
    },
  });

  add({
    method: 'POST',
    path: '/session/invitation',
    operationId: 'acceptInvitation',
    summary:
      'Accept an invitation and sign in: with a password for a new login, or with the session of a user who has that address',
    credential: 'none',
    body: AcceptInvitation,
    responses: { 201: SessionFull },
    caller: anybody,
    async handle({ body: { token, password = null }, request, reply }) {
      const from = visit(request);
      const session = from.replacing === null ? null : await sessions.authenticate(from.replacing);
      if (session) sameOrigin.demand(request);
      return welcome(reply, await invitations.accept({ ...from, token, password, session }));
    },
  });
}

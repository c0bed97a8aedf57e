/** /api/v1/session and /api/v1/setup: sign in and out, change the password, create the first user. */
import type { FastifyInstance } from 'fastify';
import {
  ChangePassword,
  CompleteSetup,
  SessionFull,
  SetupState,
  SignIn,
  SwitchAccount,
} from '../../contract/session.js';
import type { ProviderSignIn } from '../../domain/accounts/provider-sign-in.js';
import type { SetupService } from '../../domain/accounts/setup.js';
import type { Cookie } from '../cookies.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';
import { createEntrance, type EntranceDeps } from './entrance.js';

export function sessionRoutes(
  app: FastifyInstance,
  deps: EntranceDeps & {
    gate: Gate;
    setup: SetupService;
    providerSignIn: ProviderSignIn;
    partingCookie: Cookie;
    /** A mail server is configured. */
    sendsMail: boolean;
  },
): void {
  const { gate, sessions, setup, providerSignIn, cookie, partingCookie, sameOrigin } = deps;
  const { anybody, visit, remember, full, welcome } = createEntrance(deps);
  const add = routesOf(app, 'Sessions');

  add({
    method: 'POST',
    path: '/session',
    operationId: 'signIn',
    summary:
      'Sign in to the dashboard; the response sets the session cookie. 401 with `second_factor_required` and a `pending_token` for a login that has a second factor. May take some seconds while the e-mail address is under attack',
    credential: 'none',
    body: SignIn,
    responses: { 200: SessionFull },
    caller: anybody,
    async handle({ body: { email, password }, request, reply }) {
      return welcome(reply, await sessions.signIn({ email, password, ...visit(request) }));
    },
  });

  add({
    method: 'GET',
    path: '/session',
    operationId: 'getSession',
    summary: 'Get the user who is signed in',
    credential: 'session',
    responses: { 200: SessionFull },
    caller: gate.person,
    handle: ({ who }) => full(who),
  });

  add({
    method: 'POST',
    path: '/session/switch',
    operationId: 'switchAccount',
    summary:
      'Go on in another account in which the person has a user; the response sets a new session cookie',
    credential: 'session',
    body: SwitchAccount,
    responses: { 200: SessionFull },
    errors: [404],
    caller: gate.person,
    async handle({ who, body, request, reply }) {
      const from = visit(request);
      const opened = await sessions.switchTo(who, from.replacing ?? '', body.account_id, from);
      cookie.write(reply, opened.token);
      return full(opened);
    },
  });

  add({
    method: 'DELETE',
    path: '/session',
    operationId: 'signOut',
    summary: 'Sign out; the cookie is worthless from then on',
    credential: 'none',
    responses: { 204: null },
    async caller(request) {
      const token = cookie.read(request);
      const signedIn = token === null ? null : await sessions.authenticate(token);
      if (signedIn !== null) sameOrigin.demand(request);
      return { token, providerId: signedIn?.providerId ?? null };
    },
    async handle({ who: { token, providerId }, request, reply }) {
      if (token === null) return;
      await sessions.signOut(token, gate.originOf(request));
      cookie.clear(reply);
      if (providerId !== null) partingCookie.write(reply, providerSignIn.parting(providerId));
    },
  });

  add({
    method: 'PUT',
    path: '/session/password',
    operationId: 'changePassword',
    summary: 'Change the own password; all other sessions of the person end, and this one gets a new cookie',
    credential: 'session',
    body: ChangePassword,
    responses: { 204: null },
    caller: gate.person,
    async handle({ who, body: { current_password: current, new_password: next }, request, reply }) {
      remember(reply, await sessions.changePassword(who, { current, next, ...visit(request) }));
    },
  });

  add({
    method: 'GET',
    path: '/setup',
    operationId: 'getSetup',
    summary: 'Check whether the first user is still to be created',
    credential: 'none',
    responses: { 200: SetupState },
    caller: async () => null,
    handle: async () => ({ needed: await setup.isNeeded(), sends_mail: deps.sendsMail }),
  });

  add({
    method: 'POST',
    path: '/setup',
    operationId: 'completeSetup',
    summary: 'Create the first user with the set-up link, and sign in',
    credential: 'none',
    body: CompleteSetup,
    responses: { 201: SessionFull },
    caller: anybody,
    async handle({ body: { token, email, password }, request, reply }) {
      return welcome(reply, await setup.complete({ token, email, password, ...visit(request) }));
    },
  });
}

/** /api/v1/session and /api/v1/setup: signing in and out, the password, the first user. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ChangePassword, CompleteSetup, SessionFull, SetupState, SignIn } from '../../contract/session.js';
import type { SessionService, SignedIn, Welcomed } from '../../domain/accounts/sessions.js';
import type { SetupService } from '../../domain/accounts/setup.js';
import type { Cookie } from '../cookies.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';
import type { SameOrigin } from '../same-origin.js';

const toFull = ({ user, account }: SignedIn): SessionFull => ({
  user: { id: user.id, email: user.email },
  account: { id: account.id, name: account.name, plan: account.plan },
});

export function sessionRoutes(
  app: FastifyInstance,
  deps: {
    gate: Gate;
    sessions: SessionService;
    setup: SetupService;
    cookie: Cookie;
    deviceCookie: Cookie;
    sameOrigin: SameOrigin;
    /** The address of the client, after the trust-proxy rule. */
    addressOf: (request: FastifyRequest) => string;
  },
): void {
  const { gate, sessions, setup, cookie, deviceCookie, sameOrigin, addressOf } = deps;
  const add = routesOf(app, 'Sessions');
  /** Nobody is signed in yet; but a page of another site must not sign its visitor in as somebody else. */
  const anybody = async (request: FastifyRequest): Promise<void> => sameOrigin.tolerate(request);

  const remember = (reply: FastifyReply, { token, device }: Welcomed): void => {
    cookie.write(reply, token);
    deviceCookie.write(reply, device);
  };
  const welcome = (reply: FastifyReply, opened: Welcomed): SessionFull => {
    remember(reply, opened);
    return toFull(opened);
  };

  add({
    method: 'POST',
    path: '/session',
    operationId: 'signIn',
    summary:
      'Sign in to the dashboard; the response sets the session cookie. May take some seconds while the e-mail address is under attack',
    credential: 'none',
    body: SignIn,
    responses: { 200: SessionFull },
    caller: anybody,
    async handle({ body: { email, password }, request, reply }) {
      const shown = { replacing: cookie.read(request), device: deviceCookie.read(request) };
      const address = addressOf(request);
      return welcome(reply, await sessions.signIn({ email, password, address, ...shown }));
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
    handle: async ({ who }) => toFull(who),
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
      if (token !== null && (await sessions.authenticate(token))) sameOrigin.demand(request);
      return token;
    },
    async handle({ who: token, reply }) {
      if (token !== null) {
        await sessions.signOut(token);
        cookie.clear(reply);
      }
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
      const device = deviceCookie.read(request);
      remember(reply, await sessions.changePassword(who, { current, next, device }));
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
    handle: async () => ({ needed: await setup.isNeeded() }),
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
      const address = addressOf(request);
      return welcome(reply, await setup.complete({ token, email, password, address }));
    },
  });
}

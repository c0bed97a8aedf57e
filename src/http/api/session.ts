/** /api/v1/session and /api/v1/setup: signing in and out, the password, the first user. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ChangePassword, CompleteSetup, SessionFull, SetupState, SignIn } from '../../contract/session.js';
import type { SessionService, SignedIn, Welcomed } from '../../domain/accounts/sessions.js';
import type { SetupService } from '../../domain/accounts/setup.js';
import type { DeviceCookie } from '../device-cookie.js';
import type { Gate } from '../principal.js';
import { type Route, route } from '../route.js';
import type { SameOrigin } from '../same-origin.js';
import type { SessionCookie } from '../session-cookie.js';

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
    cookie: SessionCookie;
    deviceCookie: DeviceCookie;
    sameOrigin: SameOrigin;
    /** The address of whoever asks, after the trust-proxy rule. */
    addressOf: (request: FastifyRequest) => string;
  },
): void {
  const { gate, sessions, setup, cookie, deviceCookie, sameOrigin, addressOf } = deps;
  const add = <Caller>(definition: Omit<Route<Caller>, 'tag'>) =>
    route(app, { tag: 'Sessions', ...definition });
  /** Nobody is signed in yet; but a page of another site must not sign its visitor in as somebody else. */
  const anybody = async (request: FastifyRequest): Promise<void> => sameOrigin.tolerate(request);

  const remember = (reply: FastifyReply, { token, device }: Welcomed): void => {
    cookie.write(reply, token);
    deviceCookie.write(reply, device);
  };
  const welcome = (reply: FastifyReply, status: number, opened: Welcomed): FastifyReply => {
    remember(reply, opened);
    return reply.status(status).send(toFull(opened));
  };

  add({
    method: 'POST',
    path: '/session',
    summary:
      'Sign in to the dashboard; the response sets the session cookie. May take some seconds while the e-mail address is under attack',
    credential: 'none',
    body: SignIn,
    answers: { 200: SessionFull },
    errors: [503],
    caller: anybody,
    async handle({ request, reply }) {
      const { email, password } = request.body as SignIn;
      const shown = { replacing: cookie.read(request), device: deviceCookie.read(request) };
      const address = addressOf(request);
      return welcome(reply, 200, await sessions.signIn({ email, password, address, ...shown }));
    },
  });

  add({
    method: 'GET',
    path: '/session',
    summary: 'Who is signed in',
    credential: 'session',
    answers: { 200: SessionFull },
    caller: gate.person,
    handle: async ({ who }) => toFull(who),
  });

  add({
    method: 'DELETE',
    path: '/session',
    summary: 'Sign out; the cookie is worthless from then on',
    credential: 'none',
    answers: { 204: Type.Null() },
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
      return reply.status(204).send();
    },
  });

  add({
    method: 'PUT',
    path: '/session/password',
    summary: 'Change the own password; all other sessions of the person end, and this one gets a new cookie',
    credential: 'session',
    body: ChangePassword,
    answers: { 204: Type.Null() },
    errors: [503],
    caller: gate.person,
    async handle({ who, request, reply }) {
      const { current_password: current, new_password: next } = request.body as ChangePassword;
      const device = deviceCookie.read(request);
      remember(reply, await sessions.changePassword(who, { current, next, device }));
      return reply.status(204).send();
    },
  });

  add({
    method: 'GET',
    path: '/setup',
    summary: 'Whether the first user is still to be made',
    credential: 'none',
    answers: { 200: SetupState },
    caller: async () => null,
    handle: async (): Promise<SetupState> => ({ needed: await setup.isNeeded() }),
  });

  add({
    method: 'POST',
    path: '/setup',
    summary: 'Make the first user with the set-up link, and sign in',
    credential: 'none',
    body: CompleteSetup,
    answers: { 201: SessionFull },
    errors: [503],
    caller: anybody,
    async handle({ request, reply }) {
      const { token, email, password } = request.body as CompleteSetup;
      const address = addressOf(request);
      return welcome(reply, 201, await setup.complete({ token, email, password, address }));
    },
  });
}

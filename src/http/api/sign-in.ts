/** /api/v1/session/…: users manage their own login: password reset and new address by mail, sessions, second factors. */
import type { FastifyInstance } from 'fastify';
import { SessionFull } from '../../contract/session.js';
import { byId } from '../../contract/shapes.js';
import {
  AuthenticatorCode,
  AuthenticatorSecret,
  ChangeEmail,
  CompleteReset,
  CurrentPassword,
  FactorState,
  LinkToken,
  LoginEmail,
  type PasskeyItem,
  RecoveryCodes,
  RequestReset,
  type SessionItem,
  SessionList,
  ShowFactor,
} from '../../contract/sign-in.js';
import type { EmailChange } from '../../domain/signing-in/email-change.js';
import type { Passkeys } from '../../domain/signing-in/passkeys.js';
import type { PasswordReset } from '../../domain/signing-in/password-reset.js';
import type { SecondFactors, Shown } from '../../domain/signing-in/second-factors.js';
import type { ListedSession, SessionList as Sessions } from '../../domain/signing-in/session-list.js';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.js';
import { refuse } from '../../model/errors.js';
import type { Passkey } from '../../model/sign-in.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';
import { createEntrance, type EntranceDeps } from './entrance.js';

export interface SignInDeps extends EntranceDeps {
  readonly gate: Gate;
  readonly passwordReset: PasswordReset;
  readonly emailChange: EmailChange;
  readonly sessionList: Sessions;
  readonly secondFactors: SecondFactors;
  readonly passkeys: Passkeys;
}

export function signInRoutes(app: FastifyInstance, deps: SignInDeps): void {
  resetRoutes(app, deps);
  emailRoutes(app, deps);
  listRoutes(app, deps);
  factorRoutes(app, deps);
}

function resetRoutes(app: FastifyInstance, deps: SignInDeps): void {
  const { passwordReset, addressOf } = deps;
  const { anybody } = createEntrance(deps);
  const add = routesOf(app, 'Sessions');

  add({
    method: 'POST',
    path: '/session/reset',
    operationId: 'requestPasswordReset',
    summary:
      'Request a link by mail that sets a new password; the response does not say whether anyone has the address',
    credential: 'none',
    body: RequestReset,
    responses: { 202: null },
    caller: anybody,
    handle: ({ body: { email }, request }) => passwordReset.request({ email, address: addressOf(request) }),
  });

  add({
    method: 'POST',
    path: '/session/reset/complete',
    operationId: 'completePasswordReset',
    summary: 'Set a new password with the link of a mail; all sessions of the login end',
    credential: 'none',
    body: CompleteReset,
    responses: { 200: LoginEmail },
    caller: anybody,
    async handle({ body, request }) {
      return { email: await passwordReset.complete({ ...body, address: addressOf(request) }) };
    },
  });
}

function emailRoutes(app: FastifyInstance, deps: SignInDeps): void {
  const { gate, emailChange, addressOf } = deps;
  const { anybody } = createEntrance(deps);
  const add = routesOf(app, 'Sessions');

  add({
    method: 'PUT',
    path: '/session/email',
    operationId: 'requestEmailChange',
    summary: 'Change the own e-mail address, as soon as the link in a mail to the new one is opened',
    credential: 'session',
    body: ChangeEmail,
    responses: { 202: null },
    errors: [409],
    caller: gate.person,
    handle: ({ who, body: { email, current_password: password } }) =>
      emailChange.request(who, { email, password }),
  });

  add({
    method: 'POST',
    path: '/session/email/confirm',
    operationId: 'confirmEmailChange',
    summary: 'Confirm a new e-mail address with the link of a mail; it changes in all accounts of the login',
    credential: 'none',
    body: LinkToken,
    responses: { 200: LoginEmail },
    errors: [409],
    caller: anybody,
    handle: async ({ body, request }) => ({
      email: await emailChange.confirm({ ...body, address: addressOf(request) }),
    }),
  });
}

const toItem = ({ id, session, isCurrent }: ListedSession): SessionItem => ({
  id,
  created_at: isoTime(session.createdAt),
  last_seen_at: isoTime(session.lastSeenAt),
  address: session.address,
  user_agent: session.userAgent,
  current: isCurrent,
});

function listRoutes(app: FastifyInstance, { gate, sessionList, cookie }: SignInDeps): void {
  const add = routesOf(app, 'Sessions');

  add({
    method: 'GET',
    path: '/session/list',
    operationId: 'listSessions',
    summary: 'List where you are signed in, in all accounts of your login',
    credential: 'session',
    responses: { 200: SessionList },
    caller: gate.person,
    handle: async ({ who, request }) => ({
      data: (await sessionList.list(who, cookie.read(request))).map(toItem),
    }),
  });

  add({
    method: 'DELETE',
    path: '/session/list',
    operationId: 'endOtherSessions',
    summary: 'Sign out everywhere else',
    credential: 'session',
    responses: { 204: null },
    caller: gate.person,
    handle: ({ who, request }) => sessionList.endOthers(who, cookie.read(request)),
  });

  add({
    method: 'DELETE',
    path: '/session/list/:id',
    operationId: 'endSession',
    summary: 'End one of your own sessions',
    credential: 'session',
    params: byId('The session.'),
    responses: { 204: null },
    caller: gate.person,
    handle: ({ who, params }) => sessionList.end(who, params.id),
  });
}

const toPasskey = ({ id, name, createdAt, lastUsedAt }: Passkey): PasskeyItem => ({
  id,
  name,
  created_at: isoTime(createdAt),
  last_used_at: isoTimeOrNull(lastUsedAt),
});

function shownIn({ code, recovery_code: recoveryCode }: ShowFactor): Shown {
  if (code !== undefined && recoveryCode === undefined) return { code };
  if (recoveryCode !== undefined && code === undefined) return { recoveryCode };
  throw refuse.badRequest('must have either code or recovery_code');
}

function factorRoutes(app: FastifyInstance, deps: SignInDeps): void {
  const { gate, sessions, secondFactors, passkeys } = deps;
  const { anybody, visit, welcome } = createEntrance(deps);
  const add = routesOf(app, 'Sessions');

  add({
    method: 'POST',
    path: '/session/second-factor',
    operationId: 'showSecondFactor',
    summary: 'Sign in with a second factor, after the password was right',
    credential: 'none',
    body: ShowFactor,
    responses: { 200: SessionFull },
    caller: anybody,
    async handle({ body, request, reply }) {
      const shown = shownIn(body);
      const finished = sessions.finish(body.pending_token, visit(request), (who) =>
        secondFactors.prove(who, shown),
      );
      return welcome(reply, await finished);
    },
  });

  add({
    method: 'GET',
    path: '/session/factors',
    operationId: 'getFactors',
    summary: 'Get the second factors of your login',
    credential: 'session',
    responses: { 200: FactorState },
    caller: gate.person,
    async handle({ who }) {
      const { hasAuthenticator, recoveryCodesLeft } = await secondFactors.state(who);
      const listed = (await passkeys.list(who)).map(toPasskey);
      return { totp: hasAuthenticator, passkeys: listed, recovery_codes_left: recoveryCodesLeft };
    },
  });

  add({
    method: 'POST',
    path: '/session/totp',
    operationId: 'beginAuthenticator',
    summary: 'Begin to set up an authenticator app; it counts once a code of it was confirmed',
    credential: 'session',
    body: CurrentPassword,
    responses: { 201: AuthenticatorSecret },
    errors: [409],
    caller: gate.person,
    handle: ({ who, body }) => secondFactors.begin(who, body.current_password),
  });

  add({
    method: 'PUT',
    path: '/session/totp',
    operationId: 'confirmAuthenticator',
    summary: 'Confirm the authenticator app with a code of it; the response has new recovery codes',
    credential: 'session',
    body: AuthenticatorCode,
    responses: { 200: RecoveryCodes },
    errors: [409],
    caller: gate.person,
    handle: async ({ who, body }) => ({
      recovery_codes: [...(await secondFactors.confirm(who, body.code))],
    }),
  });

  add({
    method: 'DELETE',
    path: '/session/totp',
    operationId: 'removeAuthenticator',
    summary: 'Remove the authenticator app and the recovery codes',
    credential: 'session',
    body: CurrentPassword,
    responses: { 204: null },
    errors: [409],
    caller: gate.person,
    handle: ({ who, body }) => secondFactors.remove(who, body.current_password),
  });

  add({
    method: 'POST',
    path: '/session/recovery-codes',
    operationId: 'renewRecoveryCodes',
    summary: 'Get new recovery codes; the old ones stop working',
    credential: 'session',
    body: CurrentPassword,
    responses: { 201: RecoveryCodes },
    errors: [409],
    caller: gate.person,
    handle: async ({ who, body }) => ({
      recovery_codes: [...(await secondFactors.renewRecoveryCodes(who, body.current_password))],
    }),
  });
}

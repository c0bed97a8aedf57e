/** /api/v1/session/passkeys and /api/v1/session/passkey: add passkeys, and sign in with one. */
import type { FastifyInstance } from 'fastify';
import { SessionFull } from '../../contract/session.js';
import { byId } from '../../contract/shapes.js';
import {
  AddPasskey,
  CurrentPassword,
  PasskeyChallenge,
  RecoveryCodes,
  RenamePasskey,
  UsePasskey,
} from '../../contract/sign-in.js';
import type { PasskeyChallenge as Challenge, Passkeys } from '../../domain/signing-in/passkeys.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';
import { createEntrance, type EntranceDeps } from './entrance.js';

const toChallenge = ({ token, challenge, rpId, credentials }: Challenge): PasskeyChallenge => ({
  token,
  challenge,
  rp_id: rpId,
  credentials: [...credentials],
});

export function passkeyRoutes(
  app: FastifyInstance,
  deps: EntranceDeps & { gate: Gate; passkeys: Passkeys },
): void {
  const { gate, passkeys } = deps;
  const { anybody, visit, welcome } = createEntrance(deps);
  const add = routesOf(app, 'Sessions');

  add({
    method: 'POST',
    path: '/session/passkeys/challenge',
    operationId: 'beginPasskey',
    summary: 'Begin to add a passkey',
    credential: 'session',
    body: CurrentPassword,
    responses: { 201: PasskeyChallenge },
    errors: [409],
    caller: gate.person,
    handle: async ({ who, body }) => toChallenge(await passkeys.beginAdd(who, body.current_password)),
  });

  add({
    method: 'POST',
    path: '/session/passkeys',
    operationId: 'addPasskey',
    summary: 'Add a passkey; with the first second factor the response has recovery codes',
    credential: 'session',
    body: AddPasskey,
    responses: { 201: RecoveryCodes },
    errors: [409],
    caller: gate.person,
    async handle({ who, body: { client_data: clientData, ...passkey } }) {
      return { recovery_codes: [...(await passkeys.add(who, { ...passkey, clientData }))] };
    },
  });

  add({
    method: 'PATCH',
    path: '/session/passkeys/:id',
    operationId: 'renamePasskey',
    summary: 'Rename a passkey',
    credential: 'session',
    params: byId('The passkey.'),
    body: RenamePasskey,
    responses: { 204: null },
    caller: gate.person,
    handle: ({ who, params, body }) => passkeys.rename(who, params.id, body.name),
  });

  add({
    method: 'DELETE',
    path: '/session/passkeys/:id',
    operationId: 'removePasskey',
    summary: 'Remove a passkey, and with the last second factor the recovery codes',
    credential: 'session',
    params: byId('The passkey.'),
    body: CurrentPassword,
    responses: { 204: null },
    caller: gate.person,
    handle: ({ who, params, body }) => passkeys.remove(who, params.id, body.current_password),
  });

  add({
    method: 'POST',
    path: '/session/passkey/challenge',
    operationId: 'beginPasskeySignIn',
    summary: 'Begin to sign in with a passkey',
    credential: 'none',
    responses: { 201: PasskeyChallenge },
    caller: anybody,
    handle: async () => toChallenge(passkeys.beginSignIn()),
  });

  add({
    method: 'POST',
    path: '/session/passkey',
    operationId: 'signInWithPasskey',
    summary: 'Sign in with a passkey alone, or as the second factor with the `pending_token` of a password',
    credential: 'none',
    body: UsePasskey,
    responses: { 200: SessionFull },
    caller: anybody,
    async handle({ body, request, reply }) {
      const { token, id, client_data: clientData, authenticator_data: authenticatorData, signature } = body;
      const answer = { token, id, clientData, authenticatorData, signature };
      const pending = body.pending_token ?? null;
      return welcome(reply, await passkeys.signIn(answer, pending, visit(request)));
    },
  });
}

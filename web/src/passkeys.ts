/** Passkeys of this browser. The library is loaded when somebody uses one. */
import { api } from './api.js';
import type { PasskeyChallenge, RecoveryCodes } from './wire.js';

/** Browsers know passkeys on a domain only, and not over plain http except on this machine. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(window.location.hostname);

const library = () => import('@simplewebauthn/browser');

const listed = (ids: readonly string[]) => ids.map((id) => ({ id, type: 'public-key' as const }));

/** Adds one of this device; the recovery codes that come with the first factor. */
export async function addPasskey(input: {
  readonly password: string;
  readonly name: string;
  readonly user: { readonly id: string; readonly email: string };
}): Promise<readonly string[]> {
  const body = { current_password: input.password };
  const { token, challenge, rp_id, credentials } = await api.post<PasskeyChallenge>(
    '/session/passkeys/challenge',
    body,
  );
  const { email } = input.user;
  const { startRegistration } = await library();
  const { id, response } = await startRegistration({
    optionsJSON: {
      challenge,
      rp: { id: rp_id, name: 'Inlet' },
      user: { id: input.user.id.replaceAll('-', ''), name: email, displayName: email },
      // EdDSA, ES256 and RS256: what all devices between them can.
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' as const })),
      excludeCredentials: listed(credentials),
      authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      attestation: 'none',
    },
  });
  const added = await api.post<RecoveryCodes>('/session/passkeys', {
    ...{ token, id, name: input.name, client_data: response.clientDataJSON },
    attestation: response.attestationObject,
  });
  return added.recovery_codes;
}

/** What POST /session/passkey takes. */
export async function passkeyAnswer(isAlone: boolean): Promise<Readonly<Record<string, string>>> {
  const { token, challenge, rp_id } = await api.post<PasskeyChallenge>('/session/passkey/challenge');
  const { startAuthentication } = await library();
  const { id, response } = await startAuthentication({
    optionsJSON: { challenge, rpId: rp_id, userVerification: isAlone ? 'required' : 'preferred' },
  });
  const { clientDataJSON, authenticatorData, signature } = response;
  return { token, id, client_data: clientDataJSON, authenticator_data: authenticatorData, signature };
}

/** The browser ended it: the person did, or there is no passkey here. */
export const isDismissed = (error: unknown): boolean =>
  error instanceof Error && error.name === 'NotAllowedError';

/** Passkeys in this browser. The library is loaded on first use. */
import { api } from './api.js';
import type { PasskeyChallenge, RecoveryCodes } from './wire.js';

/** Browsers support passkeys only on a domain name, and over plain HTTP only on localhost. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(window.location.hostname);

const library = () => import('@simplewebauthn/browser');

const listed = (ids: readonly string[]) => ids.map((id) => ({ id, type: 'public-key' as const }));

/** Registers a passkey. Returns the recovery codes, which come with the first factor. */
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
      // EdDSA, ES256 and RS256: together they cover all devices.
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

/** The body of POST /session/passkey. */
export async function passkeyAnswer(isAlone: boolean): Promise<Readonly<Record<string, string>>> {
  const { token, challenge, rp_id } = await api.post<PasskeyChallenge>('/session/passkey/challenge');
  const { startAuthentication } = await library();
  const { id, response } = await startAuthentication({
    optionsJSON: { challenge, rpId: rp_id, userVerification: isAlone ? 'required' : 'preferred' },
  });
  const { clientDataJSON, authenticatorData, signature } = response;
  return { token, id, client_data: clientDataJSON, authenticator_data: authenticatorData, signature };
}

/** Cancelled in the browser: by the user, or because there is no passkey here. */
export const isDismissed = (error: unknown): boolean =>
  error instanceof Error && error.name === 'NotAllowedError';

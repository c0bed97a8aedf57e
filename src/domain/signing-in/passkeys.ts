/**
 * Passkeys (WebAuthn): for signing in without a password, if the device verifies its user, or as a second factor. A challenge
 * can be used once: it is sealed into a token, and marked as spent in the store.
 */
import { rateKey } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { opened, randomSecret, type Sealer } from '../../kernel/secrets.js';
import { refuse } from '../../model/errors.js';
import { maxPasskeys, type Passkey } from '../../model/sign-in.js';
import type { Store } from '../../ports/store.js';
import type { Attempts } from '../accounts/attempts.js';
import { requireUnchanged, type SessionService, type Visit, type Welcomed } from '../accounts/sessions.js';
import { recorderOf, type SignedIn } from '../accounts/signed-in.js';
import { userObject } from '../accounts/users.js';
import { record } from '../audit/record.js';
import { dropUnneededCodes, putRecoveryCodes } from './recovery-codes.js';

const challengeMs = 5 * 60_000;

/** The challenge that a page passes to the browser. */
export interface PasskeyChallenge {
  readonly token: string;
  readonly challenge: string;
  readonly rpId: string;
  /** Ids of the existing passkeys when one is added. Empty for signing in: any passkey may be used. */
  readonly credentials: readonly string[];
}

export interface NewPasskey {
  readonly token: string;
  readonly name: string;
  readonly id: string;
  readonly clientData: string;
  readonly attestation: string;
}

export interface PasskeyAnswer {
  readonly token: string;
  readonly id: string;
  readonly clientData: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

export interface Passkeys {
  list(who: SignedIn): Promise<readonly Passkey[]>;
  /** Throws 401, 403, 409, 429 or 503. */
  beginAdd(who: SignedIn, password: string): Promise<PasskeyChallenge>;
  /** Returns the recovery codes that come with the first factor; empty if there are some already. Throws 401, 403 or 409. */
  add(who: SignedIn, passkey: NewPasskey): Promise<readonly string[]>;
  rename(who: SignedIn, id: string, name: string): Promise<void>;
  /** Also removes the recovery codes if it was the last factor. Throws 401, 403, 404, 429 or 503. */
  remove(who: SignedIn, id: string, password: string): Promise<void>;
  beginSignIn(): PasskeyChallenge;
  /** Signs in with the passkey alone, or after the password with the token from `SessionService.signIn`. Throws 401, 403 or 429. */
  signIn(answer: PasskeyAnswer, pendingToken: string | null, visit: Visit): Promise<Welcomed>;
}

/** Loaded only when a passkey is used. */
const webAuthn = () => import('@simplewebauthn/server');

export function createPasskeys(deps: {
  store: Store;
  clock: Clock;
  attempts: Attempts;
  sessions: SessionService;
  sealer: Sealer;
  baseUrl: string;
}): Passkeys {
  const { store, clock, attempts, sessions, sealer } = deps;
  const { hostname: rpId, origin } = new URL(deps.baseUrl);

  /** `loginId`: the login that adds a passkey. Empty: for signing in. */
  const newChallenge = (loginId: string, credentials: readonly string[]): PasskeyChallenge => {
    const challenge = randomSecret();
    const now = clock.now();
    const token = sealer.seal([newId(now), loginId, challenge, now + challengeMs].join(' '));
    return { token, challenge, rpId, credentials };
  };

  /** Returns the challenge of the token. Throws 401 if the token is invalid, expired or spent. */
  const spend = async (token: string, wantedLogin: string): Promise<string> => {
    const [id = '', loginId, challenge = '', expiresAt = ''] = opened(sealer, token).split(' ');
    const isOurs = loginId === wantedLogin && Number(expiresAt) > clock.now();
    if (!isOurs || !(await store.challenges.spend(`passkey ${id}`, Number(expiresAt))))
      throw refuse.signInExpired();
    return challenge;
  };

  const verifyNew = async ({ id, clientData, attestation }: NewPasskey, expectedChallenge: string) => {
    const { verifyRegistrationResponse } = await webAuthn();
    const answer = { clientDataJSON: clientData, attestationObject: attestation };
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', response: answer, clientExtensionResults: {} },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: false,
    }).catch(() => ({ verified: false, registrationInfo: undefined }));
    if (!verified || !registrationInfo) throw refuse.wrongPasskey();
    return registrationInfo.credential;
  };

  const verify = async (
    { id, clientData, authenticatorData, signature }: PasskeyAnswer,
    { publicKey, counter }: Passkey,
    wanted: { readonly challenge: string; readonly isAlone: boolean },
  ): Promise<void> => {
    const { verifyAuthenticationResponse } = await webAuthn();
    const response = { clientDataJSON: clientData, authenticatorData, signature };
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: wanted.challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
      requireUserVerification: wanted.isAlone,
    }).catch(() => ({ verified: false, authenticationInfo: undefined }));
    if (!verified || !authenticationInfo) throw refuse.wrongPasskey();
    if (!(await store.factors.usedPasskey(id, authenticationInfo.newCounter, clock.now())))
      throw refuse.wrongPasskey();
  };

  /** Returns null when the login has no user any more. */
  const userOf = async (loginId: string) => {
    const [first] = await store.users.listOfLogin(loginId);
    return first ? store.users.find(first.account.id, first.user.id) : null;
  };

  return {
    list: ({ user }) => store.factors.listPasskeys(user.loginId),

    async beginAdd(who, password) {
      await sessions.provePassword(who, password);
      const existing = await store.factors.listPasskeys(who.user.loginId);
      if (existing.length >= maxPasskeys) throw refuse.tooManyPasskeys(maxPasskeys);
      return newChallenge(
        who.user.loginId,
        existing.map(({ id }) => id),
      );
    },

    async add(who, passkey) {
      const { loginId } = who.user;
      const challenge = await spend(passkey.token, loginId);
      const credential = await verifyNew(passkey, challenge);
      const codes = await store.tx(async (tx) => {
        if (await tx.factors.findPasskey(credential.id)) throw refuse.wrongPasskey();
        await tx.factors.addPasskey({
          ...{ id: credential.id, loginId, name: passkey.name.trim(), counter: credential.counter },
          publicKey: Buffer.from(credential.publicKey).toString('base64url'),
          ...{ createdAt: clock.now(), lastUsedAt: null },
        });
        if ((await tx.factors.listPasskeys(loginId)).length > maxPasskeys)
          throw refuse.tooManyPasskeys(maxPasskeys);
        record(tx, recorderOf(who), { action: 'passkey.added', object: userObject(who.user) });
        return (await tx.factors.countRecoveryCodes(loginId)) > 0 ? [] : putRecoveryCodes(tx, loginId);
      });
      sessions.forgetLogin(loginId);
      return codes;
    },

    async rename(who, id, name) {
      await store.tx(async (tx) => {
        if (!(await tx.factors.renamePasskey(who.user.loginId, id, name.trim())))
          throw refuse.passkeyNotFound();
        record(tx, recorderOf(who), { action: 'passkey.renamed', object: userObject(who.user) });
      });
    },

    async remove(who, id, password) {
      const { loginId } = who.user;
      const found = await sessions.provePassword(who, password);
      await store.tx(async (tx) => {
        await requireUnchanged(tx, found);
        if (!(await tx.factors.deletePasskey(loginId, id))) throw refuse.passkeyNotFound();
        record(tx, recorderOf(who), { action: 'passkey.removed', object: userObject(who.user) });
        await dropUnneededCodes(tx, loginId);
      });
      sessions.forgetLogin(loginId);
    },

    beginSignIn: () => newChallenge('', []),

    async signIn(answer, pendingToken, visit) {
      await attempts.count(`passkey:${rateKey(visit.address)}`);
      const challenge = await spend(answer.token, '');
      const passkey = await store.factors.findPasskey(answer.id);
      if (!passkey) throw refuse.wrongPasskey();
      if (pendingToken !== null)
        return sessions.finish(pendingToken, visit, async ({ user }) => {
          if (passkey.loginId !== user.loginId) throw refuse.wrongPasskey();
          await verify(answer, passkey, { challenge, isAlone: false });
        });
      await verify(answer, passkey, { challenge, isAlone: true });
      const found = await userOf(passkey.loginId);
      if (!found) throw refuse.wrongPasskey();
      return sessions.enter(found, visit);
    },
  };
}

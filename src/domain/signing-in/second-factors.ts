/**
 * The second factor of a login: an app that shows codes, and ten recovery codes for when it is lost. Each code counts once.
 * Changes need the password: who finds an open browser must not lock its owner out.
 */
import type { Clock } from '../../kernel/clock.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { newTotpSecret, totpStepOf, totpUri } from '../../kernel/totp.js';
import { refuse } from '../../model/errors.js';
import type { StoredUser } from '../../ports/accounts.js';
import type { BoundStore, Store } from '../../ports/store.js';
import type { Attempts } from '../accounts/attempts.js';
import { factorsOf } from '../accounts/second-factor.js';
import type { SessionService } from '../accounts/sessions.js';
import { recorderOf, type SignedIn } from '../accounts/signed-in.js';
import { userObject } from '../accounts/users.js';
import { record } from '../audit/record.js';
import { dropUnneededCodes, hashOfCode, putRecoveryCodes } from './recovery-codes.js';

export interface FactorState {
  readonly hasAuthenticator: boolean;
  readonly recoveryCodesLeft: number;
}

/** What somebody shows beside the password. */
export type Shown = { readonly code: string } | { readonly recoveryCode: string };

export interface SecondFactors {
  state(who: SignedIn): Promise<FactorState>;
  /** For the app. It counts once a code of it was shown. Throws 403, 409 or 429. */
  begin(who: SignedIn, password: string): Promise<{ secret: string; uri: string }>;
  /** New recovery codes. Throws 403, 409 or 429. */
  confirm(who: SignedIn, code: string): Promise<readonly string[]>;
  /** With the recovery codes, if it was the last factor. Throws 403, 409 or 429. */
  remove(who: SignedIn, password: string): Promise<void>;
  /** In the place of all before. Throws 403, 409 or 429. */
  renewRecoveryCodes(who: SignedIn, password: string): Promise<readonly string[]>;
  /** Throws 403 unless it is of their login and was not shown before; 429. */
  prove(who: StoredUser, shown: Shown): Promise<void>;
}

export function createSecondFactors(deps: {
  store: Store;
  clock: Clock;
  attempts: Attempts;
  sessions: SessionService;
}): SecondFactors {
  const { store, clock, attempts, sessions } = deps;

  /** Anyone who tries codes has the password, so it is the login that is limited, wherever they come from. */
  const countAttempt = (loginId: string): Promise<void> => attempts.count(`factor:${loginId}`);

  const spendCode = async (from: BoundStore, loginId: string, code: string): Promise<boolean> => {
    const authenticator = await from.factors.findAuthenticator(loginId);
    const step = authenticator && totpStepOf(authenticator.secret, code, clock.now());
    return authenticator !== null && step !== null && from.factors.spendStep(authenticator, step);
  };

  const isConfirmed = async (loginId: string): Promise<boolean> =>
    (await store.factors.findAuthenticator(loginId))?.isConfirmed ?? false;

  return {
    async state({ user: { loginId } }) {
      const recoveryCodesLeft = await store.factors.countRecoveryCodes(loginId);
      return { hasAuthenticator: await isConfirmed(loginId), recoveryCodesLeft };
    },

    async begin(who, password) {
      const { loginId, email } = who.user;
      await sessions.provePassword(who, password);
      const secret = newTotpSecret();
      await store.tx(async (tx) => {
        if ((await tx.factors.findAuthenticator(loginId))?.isConfirmed) throw refuse.authenticatorExists();
        const fresh = { loginId, secret, isConfirmed: false, lastStep: 0, createdAt: clock.now() };
        await tx.factors.putAuthenticator(fresh);
      });
      return { secret, uri: totpUri({ secret, issuer: 'Inlet', name: email }) };
    },

    async confirm(who, code) {
      const { loginId } = who.user;
      await countAttempt(loginId);
      if (await isConfirmed(loginId)) throw refuse.authenticatorExists();
      const codes = await store.tx(async (tx) => {
        if (!(await spendCode(tx, loginId, code))) throw refuse.wrongSecondFactor();
        record(tx, recorderOf(who), { action: 'authenticator.added', object: userObject(who.user) });
        return putRecoveryCodes(tx, loginId);
      });
      sessions.forgetLogin(loginId);
      return codes;
    },

    async remove(who, password) {
      const { loginId } = who.user;
      await sessions.provePassword(who, password);
      await store.tx(async (tx) => {
        if (!(await tx.factors.deleteAuthenticator(loginId))) throw refuse.noSecondFactor();
        record(tx, recorderOf(who), { action: 'authenticator.removed', object: userObject(who.user) });
        await dropUnneededCodes(tx, loginId);
      });
      sessions.forgetLogin(loginId);
    },

    async renewRecoveryCodes(who, password) {
      const { loginId } = who.user;
      await sessions.provePassword(who, password);
      if ((await factorsOf(store, loginId)).length === 0) throw refuse.noSecondFactor();
      return store.tx((tx) => {
        record(tx, recorderOf(who), { action: 'recovery_codes.renewed', object: userObject(who.user) });
        return putRecoveryCodes(tx, loginId);
      });
    },

    async prove({ user: { loginId }, passwordHash }, shown) {
      await countAttempt(loginId);
      // Of this password: people who set a new one, because somebody knows the old one, are not kept out by what that one has tried.
      if ('code' in shown) await attempts.countCode(`${loginId}:${sha256Hex(passwordHash ?? '')}`);
      const isRight =
        'code' in shown
          ? (await isConfirmed(loginId)) && (await spendCode(store, loginId, shown.code))
          : await store.factors.spendRecoveryCode(loginId, hashOfCode(shown.recoveryCode));
      if (!isRight) throw refuse.wrongSecondFactor();
    },
  };
}

/**
 * The second factor of a login: an authenticator app, and ten recovery codes for when it is lost. Each code works once. Changes
 * need the password: a person who finds an open browser must not be able to lock its owner out.
 */
import type { Clock } from '../../kernel/clock.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { newTotpSecret, totpStepOf, totpUri } from '../../kernel/totp.js';
import { refuse } from '../../model/errors.js';
import type { StoredUser } from '../../ports/accounts.js';
import type { BoundStore, Store } from '../../ports/store.js';
import type { Attempts } from '../accounts/attempts.js';
import { factorsOf } from '../accounts/second-factor.js';
import { requireUnchanged, type SessionService } from '../accounts/sessions.js';
import { recorderOf, type SignedIn } from '../accounts/signed-in.js';
import { userObject } from '../accounts/users.js';
import { record } from '../audit/record.js';
import { dropUnneededCodes, hashOfCode, putRecoveryCodes } from './recovery-codes.js';

export interface FactorState {
  readonly hasAuthenticator: boolean;
  readonly recoveryCodesLeft: number;
}

/** What a user presents in addition to the password. */
export type Shown = { readonly code: string } | { readonly recoveryCode: string };

export interface SecondFactors {
  state(who: SignedIn): Promise<FactorState>;
  /** Returns the secret for the app, which is active once `confirm` has got a code from it. Throws 401, 403, 409, 429 or 503. */
  begin(who: SignedIn, password: string): Promise<{ secret: string; uri: string }>;
  /** Activates the app and returns new recovery codes. Throws 403, 409 or 429. */
  confirm(who: SignedIn, code: string): Promise<readonly string[]>;
  /** Also removes the recovery codes if it was the last factor. Throws 401, 403, 409, 429 or 503. */
  remove(who: SignedIn, password: string): Promise<void>;
  /** Replaces all earlier codes. Throws 401, 403, 409, 429 or 503. */
  renewRecoveryCodes(who: SignedIn, password: string): Promise<readonly string[]>;
  /** Throws 403 unless it belongs to the login and is unused, and 429 after too many attempts. */
  prove(who: StoredUser, shown: Shown): Promise<void>;
}

export function createSecondFactors(deps: {
  store: Store;
  clock: Clock;
  attempts: Attempts;
  sessions: SessionService;
}): SecondFactors {
  const { store, clock, attempts, sessions } = deps;

  /** Anyone who tries codes has the password, so attempts are limited per login, whatever their network. */
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
      const found = await sessions.provePassword(who, password);
      const secret = newTotpSecret();
      await store.tx(async (tx) => {
        await requireUnchanged(tx, found);
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
      const found = await sessions.provePassword(who, password);
      await store.tx(async (tx) => {
        await requireUnchanged(tx, found);
        if (!(await tx.factors.deleteAuthenticator(loginId))) throw refuse.noSecondFactor();
        record(tx, recorderOf(who), { action: 'authenticator.removed', object: userObject(who.user) });
        await dropUnneededCodes(tx, loginId);
      });
      sessions.forgetLogin(loginId);
    },

    async renewRecoveryCodes(who, password) {
      const { loginId } = who.user;
      const found = await sessions.provePassword(who, password);
      if ((await factorsOf(store, loginId)).length === 0) throw refuse.noSecondFactor();
      return store.tx(async (tx) => {
        await requireUnchanged(tx, found);
        record(tx, recorderOf(who), { action: 'recovery_codes.renewed', object: userObject(who.user) });
        return putRecoveryCodes(tx, loginId);
      });
    },

    async prove({ user: { loginId }, passwordHash }, shown) {
      await countAttempt(loginId);
      // Counted per password: users who set a new one, because the old one leaked, are not locked out by attempts made with the old one.
      if ('code' in shown) await attempts.countCode(`${loginId}:${sha256Hex(passwordHash ?? '')}`);
      const isRight =
        'code' in shown
          ? (await isConfirmed(loginId)) && (await spendCode(store, loginId, shown.code))
          : await store.factors.spendRecoveryCode(loginId, hashOfCode(shown.recoveryCode));
      if (!isRight) throw refuse.wrongSecondFactor();
    },
  };
}

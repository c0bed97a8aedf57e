/** A signed-in user, as the rest of the domain sees them. */
import { type Account, type Principal, reachOf, type User } from '../../model/account.js';
import { type Actor, type Recorder, userActor } from '../../model/audit.js';

export interface SignedIn {
  readonly user: User;
  readonly account: Account;
  /** The identity provider that vouched for the user, in this account only. Absent: the user signed in without one. */
  readonly providerId?: string | null;
  /** The account requires a second factor and the login has none: the user may only set one up. */
  readonly lacksFactor?: boolean;
  /** Includes where the request came from. Absent: unknown. */
  readonly actor?: Actor;
}

/** For the audit log of the user's account. */
export const recorderOf = ({ user, account, actor }: SignedIn): Recorder => ({
  accountId: account.id,
  actor: actor ?? userActor(user),
});

/** Includes everything that the user reaches in any role. */
export const principalOf = ({ user, account }: SignedIn): Principal => {
  const access = { role: user.role, projects: user.projects };
  return {
    ...reachOf(account.id, access),
    ...{ plan: account.plan, keyId: null, userId: user.id, access, actor: userActor(user) },
  };
};

/** For actions of a user who is not signed in yet. */
export const recorderAt = (
  user: User,
  { address, userAgent }: Pick<Actor, 'address' | 'userAgent'>,
): Recorder => ({
  accountId: user.accountId,
  actor: { ...userActor(user), address, userAgent },
});

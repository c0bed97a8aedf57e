/** Who is signed in, as the rest of the domain knows them. */
import { type Account, type Principal, reachOf, type User } from '../../model/account.js';
import { type Actor, type Recorder, userActor } from '../../model/audit.js';

export interface SignedIn {
  readonly user: User;
  readonly account: Account;
  /** The identity provider that vouched for the user in this account, and nowhere else; absent: nobody had to. */
  readonly providerId?: string | null;
  /** The account demands a second factor, and the login has none: all they may do is set one up. */
  readonly lacksFactor?: boolean;
  /** With where the request came from; absent: nowhere is known. */
  readonly actor?: Actor;
}

/** For the audit log of the account they are in. */
export const recorderOf = ({ user, account, actor }: SignedIn): Recorder => ({
  accountId: account.id,
  actor: actor ?? userActor(user),
});

/** With all that they reach in any role. */
export const principalOf = ({ user, account }: SignedIn): Principal => {
  const access = { role: user.role, projects: user.projects };
  return {
    ...reachOf(account.id, access),
    ...{ plan: account.plan, keyId: null, userId: user.id, access, actor: userActor(user) },
  };
};

/** For what somebody does who is not signed in yet. */
export const recorderAt = (
  user: User,
  { address, userAgent }: Pick<Actor, 'address' | 'userAgent'>,
): Recorder => ({
  accountId: user.accountId,
  actor: { ...userActor(user), address, userAgent },
});

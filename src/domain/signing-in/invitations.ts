/**
 * Invitations to an account.
 *
 * What must stay true: the inviter learns nothing about the address, not even with the link. The person who opens it either
 * chooses a password, which creates a separate login, or is already signed in with that address. An invitation creates one
 * user, however many requests accept it at the same moment.
 */
import { rateKey } from '../../kernel/addresses.js';
import { type Clock, secondsUntil } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { randomSecret, sha256Hex } from '../../kernel/secrets.js';
import type { Account, Principal, User } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { Role } from '../../model/permission.js';
import { type Invitation, maxInvitations } from '../../model/sign-in.js';
import type { Counters } from '../../ports/counters.js';
import { type BoundStore, type Store, StoreConflict } from '../../ports/store.js';
import type { Attempts } from '../accounts/attempts.js';
import type { Devices } from '../accounts/devices.js';
import { haveSameSalt, type Passwords, saltIn } from '../accounts/passwords.js';
import { isProviderRequired } from '../accounts/required-provider.js';
import { openSession, type Visit, type Welcomed } from '../accounts/sessions.js';
import { recorderAt, type SignedIn } from '../accounts/signed-in.js';
import { newUser, normalEmail, userObject } from '../accounts/users.js';
import { record } from '../audit/record.js';
import { invitationWords, type SignInMails } from './mails.js';

const lifeMs = 7 * 24 * 60 * 60_000;
const hourMs = 60 * 60_000;
/** They are mailed, and must not be used to flood others. */
const perHour = 150;

export interface SentInvitation {
  readonly invitation: Invitation;
  /** It cannot be retrieved later. */
  readonly acceptUrl: string;
  /** False: the link must be shared in another way. */
  readonly isMailed: boolean;
}

export interface InvitationService {
  /** Replaces an earlier invitation to the same address. Throws 409 or 429. */
  invite(who: Principal, input: { email: string; role: Role }): Promise<SentInvitation>;
  list(accountId: string): Promise<readonly Invitation[]>;
  revoke(who: Principal, id: string): Promise<void>;
  /** Returns the invitation that the link is for. Throws 403 or 429. */
  look(token: string, address: string): Promise<{ invitation: Invitation; account: Account }>;
  /** With the password of a new login, or the session of a user with this address. Throws 400, 403, 409, 429 or 503. */
  accept(
    input: Visit & { token: string; password: string | null; session: SignedIn | null },
  ): Promise<Welcomed>;
}

const invitationObject = ({ id, email }: Invitation) => ({ kind: 'invitation', id, name: email });

export function createInvitationService(deps: {
  store: Store;
  clock: Clock;
  counters: Counters;
  attempts: Attempts;
  passwords: Passwords;
  devices: Devices;
  mails: SignInMails;
  /** The replaced session has ended, and so have provider sessions if the login now has users in other accounts. */
  onSessionsEnded: (loginId: string) => void;
}): InvitationService {
  const { store, clock, counters, attempts, passwords, devices, mails } = deps;

  const countInvitation = async (accountId: string): Promise<void> => {
    const { count, resetsAt } = await counters.hit(`invitations:${accountId}`, hourMs);
    if (count > perHour) throw refuse.tooManySignIns(secondsUntil(resetsAt, clock.now()));
  };

  const put = (who: Principal, invitation: Invitation, tokenHash: string): Promise<Account> =>
    store.tx(async (tx) => {
      const { accountId, email, role, createdAt } = invitation;
      const account = await tx.accounts.find(accountId);
      if (!account) throw refuse.userNotFound();
      if ((await tx.users.list(accountId)).some((user) => user.email === email)) throw refuse.userExists();
      await tx.invitations.put(invitation, tokenHash);
      if ((await tx.invitations.list(accountId, createdAt)).length > maxInvitations)
        throw refuse.tooManyInvitations(maxInvitations);
      record(tx, who, {
        action: 'invitation.created',
        object: invitationObject(invitation),
        after: { role },
      });
      return account;
    });

  const find = async (from: BoundStore, token: string) => {
    const invitation = await from.invitations.findByToken(sha256Hex(token));
    const account = invitation && (await from.accounts.find(invitation.accountId));
    if (!account || invitation.expiresAt <= clock.now()) throw refuse.invalidInvitation();
    return { invitation, account };
  };

  /** Returns false when another login has got this address meanwhile, with a different salt. */
  const addUser = async (tx: BoundStore, user: User, passwordHash: string | null): Promise<boolean> => {
    if (passwordHash === null) {
      await tx.users.join(user);
      return true;
    }
    const salt = saltIn(await tx.users.listByEmail(user.email));
    if (salt !== null && !haveSameSalt(salt, passwordHash)) return false;
    await tx.users.create(user, passwordHash);
    return true;
  };

  /** Returns null when the caller must retry with the current salt. `passwordHash` null: joins the login `loginId`. */
  const admit = (
    token: string,
    { loginId, passwordHash }: { loginId: string | null; passwordHash: string | null },
    { replacing, device, ...place }: Visit,
  ): Promise<Welcomed | null> =>
    store.tx(async (tx) => {
      const { invitation, account } = await find(tx, token);
      const { id, accountId, email, role } = invitation;
      const now = clock.now();
      const fresh = newUser({ accountId, email, access: { role, projects: [] }, now });
      const user: User = { ...fresh, loginId: loginId ?? fresh.loginId };
      // A password would let them in without the required provider.
      if (await isProviderRequired(tx, user)) throw refuse.singleSignOnRequired();
      if (!(await addUser(tx, user, passwordHash))) return null;
      if (!(await tx.invitations.delete(accountId, id))) throw refuse.invalidInvitation();
      record(tx, recorderAt(user, place), { action: 'user.created', object: userObject(user), after: user });
      if (replacing !== null) await tx.sessions.end(sha256Hex(replacing));
      const opened = await openSession(tx, { user, account }, { ...place, now });
      const stored = await tx.users.find(accountId, user.id);
      return { ...opened, device: devices.remember(device, stored ?? { user, passwordHash }) };
    });

  const admitNew = async (token: string, email: string, password: string, visit: Visit) => {
    for (;;) {
      const like = saltIn(await store.users.listByEmail(email));
      const passwordHash = await passwords.hash(password, { like, by: rateKey(visit.address) });
      const welcomed = await admit(token, { loginId: null, passwordHash }, visit);
      if (welcomed) return welcomed;
    }
  };

  return {
    async invite(who, { email, role }) {
      const { accountId } = who;
      await countInvitation(accountId);
      const now = clock.now();
      const token = randomSecret();
      const invitation: Invitation = {
        ...{ id: newId(now), accountId, email: normalEmail(email), role },
        ...{ createdAt: now, expiresAt: now + lifeMs },
      };
      const account = await put(who, invitation, sha256Hex(token));
      const acceptUrl = mails.link('accept-invitation', token);
      const isMailed = await mails.send(invitation.email, invitationWords(account.name, acceptUrl));
      return { invitation, acceptUrl, isMailed };
    },

    list: (accountId) => store.invitations.list(accountId, clock.now()),

    async revoke(who, id) {
      if (!isUuid(id)) throw refuse.invitationNotFound();
      await store.tx(async (tx) => {
        const found = (await tx.invitations.list(who.accountId, clock.now())).find((one) => one.id === id);
        if (!found || !(await tx.invitations.delete(who.accountId, id))) throw refuse.invitationNotFound();
        record(tx, who, { action: 'invitation.deleted', object: invitationObject(found) });
      });
    },

    async look(token, address) {
      await attempts.count(`invitation:${rateKey(address)}`);
      return find(store, token);
    },

    async accept({ token, password, session: shown, ...visit }) {
      // A provider's session must not open another account: its user has to choose a password.
      const session = shown?.providerId ? null : shown;
      await attempts.count(`accept:${rateKey(visit.address)}`);
      const { invitation } = await find(store, token);
      if (session && session.user.email !== invitation.email) throw refuse.invitationForAnother();
      if (!session && password === null)
        throw refuse.invalidBody([{ path: 'password', message: 'is required without a session' }]);
      const accepting = session
        ? admit(token, { loginId: session.user.loginId, passwordHash: null }, visit)
        : admitNew(token, invitation.email, password ?? '', visit);
      const welcomed = await accepting.catch((error: unknown) => {
        // Of two concurrent requests, the second finds the user that the first created.
        if (error instanceof StoreConflict && error.rule === 'unique') throw refuse.invalidInvitation();
        throw error;
      });
      if (!welcomed) throw refuse.invalidInvitation();
      deps.onSessionsEnded(welcomed.user.loginId);
      return welcomed;
    },
  };
}

/** Changes the e-mail address of a login: requested with the password, and applied by a link mailed to the new address. */
import { rateKey } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import { randomSecret, sha256Hex } from '../../kernel/secrets.js';
import { userActor } from '../../model/audit.js';
import { refuse } from '../../model/errors.js';
import type { LoginLink } from '../../model/sign-in.js';
import type { StoredUser } from '../../ports/accounts.js';
import { type BoundStore, type Store, StoreConflict, type TransactionStore } from '../../ports/store.js';
import type { Attempts } from '../accounts/attempts.js';
import { haveSameSalt, type Passwords, saltIn } from '../accounts/passwords.js';
import { isProviderRequired } from '../accounts/required-provider.js';
import { requireUnchanged, type SessionService } from '../accounts/sessions.js';
import type { SignedIn } from '../accounts/signed-in.js';
import { normalEmail, userObject } from '../accounts/users.js';
import { record } from '../audit/record.js';
import { confirmEmailWords, emailChangeWords, type SignInMails } from './mails.js';

const linkLifeMs = 24 * 60 * 60_000;

export interface EmailChange {
  /** Mails a link to the new address and a notice to the old one. Throws 403, 409, 429 or 503. */
  request(who: SignedIn, input: { email: string; password: string }): Promise<void>;
  /** Returns the new address, which applies to all users of the login. Throws 403, 409 or 429. */
  confirm(input: { token: string; address: string }): Promise<string>;
}

/** A new address would let them in without the provider that one of their accounts requires. */
async function refuseRequired(from: BoundStore, loginId: string): Promise<void> {
  for (const { user } of await from.users.listOfLogin(loginId))
    if (await isProviderRequired(from, user)) throw refuse.singleSignOnRequired();
}

export function createEmailChange(deps: {
  store: Store;
  clock: Clock;
  attempts: Attempts;
  passwords: Passwords;
  sessions: SessionService;
  mails: SignInMails;
}): EmailChange {
  const { store, clock, attempts, passwords, sessions, mails } = deps;

  /**
   * Hashes the password with the salt of the new address, because all users of one address share a salt. Computed in any case:
   * otherwise the time would reveal whether another account has a user with the address.
   */
  const hashAt = async (email: string, { user, passwordHash }: StoredUser, password: string) => {
    const salt = saltIn(await store.users.listByEmail(email));
    return passwords.hash(password, { like: salt ?? passwordHash, by: user.accountId });
  };

  const refuseTaken = async (loginId: string, email: string): Promise<void> => {
    const taken = await store.users.listByEmail(email);
    const accounts = (await store.users.listOfLogin(loginId)).map(({ account }) => account.id);
    if (taken.some(({ user }) => accounts.includes(user.accountId))) throw refuse.userExists();
  };

  const createLink = async (found: StoredUser, link: Pick<LoginLink, 'email' | 'passwordHash'>) => {
    const token = randomSecret();
    const now = clock.now();
    const times = { createdAt: now, expiresAt: now + linkLifeMs };
    const { loginId } = found.user;
    await store.tx(async (tx) => {
      // A link stored after a new password would bring the old one back.
      await requireUnchanged(tx, found);
      // Only the last link requested is valid.
      await tx.loginLinks.voidAll(loginId, 'email');
      await tx.loginLinks.create({
        ...link,
        ...times,
        loginId,
        purpose: 'email',
        tokenHash: sha256Hex(token),
      });
    });
    return mails.link('confirm-email', token);
  };

  const apply = async (tx: TransactionStore, tokenHash: string): Promise<LoginLink> => {
    const link = await tx.loginLinks.find(tokenHash, 'email');
    const isOurs = link !== null && (await tx.loginLinks.take(tokenHash, 'email'));
    if (!isOurs || link.expiresAt <= clock.now()) throw refuse.invalidLink();
    const { loginId, email, passwordHash } = link;
    await refuseRequired(tx, loginId);
    const salt = saltIn(await tx.users.listByEmail(email));
    // Another login has got this address meanwhile, with a different salt.
    if (salt !== null && passwordHash !== null && !haveSameSalt(salt, passwordHash))
      throw refuse.invalidLink();
    for (const { user } of await tx.users.listOfLogin(loginId))
      record(
        tx,
        { accountId: user.accountId, actor: userActor(user) },
        {
          action: 'user.email_changed',
          object: userObject(user),
          before: { email: user.email },
          after: { email },
        },
      );
    await tx.users.setEmail(loginId, email);
    if (passwordHash !== null) await tx.users.setPassword(loginId, passwordHash);
    // Reset links were mailed to the old address.
    await tx.loginLinks.voidAll(loginId, 'reset');
    return link;
  };

  return {
    async request(who, { email, password }) {
      if (!mails.canSend) throw refuse.noMailServer();
      const found = await sessions.provePassword(who, password);
      const normal = normalEmail(email);
      const { loginId } = who.user;
      await refuseRequired(store, loginId);
      await refuseTaken(loginId, normal);
      const passwordHash = await hashAt(normal, found, password);
      const link = await createLink(found, { email: normal, passwordHash });
      await mails.send(who.user.email, emailChangeWords(normal));
      if (!(await mails.send(normal, confirmEmailWords(link)))) throw refuse.mailNotSent();
    },

    async confirm({ token, address }) {
      await attempts.count(`email link:${rateKey(address)}`);
      const { loginId, email } = await store
        .tx((tx) => apply(tx, sha256Hex(token)))
        .catch((error: unknown) => {
          if (error instanceof StoreConflict && error.rule === 'unique') throw refuse.userExists();
          throw error;
        });
      sessions.forgetLogin(loginId);
      return email;
    },
  };
}

/**
 * Password reset by mail.
 *
 * What must stay true: a response says nothing about who has a login, neither by its content nor by how long it takes, so it is
 * sent before any user is looked up. A mail that someone else requested works for its reader all the same, so an attacker
 * cannot keep users from getting one. A link works once, and none works after the password has changed.
 */
import { rateKey } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import { Slots } from '../../kernel/concurrency.js';
import { randomSecret, sha256Hex } from '../../kernel/secrets.js';
import { refuse } from '../../model/errors.js';
import type { LoginLink } from '../../model/sign-in.js';
import type { Counters } from '../../ports/counters.js';
import type { Store } from '../../ports/store.js';
import type { Attempts } from '../accounts/attempts.js';
import { haveSameSalt, type Passwords, saltIn } from '../accounts/passwords.js';
import { recorderAt } from '../accounts/signed-in.js';
import { normalEmail, replacePassword, userObject } from '../accounts/users.js';
import { record } from '../audit/record.js';
import { resetWords, type SignInMails } from './mails.js';

const hourMs = 60 * 60_000;
const linkLifeMs = hourMs;
/** To one address, no matter who requests them. */
const mailsPerHour = 5;
/** Per address: each login gets a mail of its own. */
const maxLogins = 5;
const patienceMs = 60_000;

export interface PasswordReset {
  /** Mails a link to the logins with this address, after the response. Throws 429. */
  request(input: { email: string; address: string }): Promise<void>;
  /** Returns the address to sign in with. Throws 403, 429 or 503. */
  complete(input: { token: string; password: string; address: string }): Promise<string>;
}

export function createPasswordReset(deps: {
  store: Store;
  clock: Clock;
  counters: Counters;
  attempts: Attempts;
  passwords: Passwords;
  mails: SignInMails;
  /** Called when all sessions of this login have ended. */
  onSessionsEnded: (loginId: string) => void;
  /** Called with errors that occur after the response. */
  onLateFault: (error: unknown) => void;
}): PasswordReset {
  const { store, clock, counters, attempts, passwords, mails } = deps;
  // Bounded: requests beyond that send no mail, and can be repeated.
  const slots = new Slots(4, 1, { max: 200, maxPerKey: 10 });

  const mailTo = async (email: string, loginId: string): Promise<void> => {
    const accounts = (await store.users.listOfLogin(loginId)).map(({ account }) => account.name);
    const token = randomSecret();
    const now = clock.now();
    await store.loginLinks.create({
      ...{ tokenHash: sha256Hex(token), loginId, purpose: 'reset', email, passwordHash: null },
      ...{ createdAt: now, expiresAt: now + linkLifeMs },
    });
    await mails.send(email, resetWords(accounts, mails.link('reset-password', token)));
  };

  const mailLogins = async (email: string): Promise<void> => {
    const listed = await store.users.listByEmail(email);
    if (listed.length === 0 || !mails.canSend) return;
    const { count } = await counters.hit(`reset:${sha256Hex(email)}`, hourMs);
    if (count > mailsPerHour) return;
    const logins = [...new Set(listed.map(({ user }) => user.loginId))];
    for (const loginId of logins.slice(0, maxLogins)) await mailTo(email, loginId);
  };

  const findLink = async (tokenHash: string): Promise<LoginLink> => {
    const link = await store.loginLinks.find(tokenHash, 'reset');
    if (!link || link.expiresAt <= clock.now()) throw refuse.invalidLink();
    return link;
  };

  /** Returns false when another login has got this address meanwhile, with a different salt. */
  const replace = (
    { tokenHash, loginId, email }: LoginLink,
    passwordHash: string,
    address: string,
  ): Promise<boolean> =>
    store.tx(async (tx) => {
      const salt = saltIn(await tx.users.listByEmail(email));
      if (salt !== null && !haveSameSalt(salt, passwordHash)) return false;
      if (!(await tx.loginLinks.take(tokenHash, 'reset'))) throw refuse.invalidLink();
      await replacePassword(tx, loginId, passwordHash);
      for (const { user } of await tx.users.listOfLogin(loginId))
        record(tx, recorderAt(user, { address, userAgent: null }), {
          action: 'user.password_reset',
          object: userObject(user),
        });
      return true;
    });

  return {
    async request({ email, address }) {
      const network = rateKey(address);
      await attempts.count(`reset:${network}`);
      slots.run(network, patienceMs, () => mailLogins(normalEmail(email))).catch(deps.onLateFault);
    },

    async complete({ token, password, address }) {
      await attempts.count(`reset link:${rateKey(address)}`);
      const link = await findLink(sha256Hex(token));
      for (;;) {
        const like = saltIn(await store.users.listByEmail(link.email));
        const passwordHash = await passwords.hash(password, { like, by: link.loginId });
        if (await replace(link, passwordHash, address)) break;
      }
      deps.onSessionsEnded(link.loginId);
      return link.email;
    },
  };
}

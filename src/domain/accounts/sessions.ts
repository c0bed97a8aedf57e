/**
 * Signing in and staying signed in.
 *
 * What must stay true: the store alone decides who is signed in, and knows only hashes of the cookies; a sign-in always
 * makes a new session; a wrong password and an unknown address get the same answer after the same work, however many
 * accounts know the address; what ends a session in this process ends it at once, and elsewhere (another process, the
 * command line) within `freshForMs`.
 */
import { networksAround } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import type { Caller } from '../../kernel/fair-slots.js';
import { randomSecret, sha256Hex } from '../../kernel/secrets.js';
import type { Account, Session, User } from '../../model/account.js';
import type { Actor } from '../../model/audit.js';
import { refuse } from '../../model/errors.js';
import type { StoredUser } from '../../ports/accounts.js';
import type { BoundStore, Store, TransactionStore } from '../../ports/store.js';
import { eventOf, record } from '../audit/record.js';
import type { Attempts } from './attempts.js';
import type { Devices } from './devices.js';
import { type Passwords, saltIn } from './passwords.js';
import { isProviderRequired } from './required-provider.js';
import { factorsOf, lacksFactor, type PendingSignIns, pendingSeconds } from './second-factor.js';
import { recorderAt, type SignedIn } from './signed-in.js';
import { normalEmail, replacePassword, userObject } from './users.js';

export const idleMs = 12 * 60 * 60_000;
export const absoluteMs = 7 * 24 * 60 * 60_000;
const freshForMs = 1_000;
/** Written at most so often: else every request of the dashboard would be a write. */
const touchEveryMs = 60_000;
const maxCached = 10_000;
/** Failed sign-ins of one user count as one for so long in the audit log: who guesses passwords must not fill it. */
const failuresCountOnceMs = 60_000;
const tokenShape = /^[\w-]{43}$/;

/** Where a session begins, as its owner sees it in the list of sessions. */
export interface Place {
  readonly address: string;
  /** As it came: the longest that is kept is `maxUserAgent`. */
  readonly userAgent: string;
}

/** `replacing` and `device` are the cookies that came along: the session of the first one ends. */
export interface Visit extends Place {
  readonly replacing: string | null;
  readonly device: string | null;
}

export interface OpenedSession extends SignedIn {
  /** For the cookie. It cannot be had again. */
  readonly token: string;
}

/** A session that was opened with a password: the device is known from now on. */
export interface Welcomed extends OpenedSession {
  /** For the device's own cookie. */
  readonly device: string;
}

export type SignInOutcome = 'succeeded' | 'failed' | 'throttled';

export interface SignInReport {
  readonly outcome: SignInOutcome;
  /** null: no such user, or not looked for. */
  readonly userId: string | null;
  readonly address: string;
}

export interface SessionService {
  /** Throws 401, 429 or 503; 401 with a token for `finish` where a second factor is needed. */
  signIn(input: Visit & { email: string; password: string }): Promise<Welcomed>;
  /** Signs in a user who has proven with a passkey who they are. Throws 401. */
  enter(found: StoredUser, visit: Visit): Promise<Welcomed>;
  /** Ends what `signIn` began. `prove` throws unless a second factor of their login was shown. Throws 401, 403 or 429. */
  finish(pendingToken: string, visit: Visit, prove: (who: StoredUser) => Promise<void>): Promise<Welcomed>;
  /** Who holds this cookie; null: nobody who is signed in. */
  authenticate(token: string): Promise<SignedIn | null>;
  signOut(token: string, origin: Pick<Actor, 'address' | 'userAgent'>): Promise<void>;
  /** Ends every session of the login, in all accounts, and opens a new one. Throws 401, 403, 429 or 503. */
  changePassword(who: SignedIn, input: Visit & { current: string; next: string }): Promise<Welcomed>;
  /** As `lacksFactor` of who is signed in, for who has just come in. */
  lacksFactor(who: SignedIn): Promise<boolean>;
  /** The accounts in which this person has a user. */
  accountsOf(who: SignedIn): Promise<readonly Account[]>;
  /** Ends the session of this cookie and opens one in another account of the same login. Throws 404. */
  switchTo(who: SignedIn, token: string, accountId: string, place: Place): Promise<OpenedSession>;
  /** For what a session alone may not do; the user as they are now. Throws 401, 403, 429 or 503. */
  provePassword(who: SignedIn, password: string): Promise<StoredUser>;
  /** All sessions of this login, or of a user of it, have ended in the store. */
  forgetLogin(loginId: string): void;
  /** Sessions of several logins have. */
  forgetAll(): void;
}

const maxUserAgent = 500;

/** Stores a new session; inside a transaction if the store is one. */
export async function openSession(
  to: TransactionStore,
  who: SignedIn,
  {
    now,
    address,
    userAgent,
    providerId = null,
    isSignIn = true,
  }: Place & { readonly now: number; readonly providerId?: string | null; readonly isSignIn?: boolean },
): Promise<OpenedSession> {
  const token = randomSecret();
  await to.sessions.create({
    tokenHash: sha256Hex(token),
    userId: who.user.id,
    providerId,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: expiryOf(now, now),
    address,
    userAgent: userAgent.slice(0, maxUserAgent),
  });
  const { user, account } = who;
  if (isSignIn)
    record(to, recorderAt(user, { address, userAgent }), {
      action: 'session.started',
      object: userObject(user),
    });
  return { user, account, token };
}

const expiryOf = (createdAt: number, lastSeenAt: number): number =>
  Math.min(createdAt + absoluteMs, lastSeenAt + idleMs);

interface Cached extends SignedIn {
  session: Session;
  readonly readAt: number;
}

export function createSessionService(deps: {
  store: Store;
  clock: Clock;
  attempts: Attempts;
  devices: Devices;
  passwords: Passwords;
  pending: PendingSignIns;
  observe: (report: SignInReport) => void;
  /** Called with what went wrong after the response. */
  onLateFault: (error: unknown) => void;
}): SessionService {
  const { store, clock, attempts, devices, passwords, pending, observe } = deps;
  const cache = new Map<string, Cached>();
  let generation = 0;

  const forget = (isMeant: (entry: Cached) => boolean): void => {
    generation += 1;
    for (const [tokenHash, entry] of cache) if (isMeant(entry)) cache.delete(tokenHash);
  };

  /** A provider vouches for its own account: it has no say about a login that has joined another one since. */
  const reachesOthers = async ({ session, user }: { session: Session; user: User }): Promise<boolean> =>
    session.providerId !== null && (await store.users.listOfLogin(user.loginId)).length > 1;

  const load = async (tokenHash: string, now: number): Promise<Cached | null> => {
    const startedIn = generation;
    const found = await store.sessions.find(tokenHash);
    if (!found || (await reachesOthers(found))) {
      cache.delete(tokenHash);
      return null;
    }
    const who = { ...found, providerId: found.session.providerId };
    const entry: Cached = { ...who, lacksFactor: await lacksFactor(store, who), readAt: now };
    // A session ended while we were reading: what we read may be the state before it.
    if (startedIn === generation) {
      if (cache.size >= maxCached) cache.clear();
      cache.set(tokenHash, entry);
    }
    return entry;
  };

  /** The user of this address whose password it is; one that this device or network knows first, else the oldest. */
  const findUser = async (
    email: string,
    { password, address, device }: { password: string; address: string; device: string | null },
  ) => {
    const listed = await store.users.listByEmail(email);
    const users = listed.map(({ user }) => user);
    const userIds = users.map(({ id }) => id);
    const attempt = { email, address, userIds, devices: devices.find(device, listed) };
    const { known, delayForOthers } = await attempts.judge(attempt).catch((error: unknown) => {
      observe({ outcome: 'throttled', userId: null, address });
      throw error;
    });
    const caller = { networks: networksAround(address).toReversed(), subject: email };
    const unknown = (delayMs: number): Caller => ({ ...caller, isKnown: false, delayMs });
    // Of several who share the address nobody knows who it was.
    const tried = listed.length === 1 ? (userIds[0] ?? null) : null;
    // They all have one salt.
    const like = saltIn(listed);
    if (known.length === 0) {
      const isRight = await passwords.check(like, password, unknown(await delayForOthers()));
      return { found: listed.find(({ passwordHash }) => isRight(passwordHash)) ?? null, tried, users };
    }
    const isRight = await passwords.check(like, password, { ...caller, isKnown: true, delayMs: 0 });
    const matching = listed.filter(({ passwordHash }) => isRight(passwordHash));
    const mine = known.flatMap((id) => matching.filter(({ user }) => user.id === id))[0];
    if (mine) return { found: mine, tried, users };
    // Also when there are no others, so that it does not show. A refusal is a wrong password: the device was let in.
    const delayMs = await delayForOthers().catch(() => null);
    if (delayMs === null) return { found: null, tried, users };
    await passwords.wait(unknown(delayMs));
    return { found: matching[0] ?? null, tried, users };
  };

  const refuseWithoutFactor = async (tx: BoundStore, who: StoredUser): Promise<void> => {
    const factors = await factorsOf(tx, who.user.loginId);
    if (factors.length === 0) return;
    const expires_in = pendingSeconds;
    throw refuse.secondFactorRequired({ pending_token: pending.tokenFor(who), factors, expires_in });
  };

  /** null: what was proven is not so any more. */
  const open = (found: StoredUser, { replacing, ...place }: Visit, hasSecondFactor: boolean) =>
    store.tx(async (tx) => {
      // Checking took a while: the user may be gone, or have another password by now.
      const now = await tx.users.find(found.user.accountId, found.user.id);
      const account = now && (await tx.accounts.find(now.user.accountId));
      if (!account || now.passwordHash !== found.passwordHash) return null;
      if (await isProviderRequired(tx, now.user)) throw refuse.singleSignOnRequired();
      if (!hasSecondFactor) await refuseWithoutFactor(tx, now);
      if (replacing !== null) await tx.sessions.end(sha256Hex(replacing));
      return openSession(tx, { user: now.user, account }, { ...place, now: clock.now() });
    });

  const welcome = async (opened: OpenedSession, found: StoredUser, visit: Visit): Promise<Welcomed> => {
    const replaced = visit.replacing === null ? null : sha256Hex(visit.replacing);
    forget((entry) => entry.session.tokenHash === replaced);
    await attempts.succeeded({ userId: opened.user.id, address: visit.address });
    return { ...opened, device: devices.remember(visit.device, found) };
  };

  const provePassword = async ({ user, account }: SignedIn, password: string): Promise<StoredUser> => {
    await attempts.count(`password:${user.loginId}`);
    const found = await store.users.find(account.id, user.id);
    if (!found) throw refuse.notSignedIn();
    const caller = { networks: [user.loginId], subject: user.loginId, isKnown: true, delayMs: 0 };
    const isRight = await passwords.check(found.passwordHash, password, caller);
    if (!isRight(found.passwordHash)) throw refuse.wrongPassword();
    return found;
  };

  /** Of the users of that address, each in the log of its own account. */
  const recordFailure = (users: readonly User[], origin: Place): Promise<void> =>
    store.tx(async (tx) => {
      const since = clock.now() - failuresCountOnceMs;
      for (const user of users) {
        const failed = { action: 'session.failed', object: userObject(user) } as const;
        tx.record(eventOf(recorderAt(user, origin), failed), since);
      }
    });

  return {
    async signIn({ email, password, ...visit }) {
      const { address } = visit;
      const { found, tried, users } = await findUser(normalEmail(email), { ...visit, password });
      const opened = found && (await open(found, visit, false));
      observe({ outcome: opened ? 'succeeded' : 'failed', userId: opened?.user.id ?? tried, address });
      if (!opened) {
        // Not awaited: how long it takes would tell whether there is such a user.
        if (users.length > 0) recordFailure(users, visit).catch(deps.onLateFault);
        throw refuse.wrongCredentials();
      }
      return welcome(opened, found, visit);
    },

    async enter(found, visit) {
      const opened = await open(found, visit, true);
      if (!opened) throw refuse.signInExpired();
      observe({ outcome: 'succeeded', userId: opened.user.id, address: visit.address });
      return welcome(opened, found, visit);
    },

    async finish(pendingToken, visit, prove) {
      const { address } = visit;
      const found = await pending.find(pendingToken, store.users);
      if (!found) throw refuse.signInExpired();
      const userId = found.user.id;
      await prove(found).catch(async (error: unknown) => {
        observe({ outcome: 'failed', userId, address });
        await recordFailure([found.user], visit).catch(deps.onLateFault);
        throw error;
      });
      const opened = await open(found, visit, true);
      if (!opened) throw refuse.signInExpired();
      observe({ outcome: 'succeeded', userId, address });
      return welcome(opened, found, visit);
    },

    async authenticate(token) {
      if (!tokenShape.test(token)) return null;
      const tokenHash = sha256Hex(token);
      const now = clock.now();
      const known = cache.get(tokenHash);
      const isFresh = known && now >= known.readAt && now < known.readAt + freshForMs;
      const entry = isFresh ? known : await load(tokenHash, now);
      if (!entry || now >= entry.session.expiresAt) return null;
      const { session, user, account, providerId, lacksFactor: isLacking } = entry;
      if (now - session.lastSeenAt >= touchEveryMs) {
        const expiresAt = expiryOf(session.createdAt, now);
        entry.session = { ...session, lastSeenAt: now, expiresAt };
        // Not awaited: reading must work while writing does not, and must not wait for a disk.
        store.sessions.touch(tokenHash, now, expiresAt).catch(deps.onLateFault);
      }
      return { user, account, providerId: providerId ?? null, lacksFactor: isLacking ?? false };
    },

    async signOut(token, origin) {
      if (!tokenShape.test(token)) return;
      const tokenHash = sha256Hex(token);
      await store.tx(async (tx) => {
        const found = await tx.sessions.find(tokenHash);
        if (!found) return;
        await tx.sessions.end(tokenHash);
        record(tx, recorderAt(found.user, origin), {
          action: 'session.ended',
          object: userObject(found.user),
        });
      });
      forget((entry) => entry.session.tokenHash === tokenHash);
    },

    async changePassword(who, { current, next, device, ...place }) {
      const { user, account } = who;
      const found = await provePassword(who, current);
      const passwordHash = await passwords.hash(next, { like: found.passwordHash, by: account.id });
      const opened = await store.tx(async (tx) => {
        const now = await tx.users.find(account.id, user.id);
        // Somebody else was faster: with what was checked, nothing may be changed any more.
        if (now?.passwordHash !== found.passwordHash) throw refuse.wrongPassword();
        await replacePassword(tx, user.loginId, passwordHash);
        const object = userObject(user);
        record(tx, recorderAt(user, place), { action: 'user.password_changed', object });
        return openSession(tx, { user, account }, { ...place, now: clock.now(), isSignIn: false });
      });
      forget((entry) => entry.user.loginId === user.loginId);
      return { ...opened, device: devices.remember(device, { user, passwordHash }) };
    },

    lacksFactor: (who) => lacksFactor(store, who),

    accountsOf: async ({ user, account, providerId }) =>
      providerId ? [account] : (await store.users.listOfLogin(user.loginId)).map((one) => one.account),

    async switchTo({ user, providerId }, token, accountId, { address, userAgent }) {
      // A provider vouches for its own account: what it says opens no other.
      if (providerId) throw refuse.accountNotFound();
      const ended = sha256Hex(token);
      const opened = await store.tx(async (tx) => {
        const found = (await tx.users.listOfLogin(user.loginId)).find(
          ({ account }) => account.id === accountId,
        );
        if (!found) throw refuse.accountNotFound();
        if (await isProviderRequired(tx, found.user)) throw refuse.singleSignOnRequired();
        await tx.sessions.end(ended);
        return openSession(tx, found, { address, userAgent, now: clock.now() });
      });
      forget((entry) => entry.session.tokenHash === ended);
      return opened;
    },

    provePassword,

    forgetAll: () => forget(() => true),
    forgetLogin: (loginId) => forget((entry) => entry.user.loginId === loginId),
  };
}

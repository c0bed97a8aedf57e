/**
 * Sign-in and sessions.
 *
 * What must stay true: the store alone decides who is signed in, and has only hashes of the cookies. A sign-in always creates a
 * new session. A wrong password and an unknown address get the same response after the same work, however many accounts have
 * the address. A session that this process ends is invalid at once; one that is ended elsewhere (another process, the command
 * line) is invalid within `freshForMs`.
 */
import { networksAround } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import type { Caller } from '../../kernel/fair-slots.js';
import { randomSecret, sha256Hex } from '../../kernel/secrets.js';
import type { Account, Session, User } from '../../model/account.js';
import { type Actor, nowhere } from '../../model/audit.js';
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
/** At most one write per interval: otherwise every dashboard request would be a write. */
const touchEveryMs = 60_000;
const maxCached = 10_000;
/** Failed sign-ins of one user within this time are one entry of the audit log: guessing passwords must not fill it. */
const failuresCountOnceMs = 60_000;
const tokenShape = /^[\w-]{43}$/;

/** Where a session was opened, as its owner sees it in the list of sessions. */
export interface Place {
  readonly address: string;
  /** As received. At most `maxUserAgent` characters are stored. */
  readonly userAgent: string;
}

/** `replacing` and `device` are cookies of the request. The session of `replacing` ends. */
export interface Visit extends Place {
  readonly replacing: string | null;
  readonly device: string | null;
}

export interface OpenedSession extends SignedIn {
  /** The value of the cookie. It cannot be retrieved later. */
  readonly token: string;
}

/** An opened session whose device counts as known from now on. */
export interface Welcomed extends OpenedSession {
  /** The value of the device cookie. */
  readonly device: string;
}

export type SignInOutcome = 'succeeded' | 'failed' | 'throttled';

export interface SignInReport {
  readonly outcome: SignInOutcome;
  /** null: there is no such user, or none was looked up. */
  readonly userId: string | null;
  readonly address: string;
}

export interface SessionService {
  /** Throws 401, 403, 429 or 503. If a second factor is needed, the 401 has a token for `finish`. */
  signIn(input: Visit & { email: string; password: string }): Promise<Welcomed>;
  /** Signs in a user who was identified by a passkey. Throws 401 or 403. */
  enter(found: StoredUser, visit: Visit): Promise<Welcomed>;
  /** Completes what `signIn` began. `prove` throws unless a second factor of the login was presented. Throws 401, 403 or 429. */
  finish(pendingToken: string, visit: Visit, prove: (who: StoredUser) => Promise<void>): Promise<Welcomed>;
  /** Returns the user who is signed in with this cookie, or null. */
  authenticate(token: string): Promise<SignedIn | null>;
  signOut(token: string, origin: Pick<Actor, 'address' | 'userAgent'>): Promise<void>;
  /** Ends every session of the login, in all accounts, and opens a new one. Throws 401, 403, 429 or 503. */
  changePassword(who: SignedIn, input: Visit & { current: string; next: string }): Promise<Welcomed>;
  /** The value of `SignedIn.lacksFactor` for a user who has just signed in. */
  lacksFactor(who: SignedIn): Promise<boolean>;
  /** The accounts in which this person has a user. */
  accountsOf(who: SignedIn): Promise<readonly Account[]>;
  /** Ends the session of this cookie and opens one in another account of the same login, for the rest of its time. Throws 401, 403 or 404. */
  switchTo(who: SignedIn, token: string, accountId: string, place: Place): Promise<OpenedSession>;
  /**
   * Checks the password for actions that need more than a session. Returns the user as stored now, for `requireUnchanged` in the
   * transaction of the action. Throws 401, 403, 429 or 503.
   */
  provePassword(who: SignedIn, password: string): Promise<StoredUser>;
  /** Drops cached sessions of the login, after they have ended or changed in the store. */
  forgetLogin(loginId: string): void;
  /** Drops all cached sessions, after sessions of several logins have ended in the store. */
  forgetAll(): void;
}

const maxUserAgent = 500;

/** Stores a new session, inside a transaction. */
export async function openSession(
  to: TransactionStore,
  who: SignedIn,
  {
    now,
    createdAt = now,
    address,
    userAgent,
    providerId = null,
    isSignIn = true,
  }: Place & {
    readonly now: number;
    /** When the person proved who they are, if that was for an earlier session. */
    readonly createdAt?: number;
    readonly providerId?: string | null;
    readonly isSignIn?: boolean;
  },
): Promise<OpenedSession> {
  const token = randomSecret();
  await to.sessions.create({
    tokenHash: sha256Hex(token),
    userId: who.user.id,
    providerId,
    createdAt,
    lastSeenAt: now,
    expiresAt: expiryOf(createdAt, now),
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

/** In a transaction. A password that was changed since it was checked no longer counts. Throws 403. */
export async function requireUnchanged(tx: BoundStore, { user, passwordHash }: StoredUser): Promise<void> {
  const now = await tx.users.find(user.accountId, user.id);
  if (now?.passwordHash !== passwordHash) throw refuse.wrongPassword();
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
  /** Called with errors that occur after the response. */
  onLateFault: (error: unknown) => void;
}): SessionService {
  const { store, clock, attempts, devices, passwords, pending, observe } = deps;
  const cache = new Map<string, Cached>();
  let generation = 0;

  const forget = (isMeant: (entry: Cached) => boolean): void => {
    generation += 1;
    for (const [tokenHash, entry] of cache) if (isMeant(entry)) cache.delete(tokenHash);
  };

  /** Whether a provider's session reaches other accounts. A provider has no say about a login that has joined another account since. */
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
    // Not cached if a session ended during the read: the result may be the state before that.
    if (startedIn === generation) {
      if (cache.size >= maxCached) cache.clear();
      cache.set(tokenHash, entry);
    }
    return entry;
  };

  /** Finds the user with this address and password: first one that this device or network knows, otherwise the oldest. */
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
    // If several users share the address, it is unknown which one tried.
    const tried = listed.length === 1 ? (userIds[0] ?? null) : null;
    // They all share one salt.
    const like = saltIn(listed);
    if (known.length === 0) {
      const isRight = await passwords.check(like, password, unknown(await delayForOthers()));
      return { found: listed.find(({ passwordHash }) => isRight(passwordHash)) ?? null, tried, users };
    }
    const isRight = await passwords.check(like, password, { ...caller, isKnown: true, delayMs: 0 });
    const matching = listed.filter(({ passwordHash }) => isRight(passwordHash));
    const mine = known.flatMap((id) => matching.filter(({ user }) => user.id === id))[0];
    if (mine) return { found: mine, tried, users };
    // Also counted when there are no other users, so that it does not show. A 429 counts as a wrong password: the device was admitted.
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

  /** Returns null when the user was deleted or has another password since the proof. */
  const open = (found: StoredUser, { replacing, ...place }: Visit, hasSecondFactor: boolean) =>
    store.tx(async (tx) => {
      // Checking took a while, so the user is read again.
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

  /**
   * Records the failure for each user with that address, in the log of their account. Anyone can create a user with somebody's
   * address: if several logins have it, no account learns where that person is.
   */
  const recordFailure = (users: readonly User[], origin: Place): Promise<void> =>
    store.tx(async (tx) => {
      const since = clock.now() - failuresCountOnceMs;
      const isOnePerson = new Set(users.map(({ loginId }) => loginId)).size === 1;
      for (const user of users) {
        const failed = { action: 'session.failed', object: userObject(user) } as const;
        tx.record(eventOf(recorderAt(user, isOnePerson ? origin : nowhere), failed), since);
      }
    });

  return {
    async signIn({ email, password, ...visit }) {
      const { address } = visit;
      const { found, tried, users } = await findUser(normalEmail(email), { ...visit, password });
      const opened = found && (await open(found, visit, false));
      observe({ outcome: opened ? 'succeeded' : 'failed', userId: opened?.user.id ?? tried, address });
      if (!opened) {
        // Not awaited: the time it takes would reveal whether there is such a user.
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
        // Not awaited: reads must work while writes fail, and must not wait for the disk.
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
        await requireUnchanged(tx, found);
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
      // A provider vouches for its own account only: its session opens no other.
      if (providerId) throw refuse.accountNotFound();
      const ended = sha256Hex(token);
      const opened = await store.tx(async (tx) => {
        const found = (await tx.users.listOfLogin(user.loginId)).find(
          ({ account }) => account.id === accountId,
        );
        if (!found) throw refuse.accountNotFound();
        if (await isProviderRequired(tx, found.user)) throw refuse.singleSignOnRequired();
        const now = clock.now();
        const current = await tx.sessions.find(ended);
        // It may have ended since the request began, and must not live on as another.
        if (!current || current.session.expiresAt <= now) throw refuse.notSignedIn();
        await tx.sessions.end(ended);
        return openSession(tx, found, { address, userAgent, now, createdAt: current.session.createdAt });
      });
      forget((entry) => entry.session.tokenHash === ended);
      return opened;
    },

    provePassword,

    forgetAll: () => forget(() => true),
    forgetLogin: (loginId) => forget((entry) => entry.user.loginId === loginId),
  };
}

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
import type { Account, Principal, Session, User } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { BoundStore, Store } from '../../ports/store.js';
import type { Attempts } from './attempts.js';
import type { Devices } from './devices.js';
import type { Passwords } from './passwords.js';
import { normalEmail } from './users.js';

export const idleMs = 12 * 60 * 60_000;
export const absoluteMs = 7 * 24 * 60 * 60_000;
const freshForMs = 1_000;
/** Written at most so often: else every request of the dashboard would be a write. */
const touchEveryMs = 60_000;
const maxCached = 10_000;
const tokenShape = /^[\w-]{43}$/;

export interface SignedIn {
  readonly user: User;
  readonly account: Account;
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
  /** Throws 401, 429 or 503. `replacing` and `device` are the cookies that came along: the first one's session ends. */
  signIn(input: {
    email: string;
    password: string;
    address: string;
    replacing: string | null;
    device: string | null;
  }): Promise<Welcomed>;
  /** Who holds this cookie; null: nobody who is signed in. */
  authenticate(token: string): Promise<SignedIn | null>;
  signOut(token: string): Promise<void>;
  /** Ends every session of the user and opens a new one. Throws 401, 403, 429 or 503. */
  changePassword(
    who: SignedIn,
    input: { current: string; next: string; device: string | null },
  ): Promise<Welcomed>;
  /** All sessions of this user have ended in the store. */
  forgetUser(userId: string): void;
}

export const principalOf = ({ user, account }: SignedIn): Principal => ({
  accountId: account.id,
  plan: account.plan,
  keyId: null,
  userId: user.id,
  scope: 'full',
});

/** Stores a new session; inside a transaction if the store is one. */
export async function openSession(to: BoundStore, who: SignedIn, now: number): Promise<OpenedSession> {
  const token = randomSecret();
  await to.sessions.create({
    tokenHash: sha256Hex(token),
    userId: who.user.id,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: expiryOf(now, now),
  });
  return { user: who.user, account: who.account, token };
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
  observe: (report: SignInReport) => void;
  /** Told of what went wrong behind an answer. */
  onLateFault: (error: unknown) => void;
}): SessionService {
  const { store, clock, attempts, devices, passwords, observe } = deps;
  const cache = new Map<string, Cached>();
  let generation = 0;

  const forget = (isMeant: (entry: Cached) => boolean): void => {
    generation += 1;
    for (const [tokenHash, entry] of cache) if (isMeant(entry)) cache.delete(tokenHash);
  };

  const load = async (tokenHash: string, now: number): Promise<Cached | null> => {
    const startedIn = generation;
    const found = await store.sessions.find(tokenHash);
    if (!found) {
      cache.delete(tokenHash);
      return null;
    }
    const entry: Cached = { ...found, readAt: now };
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
    const userIds = listed.map(({ user }) => user.id);
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
    const like = listed[0]?.passwordHash ?? null;
    if (known.length === 0) {
      const isRight = await passwords.check(like, password, unknown(await delayForOthers()));
      return { found: listed.find(({ passwordHash }) => isRight(passwordHash)) ?? null, tried };
    }
    const isRight = await passwords.check(like, password, { ...caller, isKnown: true, delayMs: 0 });
    const matching = listed.filter(({ passwordHash }) => isRight(passwordHash));
    const mine = known.flatMap((id) => matching.filter(({ user }) => user.id === id))[0];
    if (mine) return { found: mine, tried };
    // Also when there are no others, so that it does not show. A refusal is a wrong password: the device was let in.
    const delayMs = await delayForOthers().catch(() => null);
    if (delayMs === null) return { found: null, tried };
    await passwords.wait(unknown(delayMs));
    return { found: matching[0] ?? null, tried };
  };

  return {
    async signIn({ email, replacing, ...shown }) {
      const { address } = shown;
      const normal = normalEmail(email);
      const { found, tried } = await findUser(normal, shown);
      const replaced = replacing === null ? null : sha256Hex(replacing);
      const opened = found
        ? await store.tx(async (tx) => {
            // Checking took a while: the user may be gone, or have another password by now.
            const now = await tx.users.find(found.user.accountId, found.user.id);
            const account = now && (await tx.accounts.find(now.user.accountId));
            if (!account || now.passwordHash !== found.passwordHash) return null;
            if (replaced !== null) await tx.sessions.end(replaced);
            return openSession(tx, { user: now.user, account }, clock.now());
          })
        : null;
      observe({ outcome: opened ? 'succeeded' : 'failed', userId: opened?.user.id ?? tried, address });
      if (!opened || !found) throw refuse.wrongCredentials();
      forget((entry) => entry.session.tokenHash === replaced);
      await attempts.succeeded({ userId: opened.user.id, address });
      return { ...opened, device: devices.remember(shown.device, found) };
    },

    async authenticate(token) {
      if (!tokenShape.test(token)) return null;
      const tokenHash = sha256Hex(token);
      const now = clock.now();
      const known = cache.get(tokenHash);
      const isFresh = known && now >= known.readAt && now < known.readAt + freshForMs;
      const entry = isFresh ? known : await load(tokenHash, now);
      if (!entry || now >= entry.session.expiresAt) return null;
      const { session, user, account } = entry;
      if (now - session.lastSeenAt >= touchEveryMs) {
        const expiresAt = expiryOf(session.createdAt, now);
        entry.session = { ...session, lastSeenAt: now, expiresAt };
        // Not awaited: reading must work while writing does not, and must not wait for a disk.
        store.sessions.touch(tokenHash, now, expiresAt).catch(deps.onLateFault);
      }
      return { user, account };
    },

    async signOut(token) {
      if (!tokenShape.test(token)) return;
      const tokenHash = sha256Hex(token);
      await store.sessions.end(tokenHash);
      forget((entry) => entry.session.tokenHash === tokenHash);
    },

    async changePassword({ user, account }, { current, next, device }) {
      await attempts.count(`password:${user.id}`);
      const found = await store.users.find(account.id, user.id);
      if (!found) throw refuse.notSignedIn();
      const caller = { networks: [user.id], subject: user.id, isKnown: true, delayMs: 0 };
      const isRight = await passwords.check(found.passwordHash, current, caller);
      if (!isRight(found.passwordHash)) throw refuse.wrongPassword();
      const passwordHash = await passwords.hash(next, { like: found.passwordHash, by: account.id });
      const opened = await store.tx(async (tx) => {
        const now = await tx.users.find(account.id, user.id);
        // Somebody else was faster: with what was checked, nothing may be changed any more.
        if (now?.passwordHash !== found.passwordHash) throw refuse.wrongPassword();
        await tx.users.setPassword(user.id, passwordHash);
        await tx.sessions.endAllOf(user.id);
        return openSession(tx, { user, account }, clock.now());
      });
      forget((entry) => entry.user.id === user.id);
      return { ...opened, device: devices.remember(device, { user, passwordHash }) };
    },

    forgetUser: (userId) => forget((entry) => entry.user.id === userId),
  };
}

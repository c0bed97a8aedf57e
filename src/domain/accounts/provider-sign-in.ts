/**
 * Sign-in with an identity provider.
 *
 * What must stay true: a provider vouches only for users of its own account, whatever address it claims. So a user it vouches
 * for has a login without users in other accounts, and its sessions never open another account. State, nonce and code are valid
 * once, and a sealed cookie binds them to the browser. An address is accepted if the provider has verified it, or does not say
 * and the owner has named its domain. If the owner has named domains, no other domain is accepted.
 */
import { rateKey } from '../../kernel/addresses.js';
import { type Clock, secondsUntil } from '../../kernel/clock.js';
import { Slots } from '../../kernel/concurrency.js';
import { isMailbox } from '../../kernel/email-address.js';
import { isUuid, newId } from '../../kernel/ids.js';
import type { Sealer } from '../../kernel/secrets.js';
import type { User } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import { type Claims, domainOf, type IdentityProvider, SignInFailed } from '../../model/identity-provider.js';
import { type Role, roles } from '../../model/permission.js';
import type { Counters } from '../../ports/counters.js';
import type { SignInChecks, SingleSignOn } from '../../ports/identity-providers.js';
import { type Store, StoreConflict, type TransactionStore } from '../../ports/store.js';
import { record } from '../audit/record.js';
import { type OpenedSession, openSession, type Place } from './sessions.js';
import { recorderAt } from './signed-in.js';
import { newUser, normalEmail, userObject } from './users.js';

/** How long a user may take at the provider. */
export const departureMs = 10 * 60_000;
/** How long after the end of a session its provider's page for signing out can be visited. */
export const partingMs = 5 * 60_000;
const windowMs = 60_000;
/** Per network: an office may share one address. */
const perMinute = 120;
/** How long a request waits for a slot at the provider. */
const patienceMs = 5_000;

/** State that the browser stores until it returns from the provider. */
interface Absence {
  readonly providerId: string;
  readonly checks: SignInChecks;
  readonly returnTo: string;
  readonly expiresAt: number;
}

interface Parting {
  readonly providerId: string;
  readonly expiresAt: number;
}

export interface Arrived extends OpenedSession {
  readonly returnTo: string;
}

export interface ProviderSignIn {
  /** The providers that a visitor of the sign-in page may choose from. */
  offered(email: string | null): Promise<readonly IdentityProvider[]>;
  /** Returns the URL to go to, and the sealed state that the browser must bring back. Throws SignInFailed, 404 or 429. */
  begin(input: { id: string; returnTo: string; address: string }): Promise<{ url: string; absence: string }>;
  /** Throws SignInFailed, 404 or 429. */
  finish(input: {
    id: string;
    query: string;
    absence: string | null;
    replacing: string | null;
    address: string;
    userAgent: string;
  }): Promise<Arrived>;
  /** Returns the sealed proof that a session of this provider has ended here, for `signOutUrl`. */
  parting(providerId: string): string;
  /**
   * Returns the provider's sign-out page, or null when it has none, is unavailable, or no session of it has ended here: the owner of any
   * account chooses what the page is, and a link to it looks like one to this instance. Throws 404 or 429.
   */
  signOutUrl(input: { id: string; parting: string | null; address: string }): Promise<string | null>;
}

function acceptedEmail({ domains }: IdentityProvider, { email, isEmailVerified }: Claims): string {
  if (email === null || !isMailbox(email))
    throw new SignInFailed('address_not_accepted', 'the provider names no e-mail address');
  const isNamed = domains.includes(domainOf(email));
  if (domains.length > 0 && !isNamed)
    throw new SignInFailed(
      'address_not_accepted',
      `the domain ${domainOf(email)} is not one of the provider's`,
    );
  if (isEmailVerified === false || (isEmailVerified === null && !isNamed))
    throw new SignInFailed('address_not_accepted', 'the provider has not verified the e-mail address');
  return normalEmail(email);
}

/** Returns the highest role that the claim maps to, or null when there is none. */
function claimedRole({ roles: byValue }: IdentityProvider, { roleValues }: Claims): Role | null {
  const found = roleValues.flatMap((value) => (Object.hasOwn(byValue, value) ? [byValue[value]] : []));
  return roles.findLast((role) => found.includes(role)) ?? null;
}

export function createProviderSignIn(deps: {
  store: Store;
  clock: Clock;
  counters: Counters;
  sealer: Sealer;
  partingSealer: Sealer;
  singleSignOn: SingleSignOn;
  callbackUrl: (id: string) => string;
  dashboardUrl: string;
  observe: (report: { outcome: 'succeeded' | 'failed'; userId: string | null; address: string }) => void;
  /** Called after a sign-in: a session of the login, or what its user may do, may have changed. */
  onUserChanged: (loginId: string) => void;
}): ProviderSignIn {
  const { store, clock, counters, sealer, partingSealer, singleSignOn, observe } = deps;

  const count = async (address: string): Promise<void> => {
    const { count: hits, resetsAt } = await counters.hit(`sso:${rateKey(address)}`, windowMs);
    if (hits > perMinute) throw refuse.tooManySignIns(secondsUntil(resetsAt, clock.now()));
  };

  // Anyone can trigger requests to a provider, and an unresponsive one occupies a connection until the timeout.
  const slots = new Slots(32, 8, { max: 200, maxPerKey: 40 });
  const asking = async <T>({ accountId }: IdentityProvider, work: () => Promise<T>): Promise<T> => {
    const done = await slots.run(accountId, patienceMs, work);
    if (done === null) throw new SignInFailed('provider_unavailable', 'too many wait for the provider');
    return done.value;
  };

  const find = async (id: string): Promise<IdentityProvider> => {
    const found = isUuid(id) ? await store.identityProviders.find(id) : null;
    if (!found) throw refuse.identityProviderNotFound();
    return found;
  };

  const absenceIn = (sealed: string | null, id: string): Absence => {
    try {
      const absence: Absence = JSON.parse(sealer.open(sealed ?? ''));
      if (absence.providerId === id && clock.now() < absence.expiresAt) return absence;
    } catch {
      // Missing, or not sealed by this instance: reported below.
    }
    throw new SignInFailed('expired', 'the browser brought back no sign-in that is under way');
  };

  const hasParted = (sealed: string | null, id: string): boolean => {
    try {
      const parting: Parting = JSON.parse(partingSealer.open(sealed ?? ''));
      return parting.providerId === id && clock.now() < parting.expiresAt;
    } catch {
      return false;
    }
  };

  /** Gives the user a login of their own if their login has users elsewhere: this provider has no say in other accounts. */
  const alone = async (tx: TransactionStore, user: User): Promise<User> => {
    if ((await tx.users.listOfLogin(user.loginId)).length < 2) return user;
    const loginId = newId(clock.now());
    await tx.users.separate(user.id, loginId, clock.now());
    return { ...user, loginId };
  };

  const known = async (
    tx: TransactionStore,
    provider: IdentityProvider,
    claims: Claims,
  ): Promise<User | null> => {
    const linked = await tx.identityProviders.userOf(provider.id, claims.subject);
    if (linked !== null) {
      // The login may have joined another account since the last sign-in.
      const found = await tx.users.find(provider.accountId, linked);
      return found && alone(tx, found.user);
    }
    const email = acceptedEmail(provider, claims);
    const listed = await tx.users.listByEmail(email);
    const found = listed.find(({ user }) => user.accountId === provider.accountId)?.user;
    if (!found) return null;
    await tx.identityProviders.link(provider.id, claims.subject, found.id);
    return alone(tx, found);
  };

  const made = async (
    tx: TransactionStore,
    provider: IdentityProvider,
    claims: Claims,
    { role, ...place }: Place & { readonly role: Role },
  ): Promise<User> => {
    const email = acceptedEmail(provider, claims);
    if (!provider.createsUsers)
      throw new SignInFailed('not_a_user', 'the account has no user with this address');
    const access = { role, projects: [] };
    const user = newUser({ accountId: provider.accountId, email, access, now: clock.now() });
    await tx.users.create(user, null);
    await tx.identityProviders.link(provider.id, claims.subject, user.id);
    record(tx, recorderAt(user, place), { action: 'user.created', object: userObject(user), after: user });
    return user;
  };

  /** The claim decides at every sign-in, but the last owner remains one: nobody else could correct a wrong claim. */
  const withRole = async (
    tx: TransactionStore,
    user: User,
    role: Role | null,
    place: Place,
  ): Promise<User> => {
    if (role === null || role === user.role) return user;
    const others = (await tx.users.list(user.accountId)).filter(({ id }) => id !== user.id);
    if (user.role === 'owner' && !others.some((other) => other.role === 'owner')) return user;
    const access = { role, projects: [] };
    await tx.users.setAccess(user.accountId, user.id, access);
    record(tx, recorderAt(user, place), {
      action: 'user.updated',
      object: userObject(user),
      before: { role: user.role },
      after: { role },
    });
    return { ...user, ...access };
  };

  const admit = (provider: IdentityProvider, claims: Claims, place: Place): Promise<OpenedSession> =>
    store.tx(async (tx) => {
      const claimed = provider.roleClaim === null ? null : claimedRole(provider, claims);
      const role = claimed ?? provider.defaultRole;
      if (provider.roleClaim !== null && role === null)
        throw new SignInFailed('no_role', 'no value of the claim has a role');
      const found = await known(tx, provider, claims);
      if (!found && role === null) throw new SignInFailed('no_role', 'new users have no role');
      const user = found
        ? await withRole(tx, found, provider.roleClaim === null ? null : role, place)
        : await made(tx, provider, claims, { ...place, role: role ?? 'viewer' });
      const account = await tx.accounts.find(user.accountId);
      if (!account) throw new Error('The account of a provider is gone');
      return openSession(tx, { user, account }, { ...place, now: clock.now(), providerId: provider.id });
    });

  return {
    offered: (email) => {
      const domain = email === null ? null : domainOf(email);
      return store.identityProviders.offered(domain !== null && /^[a-z0-9.-]+$/.test(domain) ? domain : null);
    },

    async begin({ id, returnTo, address }) {
      await count(address);
      const provider = await find(id);
      const { url, checks } = await asking(provider, () =>
        singleSignOn.begin(provider, deps.callbackUrl(id)),
      );
      const absence: Absence = { providerId: id, checks, returnTo, expiresAt: clock.now() + departureMs };
      return { url, absence: sealer.seal(JSON.stringify(absence)) };
    },

    async finish({ id, query, absence: sealed, replacing, address, userAgent }) {
      await count(address);
      try {
        const { checks, returnTo } = absenceIn(sealed, id);
        const uses = await counters.hit(`sso-state:${checks.state}`, departureMs);
        if (uses.count > 1) throw new SignInFailed('expired', 'the state was used before');
        const provider = await find(id);
        const claims = await asking(provider, () =>
          singleSignOn.finish(provider, `${deps.callbackUrl(id)}?${query}`, checks),
        );
        // Of two concurrent first sign-ins, the second finds the user that the first created.
        const place = { address, userAgent };
        const opened = await admit(provider, claims, place).catch((error: unknown) => {
          if (error instanceof StoreConflict) return admit(provider, claims, place);
          throw error;
        });
        if (replacing !== null) await store.sessions.end(replacing);
        deps.onUserChanged(opened.user.loginId);
        observe({ outcome: 'succeeded', userId: opened.user.id, address });
        return { ...opened, returnTo };
      } catch (error) {
        if (error instanceof SignInFailed) observe({ outcome: 'failed', userId: null, address });
        throw error;
      }
    },

    parting(providerId) {
      const parting: Parting = { providerId, expiresAt: clock.now() + partingMs };
      return partingSealer.seal(JSON.stringify(parting));
    },

    async signOutUrl({ id, parting, address }) {
      await count(address);
      const provider = await find(id);
      if (!hasParted(parting, id)) return null;
      return asking(provider, () => singleSignOn.signOutUrl(provider, deps.dashboardUrl)).catch(() => null);
    },
  };
}

/**
 * Authenticates a caller by API key or session cookie, and counts the request against their rate limit. If there is an Authorization
 * header, it alone decides, whatever cookie is sent with it.
 */
import type { FastifyRequest } from 'fastify';
import type { AccountService } from '../domain/accounts/service.js';
import type { SessionService } from '../domain/accounts/sessions.js';
import { principalOf, type SignedIn } from '../domain/accounts/signed-in.js';
import { secondsUntil } from '../kernel/clock.js';
import { type Principal, type PrincipalInPerson, permitted } from '../model/account.js';
import { type Actor, userActor } from '../model/audit.js';
import { refuse } from '../model/errors.js';
import type { Permission } from '../model/permission.js';
import type { Counters } from '../ports/counters.js';
import type { Cookie } from './cookies.js';
import type { SameOrigin } from './same-origin.js';

const windowMs = 60_000;
const bearer = /^bearer +([\x21-\x7e]+) *$/i;

/** Who made a request, for its log line. */
export interface Requester {
  readonly key?: string;
  readonly user?: string;
}

const requesters = new WeakMap<FastifyRequest, Requester>();

/** Returns undefined when the caller was not authenticated. */
export const requesterOf = (request: FastifyRequest): Requester | undefined => requesters.get(request);

export interface Permitted<Caller extends Principal = Principal> {
  readonly permission: Permission;
  /** Throws 401, 403 or 429. */
  caller(request: FastifyRequest): Promise<Caller>;
}

export interface Gate {
  /** For the definition of a route: the permission it needs, and the caller, who has it. */
  may(permission: Permission): Permitted;
  /** The same for actions of signed-in users: API keys are not accepted. */
  mayInPerson(permission: Permission): Permitted<PrincipalInPerson>;
  /** The signed-in user, for their own login: API keys are not accepted. Throws 401, 403 or 429. */
  person(request: FastifyRequest): Promise<SignedIn>;
  /** For the audit log. */
  originOf(request: FastifyRequest): Pick<Actor, 'address' | 'userAgent'>;
}

/** Returns null when no key is presented, or more than one: two programs might read two different ones. */
export function presentedKey(request: FastifyRequest): string | null {
  const { rawHeaders, headers } = request.raw;
  if (headers.authorization === undefined) return null;
  const names = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization');
  return names.length === 1 ? (bearer.exec(headers.authorization)?.[1] ?? null) : null;
}

function withFactor(who: SignedIn): SignedIn {
  if (who.lacksFactor) throw refuse.secondFactorMissing();
  return who;
}

export function createGate(deps: {
  accounts: AccountService;
  sessions: SessionService;
  cookie: Cookie;
  sameOrigin: SameOrigin;
  counters: Counters;
  now: () => number;
  requestsPerMinute: number;
  /** The address of the client, after the trust-proxy rule. */
  addressOf: (request: FastifyRequest) => string;
}): Gate {
  const count = async (key: string): Promise<void> => {
    const { count: hits, resetsAt } = await deps.counters.hit(`api:${key}`, windowMs);
    if (hits > deps.requestsPerMinute) {
      throw refuse.apiRateLimited(secondsUntil(resetsAt, deps.now()));
    }
  };
  const byKey = async (request: FastifyRequest): Promise<Principal> => {
    const key = presentedKey(request);
    const principal = key === null ? null : await deps.accounts.authenticate(key);
    if (!principal) throw refuse.invalidApiKey();
    requesters.set(request, { key: `${principal.keyId}` });
    await count(`${principal.keyId}`);
    return principal;
  };
  const bySession = async (request: FastifyRequest, token: string): Promise<SignedIn> => {
    const signedIn = await deps.sessions.authenticate(token);
    if (!signedIn) throw refuse.notSignedIn();
    requesters.set(request, { user: signedIn.user.id });
    deps.sameOrigin.demand(request);
    await count(`user:${signedIn.user.id}`);
    return signedIn;
  };
  const anyCaller = async (request: FastifyRequest): Promise<Principal> => {
    if (request.headers.authorization !== undefined) return byKey(request);
    const token = deps.cookie.read(request);
    if (token === null) throw refuse.invalidApiKey();
    return principalOf(withFactor(await bySession(request, token)));
  };
  const originOf = (request: FastifyRequest) => ({
    address: deps.addressOf(request),
    userAgent: request.headers['user-agent'] ?? null,
  });
  const require = (principal: Principal, permission: Permission, request: FastifyRequest): Principal => {
    const caller = permitted(principal, permission);
    if (caller === 'account') throw refuse.accountAccessRequired();
    if (caller === null) throw principal.keyId === null ? refuse.roleNotSufficient() : refuse.readOnlyKey();
    return { ...caller, actor: { ...caller.actor, ...originOf(request) } };
  };
  const person = async (request: FastifyRequest): Promise<SignedIn> => {
    const token = deps.cookie.read(request);
    if (token === null) throw refuse.notSignedIn();
    const who = await bySession(request, token);
    return { ...who, actor: { ...userActor(who.user), ...originOf(request) } };
  };
  return {
    originOf,
    may: (permission) => ({
      permission,
      caller: async (request) => require(await anyCaller(request), permission, request),
    }),
    mayInPerson: (permission) => ({
      permission,
      async caller(request) {
        const who = withFactor(await person(request));
        const { id: userId, email } = who.user;
        return { ...require(principalOf(who), permission, request), userId, email };
      },
    }),
    person,
  };
}

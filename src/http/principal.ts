/**
 * From an API key or a session cookie to a proven caller, counted against their rate limit. Where an Authorization header
 * is sent it decides alone, whatever cookie comes along.
 */
import type { FastifyRequest } from 'fastify';
import type { AccountService } from '../domain/accounts/service.js';
import { principalOf, type SessionService, type SignedIn } from '../domain/accounts/sessions.js';
import type { Principal } from '../model/account.js';
import { refuse } from '../model/errors.js';
import type { Counters } from '../ports/counters.js';
import type { Cookie } from './cookies.js';
import type { SameOrigin } from './same-origin.js';

const windowMs = 60_000;
const bearer = /^bearer +([\x21-\x7e]+) *$/i;

/** Who made a request, for its log line. */
export interface Actor {
  readonly key?: string;
  readonly user?: string;
}

const actors = new WeakMap<FastifyRequest, Actor>();

/** undefined: nobody who was proven. */
export const actorOf = (request: FastifyRequest): Actor | undefined => actors.get(request);

export interface Gate {
  /** The caller, who may read. Throws 401, 403 or 429. */
  reader(request: FastifyRequest): Promise<Principal>;
  /** The caller, who may also change things. Throws 401, 403 or 429. */
  writer(request: FastifyRequest): Promise<Principal>;
  /** The person who is signed in; keys do not count. Throws 401, 403 or 429. */
  person(request: FastifyRequest): Promise<SignedIn>;
}

/** The presented key; null when there is none, or more than one: then two programs might read two different ones. */
export function presentedKey(request: FastifyRequest): string | null {
  const { rawHeaders, headers } = request.raw;
  if (headers.authorization === undefined) return null;
  const names = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization');
  return names.length === 1 ? (bearer.exec(headers.authorization)?.[1] ?? null) : null;
}

export function createGate(deps: {
  accounts: AccountService;
  sessions: SessionService;
  cookie: Cookie;
  sameOrigin: SameOrigin;
  counters: Counters;
  now: () => number;
  requestsPerMinute: number;
}): Gate {
  const count = async (key: string): Promise<void> => {
    const { count: hits, resetsAt } = await deps.counters.hit(`api:${key}`, windowMs);
    if (hits > deps.requestsPerMinute) {
      throw refuse.apiRateLimited(Math.max(1, Math.ceil((resetsAt - deps.now()) / 1000)));
    }
  };
  const byKey = async (request: FastifyRequest): Promise<Principal> => {
    const key = presentedKey(request);
    const principal = key === null ? null : await deps.accounts.authenticate(key);
    if (!principal) throw refuse.invalidApiKey();
    actors.set(request, { key: `${principal.keyId}` });
    await count(`${principal.keyId}`);
    return principal;
  };
  const bySession = async (request: FastifyRequest, token: string): Promise<SignedIn> => {
    const signedIn = await deps.sessions.authenticate(token);
    if (!signedIn) throw refuse.notSignedIn();
    actors.set(request, { user: signedIn.user.id });
    deps.sameOrigin.demand(request);
    await count(`user:${signedIn.user.id}`);
    return signedIn;
  };
  const reader = async (request: FastifyRequest): Promise<Principal> => {
    if (request.headers.authorization !== undefined) return byKey(request);
    const token = deps.cookie.read(request);
    if (token === null) throw refuse.invalidApiKey();
    return principalOf(await bySession(request, token));
  };
  return {
    reader,
    async writer(request) {
      const principal = await reader(request);
      if (principal.scope !== 'full') throw refuse.readOnlyKey();
      return principal;
    },
    async person(request) {
      const token = deps.cookie.read(request);
      if (token === null) throw refuse.notSignedIn();
      return bySession(request, token);
    },
  };
}

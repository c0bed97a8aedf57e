/** From the Authorization header to a proven caller, counted against the key's rate limit. */
import type { FastifyRequest } from 'fastify';
import type { AccountService } from '../domain/accounts/service.js';
import type { Principal } from '../model/account.js';
import { refuse } from '../model/errors.js';
import type { Counters } from '../ports/counters.js';

const windowMs = 60_000;
const bearer = /^bearer +([\x21-\x7e]+) *$/i;

export interface Gate {
  /** The caller, who may read. Throws 401 or 429. */
  reader(request: FastifyRequest): Promise<Principal>;
  /** The caller, who may also change things. Throws 401, 403 or 429. */
  writer(request: FastifyRequest): Promise<Principal>;
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
  counters: Counters;
  now: () => number;
  requestsPerMinute: number;
}): Gate {
  const reader = async (request: FastifyRequest): Promise<Principal> => {
    const key = presentedKey(request);
    const principal = key === null ? null : await deps.accounts.authenticate(key);
    if (!principal) throw refuse.invalidApiKey();
    const { count, resetsAt } = await deps.counters.hit(`api:${principal.keyId}`, windowMs);
    if (count > deps.requestsPerMinute) {
      throw refuse.apiRateLimited(Math.max(1, Math.ceil((resetsAt - deps.now()) / 1000)));
    }
    return principal;
  };
  return {
    reader,
    async writer(request) {
      const principal = await reader(request);
      if (principal.scope !== 'full') throw refuse.readOnlyKey();
      return principal;
    },
  };
}

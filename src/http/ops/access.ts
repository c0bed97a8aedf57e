/**
 * Who may read /metrics and the details of /readyz. Both reveal internals: versions, memory, queues, which part fails. Other clients
 * learn only whether the service is available.
 */
import type { FastifyRequest } from 'fastify';
import { isLoopbackUrl } from '../../kernel/hosts.js';
import { sameSecret } from '../../kernel/secrets.js';
import { presentedKey } from '../principal.js';

/** The access rule of one port. */
export interface OpsAccess {
  /** A request with this token sees everything; null: no token is accepted. */
  readonly token: string | null;
  /** What a request without it gets: everything, 401, or a 404 as if the path did not exist. */
  readonly withoutToken: 'everything' | 'unauthorized' | 'not_found';
}

export interface OpsSettings {
  readonly opsToken: string | null;
  readonly opsPort: number | null;
  readonly baseUrl: string;
}

/** The access rule of PORT. */
export function publicAccess({ opsToken, opsPort, baseUrl }: OpsSettings): OpsAccess {
  if (opsPort !== null) return { token: opsToken, withoutToken: 'not_found' };
  if (opsToken !== null) return { token: opsToken, withoutToken: 'unauthorized' };
  return { token: null, withoutToken: isLoopbackUrl(baseUrl) ? 'everything' : 'not_found' };
}

/** The access rule of OPS_PORT. Every client that reaches it is trusted, unless the operator set a token: then both ports require it. */
export const privateAccess = ({ opsToken }: Pick<OpsSettings, 'opsToken'>): OpsAccess =>
  opsToken === null
    ? { token: null, withoutToken: 'everything' }
    : { token: opsToken, withoutToken: 'unauthorized' };

export function seesEverything({ token, withoutToken }: OpsAccess, request: FastifyRequest): boolean {
  if (withoutToken === 'everything') return true;
  const presented = presentedKey(request);
  return token !== null && presented !== null && sameSecret(presented, token);
}

/**
 * Whether a request that a browser may have sent comes from our own pages. A cookie goes along by itself, also when a page
 * of somebody else asks; these two headers no page can forge.
 */
import type { FastifyRequest } from 'fastify';
import { refuse } from '../model/errors.js';

export interface SameOrigin {
  /** Throws 403 unless the request changes nothing or proves to come from our own pages. */
  demand(request: FastifyRequest): void;
  /** Throws 403 when the request proves to come from elsewhere: for what needs no cookie, so that programs may ask too. */
  tolerate(request: FastifyRequest): void;
}

const changesNothing = new Set(['GET', 'HEAD', 'OPTIONS']);

export function createSameOrigin(baseUrl: string): SameOrigin {
  const ours = new URL(baseUrl).origin;
  const verdict = ({ headers }: FastifyRequest): boolean | null => {
    // Browsers send it to https and to this machine; on plain http elsewhere the Origin has to do.
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin';
    return headers.origin === undefined ? null : headers.origin === ours;
  };
  return {
    demand(request) {
      if (!changesNothing.has(request.method) && verdict(request) !== true) throw refuse.crossSite();
    },
    tolerate(request) {
      if (verdict(request) === false) throw refuse.crossSite();
    },
  };
}

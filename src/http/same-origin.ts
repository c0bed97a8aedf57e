/**
 * Whether a request that a browser may have sent comes from our own pages. A cookie goes along by itself, also when a page
 * of somebody else asks; these two headers no page can forge.
 */
import type { FastifyRequest } from 'fastify';
import { refuse } from '../model/errors.js';

export interface SameOrigin {
  /** Throws 403 unless the request proves to come from our own pages, or changes nothing and was not sent by a page of another site. */
  demand(request: FastifyRequest): void;
  /** Throws 403 when the request proves to come from elsewhere: for what needs no cookie, so that programs may ask too. */
  tolerate(request: FastifyRequest): void;
  /** Whether the request proves to come from elsewhere. */
  isForeign(request: FastifyRequest): boolean;
}

const changesNothing = new Set(['GET', 'HEAD', 'OPTIONS']);

type Headers = FastifyRequest['headers'];

/** The browser itself asks: an address that was typed, a bookmark. */
const isTyped = (headers: Headers): boolean => headers['sec-fetch-site'] === 'none';

/**
 * Following a link from elsewhere is no page's doing; a page on another port or subdomain may ask, and hold our streams. So may
 * its frames, which also navigate.
 */
const isFollowed = ({ 'sec-fetch-mode': mode, 'sec-fetch-dest': shownAs = 'document' }: Headers): boolean =>
  mode === 'navigate' && shownAs === 'document';

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
      const { method, headers } = request;
      const isFine = changesNothing.has(method)
        ? verdict(request) !== false || isFollowed(headers) || isTyped(headers)
        : verdict(request) === true;
      if (!isFine) throw refuse.crossSite();
    },
    tolerate(request) {
      if (verdict(request) === false) throw refuse.crossSite();
    },
    isForeign: (request) => verdict(request) === false && !isTyped(request.headers),
  };
}

/**
 * Whether a request that a browser may have sent comes from our own pages. Browsers send cookies even if a page of another site makes the
 * request. A page cannot forge the two headers that are checked here.
 */
import type { FastifyRequest } from 'fastify';
import { refuse } from '../model/errors.js';

export interface SameOrigin {
  /** Throws 403 unless the request proves to come from our own pages, or changes nothing and was not sent by a page of another site. */
  demand(request: FastifyRequest): void;
  /** Throws 403 when the request provably comes from elsewhere. For routes that need no cookie, so that programs may use them too. */
  tolerate(request: FastifyRequest): void;
  /** Whether the request provably comes from elsewhere. */
  isForeign(request: FastifyRequest): boolean;
}

const changesNothing = new Set(['GET', 'HEAD', 'OPTIONS']);

type Headers = FastifyRequest['headers'];

/** Sent by the browser itself: a typed URL, a bookmark. */
const isTyped = (headers: Headers): boolean => headers['sec-fetch-site'] === 'none';

/**
 * Following a link from elsewhere is the user's action. Requests made by a page on another port or subdomain are not: it could occupy our
 * streams. The same goes for its frames, which also navigate.
 */
const isFollowed = ({ 'sec-fetch-mode': mode, 'sec-fetch-dest': shownAs = 'document' }: Headers): boolean =>
  mode === 'navigate' && shownAs === 'document';

export function createSameOrigin(baseUrl: string): SameOrigin {
  const ours = new URL(baseUrl).origin;
  const verdict = ({ headers }: FastifyRequest): boolean | null => {
    // Browsers send it over https and to localhost. On plain http elsewhere, the Origin must do.
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

/**
 * The security headers of every response, in one place: they are added below all routes, where the head is written. A header that a
 * route sets itself stays (a page has its own policy).
 *
 * - `nosniff`: nothing is interpreted as a type other than the declared one.
 * - `frame-ancestors`: no other site may frame it. Only pages for visitors allow it (submit/pages.ts, submit/hosted-policy.ts).
 * - `Referrer-Policy`: URLs contain tokens.
 * - HSTS only if users reach us over https, and only for this host: its subdomains may belong to someone else.
 */
import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import { latestResponse } from './pipelining.js';
import { type RequestIds, requestIdHeader } from './request-ids.js';

export type Guards = Readonly<Record<string, string>>;

export function guardsFor({ isHttps }: { readonly isHttps: boolean }): Guards {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    ...(isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

/** The same as text, for a head that is written by hand. */
export const guardLines = (guards: OutgoingHttpHeaders): string =>
  Object.entries(guards)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

type Given = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * A response with the guards and the id of its request, whatever writes its head: our code, the framework or Node. Header names are lower
 * case everywhere. While connections are closing it also says `Connection: close`.
 *
 * The headers are added to the given object itself: copying it cost the submission path 25 µs a request, and `setHeader` takes Node's
 * slow path through `writeHead`. This costs 2 µs, mostly for the longer head.
 */
export function guardedResponse(
  guards: Guards,
  ids: RequestIds,
  connections: { readonly isClosing: boolean },
): typeof ServerResponse {
  const entries = Object.entries(guards);
  return class GuardedResponse<
    Request extends IncomingMessage = IncomingMessage,
  > extends ServerResponse<Request> {
    override writeHead(status: number, reason?: string | Given, headers?: Given): this {
      const given = typeof reason === 'string' ? headers : (headers ?? reason);
      const isPlain = given !== undefined && !Array.isArray(given);
      for (const [name, value] of entries) {
        if (isPlain) given[name] ??= value;
        else if (!this.hasHeader(name)) this.setHeader(name, value);
      }
      // Overwritten, not filled in: the given object may be used for more than one response.
      if (isPlain) given[requestIdHeader] = ids.of(this.req);
      else this.setHeader(requestIdHeader, ids.of(this.req));
      // Node then writes the header itself. Not while another request of this connection waits: it would get no response.
      if (connections.isClosing && latestResponse(this.req.socket) === this) this.shouldKeepAlive = false;
      return typeof reason === 'string'
        ? super.writeHead(status, reason, headers)
        : super.writeHead(status, given);
    }
  };
}

/** CORS headers of the submission endpoint: on every response that an allowed page may read, including errors. */
import type { OutgoingHttpHeaders } from 'node:http';

const exposed = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id';

/** htmx 2 reads all of these in every response, and the browser logs an error for each that is not exposed. */
const htmxHeaders = [
  ...[
    'HX-Trigger',
    'HX-Trigger-After-Swap',
    'HX-Trigger-After-Settle',
    'HX-Location',
    'HX-Refresh',
    'HX-Push',
  ],
  ...['HX-Push-Url', 'HX-Replace-Url', 'HX-Retarget', 'HX-Reswap', 'HX-Reselect', 'HX-Redirect'],
].join(', ');

/** Lets a page read additional headers, if it may read any. */
export function expose(headers: OutgoingHttpHeaders, names: string): void {
  if (headers['access-control-expose-headers'] !== undefined)
    headers['access-control-expose-headers'] = `${exposed}, ${names}`;
}

export const exposeToHtmx = (headers: OutgoingHttpHeaders): void => expose(headers, htmxHeaders);

export function addCors(headers: OutgoingHttpHeaders, readableOrigin: string | null): void {
  // If the response depends on the origin, shared caches must know, even when no origin is allowed.
  if (readableOrigin !== '*') headers.vary = 'Origin';
  if (readableOrigin === null) return;
  headers['access-control-allow-origin'] = readableOrigin;
  headers['access-control-expose-headers'] = exposed;
}

const allowed = ['Content-Type', 'X-Service-Key'];
const maxAsked = 32;
const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/i;

/** Scripts add their own headers (htmx, Sentry, Dropzone, axios in Laravel). These are harmless, because nothing here reads them. */
function allowedHeaders(asked: string): string {
  const known = new Set(allowed.map((name) => name.toLowerCase()));
  const more = asked
    .slice(0, maxAsked * 66)
    .split(',', maxAsked)
    .map((name) => name.trim())
    .filter((name) => headerName.test(name) && !known.has(name.toLowerCase()));
  return [...allowed, ...new Set(more)].join(', ');
}

/** `asked` is Access-Control-Request-Headers. */
export function addPreflight(headers: OutgoingHttpHeaders, asked: string | undefined, methods: string): void {
  headers['access-control-allow-methods'] = methods;
  headers['access-control-allow-headers'] = allowedHeaders(asked ?? '');
  headers['access-control-max-age'] = '600';
}

/**
 * For a form that does not exist or whose settings cannot be read: its allowed origins are unknown. The preflight lets the page send its
 * request, which is checked separately. Otherwise the page would see a network error instead of the 404, or of the 503 that says when to
 * retry. This discloses nothing: the response that the page may then read is an error without data, and no credentials are involved.
 * Browsers do not cache it, so the next preflight checks the form.
 */
export function addPreflightForUnknown(
  headers: OutgoingHttpHeaders,
  asked: string | undefined,
  methods: string,
): void {
  addCors(headers, '*');
  addPreflight(headers, asked, methods);
  headers['access-control-max-age'] = '0';
}

/** CORS headers of the submission endpoint: on every answer that an allowed page may read, errors included. */
import type { OutgoingHttpHeaders } from 'node:http';

const exposed = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id';

/** htmx 2 looks for all of these in every response, and the browser logs an error for each that it may not read. */
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

/** Lets a page read one more of the headers, if it may read any. */
export function expose(headers: OutgoingHttpHeaders, names: string): void {
  if (headers['access-control-expose-headers'] !== undefined)
    headers['access-control-expose-headers'] = `${exposed}, ${names}`;
}

export const exposeToHtmx = (headers: OutgoingHttpHeaders): void => expose(headers, htmxHeaders);

export function addCors(headers: OutgoingHttpHeaders, readableOrigin: string | null): void {
  // Whenever the answer depends on who asks, a shared cache must know; also when the answer is "nothing".
  if (readableOrigin !== '*') headers.vary = 'Origin';
  if (readableOrigin === null) return;
  headers['access-control-allow-origin'] = readableOrigin;
  headers['access-control-expose-headers'] = exposed;
}

const allowed = ['Content-Type', 'X-Service-Key'];
const maxAsked = 32;
const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/i;

/** Scripts add headers of their own (htmx, Sentry, Dropzone, axios in Laravel), which do no harm: nobody reads them here. */
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
 * There is no such form, or its settings cannot be read, so its list of origins is not known. The preflight lets the page send its
 * request, which is judged by itself: without this the page would see a network error instead of the 404, or of the 503 that says
 * when to retry. Nothing is disclosed by it: the response that the page may then read is an error without data, and no credentials
 * are involved. Not kept by the browser: the next preflight asks the form.
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

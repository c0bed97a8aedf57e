/** CORS headers of the submission endpoint: on every answer that an allowed page may read, errors included. */
import type { OutgoingHttpHeaders } from 'node:http';

const exposed = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id';

export function addCors(headers: OutgoingHttpHeaders, readableOrigin: string | null): void {
  // Whenever the answer depends on who asks, a shared cache must know; also when the answer is "nothing".
  if (readableOrigin !== '*') headers.vary = 'Origin';
  if (readableOrigin === null) return;
  headers['access-control-allow-origin'] = readableOrigin;
  headers['access-control-expose-headers'] = exposed;
}

/** `asked` is Access-Control-Request-Headers. Idempotency-Key is allowed to those who ask for it. */
export function addPreflight(headers: OutgoingHttpHeaders, asked: string | undefined, methods: string): void {
  const more = /\bidempotency-key\b/i.test(asked ?? '') ? ', Idempotency-Key' : '';
  headers['access-control-allow-methods'] = methods;
  headers['access-control-allow-headers'] = `Content-Type, X-Service-Key${more}`;
  headers['access-control-max-age'] = '600';
}

/**
 * The form's settings cannot be read, so its list of origins is not known. The preflight lets the page send its request, which is
 * judged by itself: without this the page would see a network error instead of the 503 that says when to retry. Nothing is
 * disclosed by it: the response that the page may then read is an error without data, and no credentials are involved. Not kept
 * by the browser: the next preflight asks the form.
 */
export function addPreflightForUnavailable(
  headers: OutgoingHttpHeaders,
  asked: string | undefined,
  methods: string,
): void {
  addCors(headers, '*');
  addPreflight(headers, asked, methods);
  headers['access-control-max-age'] = '0';
}

/** CORS headers of the submission endpoint: on every answer that an allowed page may read, errors included. */
import type { OutgoingHttpHeaders } from 'node:http';

const exposed = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After';

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

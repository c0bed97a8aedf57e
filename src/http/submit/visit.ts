/** What the head of a request says about the visitor, read once. */
import type { IncomingMessage } from 'node:http';
import type { Visit } from '../../domain/submissions/admission.js';
import { instanceHeader } from '../../kernel/instance-mark.js';
import { clientAddress, type TrustedProxies } from '../../kernel/trust-proxy.js';

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** Stored with every submission, so bounded; real ones are far shorter. */
const maxKeptHeader = 2048;

export function visitOf(request: IncomingMessage, trusted: TrustedProxies): Visit {
  const { headers } = request;
  return {
    ip: clientAddress(trusted, request.socket.remoteAddress, single(headers['x-forwarded-for'])),
    origin: headers.origin?.slice(0, maxKeptHeader),
    referer: headers.referer?.slice(0, maxKeptHeader),
    serviceKey: single(headers['x-service-key']),
    userAgent: headers['user-agent']?.slice(0, maxKeptHeader),
    acceptLanguage: headers['accept-language'],
    instance: single(headers[instanceHeader]),
  };
}

/** Rule 1 of the interface: JSON was requested or sent. */
const namesJson = ({ headers }: IncomingMessage): boolean =>
  /^application\/json\b/i.test(headers['content-type'] ?? '') ||
  /\bapplication\/json\b/i.test(headers.accept ?? '');

/**
 * Whether a script of a page will read the response: it cannot follow a redirect to a page of another site. Browsers say so themselves.
 * Those that do not yet are recognised by the header that most libraries set.
 */
const isScripted = ({ headers }: IncomingMessage): boolean => {
  const mode = headers['sec-fetch-mode'];
  return mode === undefined
    ? headers['x-requested-with'] === 'XMLHttpRequest'
    : mode === 'cors' || mode === 'same-origin';
};

/** htmx requests HTML with its own header. */
export const isHtmx = ({ headers }: IncomingMessage): boolean => headers['hx-request'] === 'true';

const namesHtml = (request: IncomingMessage): boolean =>
  /\btext\/html\b/i.test(request.headers.accept ?? '') || isHtmx(request);

/** Programs outside browsers also send `Sec-Fetch-Mode` (Node's fetch), but not `Sec-Fetch-Site`. */
const isInPage = ({ headers }: IncomingMessage): boolean => headers['sec-fetch-site'] !== undefined;

/** Who reads the response: a program, a script that puts HTML into its page, a person, or unknown. */
export type Reader = 'program' | 'htmlScript' | 'person' | 'unknown';

export function readerOf(request: IncomingMessage): Reader {
  if (namesJson(request)) return 'program';
  const scripted = isScripted(request);
  if (!namesHtml(request)) return scripted ? 'program' : 'unknown';
  return scripted && (isInPage(request) || isHtmx(request)) ? 'htmlScript' : 'person';
}

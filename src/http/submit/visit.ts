/** What the head of a request says about the visitor, read once. */
import type { IncomingMessage } from 'node:http';
import type { Visit } from '../../domain/submissions/admission.js';
import { instanceHeader } from '../../domain/webhooks/instance-mark.js';
import { clientAddress, type TrustedProxies } from '../../kernel/trust-proxy.js';

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** Kept with every submission, so bounded; real ones are far shorter. */
const maxKeptHeader = 2048;

export function visitOf(request: IncomingMessage, trusted: TrustedProxies): Visit {
  const { headers } = request;
  return {
    ip: clientAddress(trusted, request.socket.remoteAddress, single(headers['x-forwarded-for'])),
    origin: headers.origin?.slice(0, maxKeptHeader),
    referer: headers.referer?.slice(0, maxKeptHeader),
    serviceKey: single(headers['x-service-key']),
    userAgent: headers['user-agent']?.slice(0, maxKeptHeader),
    instance: single(headers[instanceHeader]),
  };
}

/** JSON by the interface's rule 1: asked for, or sent. */
export const wantsJson = ({ headers }: IncomingMessage): boolean =>
  /^application\/json\b/i.test(headers['content-type'] ?? '') ||
  /\bapplication\/json\b/i.test(headers.accept ?? '');

/** A browser that will show the answer to a person. */
export const wantsPage = (request: IncomingMessage): boolean =>
  /\btext\/html\b/i.test(request.headers.accept ?? '') && !wantsJson(request);

/**
 * The id of a request: in its response, in our log lines, and in the log of the proxy that set it.
 *
 * Only a trusted proxy may set it. Otherwise one visitor's requests could carry the id of another's.
 */
import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isTrusted, type TrustedProxies } from '../../kernel/trust-proxy.js';

export const requestIdHeader = 'x-request-id';

/** For log lines. */
export interface RequestMarks {
  readonly request_id: string;
  /** From the `traceparent` header (W3C Trace Context). */
  readonly trace_id?: string;
}

export interface RequestIds {
  /** The same for every call with the same request. */
  of(request: IncomingMessage): string;
  marks(request: IncomingMessage): RequestMarks;
  /** For a response to something that never became a request. */
  next(): string;
}

const idShape = /^[A-Za-z0-9._-]{1,128}$/;
const traceShape = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

const known = Symbol('request id');
type Named = IncomingMessage & { [known]?: string };

const prefix = randomInt(36 ** 8)
  .toString(36)
  .padStart(8, '0');
/** An odd factor and a mask: ids stay unique and do not reveal how many requests came before. */
const factor = randomInt(2 ** 31) * 2 + 1;
const mask = randomInt(2 ** 32);
let count = 0;

/** A counter: a random id for each request would be the most expensive part of this. */
function next(): string {
  count = (count + 1) >>> 0;
  return `${prefix}-${((Math.imul(count, factor) ^ mask) >>> 0).toString(36)}`;
}

/** `trusted` null: no proxy may set ids. */
export function createRequestIds(trusted: TrustedProxies | null): RequestIds {
  const given = ({ headers, socket }: IncomingMessage): string | null => {
    const id = headers[requestIdHeader];
    if (typeof id !== 'string' || !idShape.test(id)) return null;
    return trusted !== null && isTrusted(trusted, socket.remoteAddress) ? id : null;
  };
  // Stored on the request itself, as the latest response is on its socket (pipelining.ts): a WeakMap costs 5 µs a request.
  const of = (request: Named): string => {
    request[known] ??= given(request) ?? next();
    return request[known];
  };
  return {
    of,
    next,
    marks(request) {
      const { traceparent } = request.headers;
      const trace = typeof traceparent === 'string' ? traceShape.exec(traceparent)?.[1] : undefined;
      return { request_id: of(request), ...(trace === undefined ? {} : { trace_id: trace }) };
    },
  };
}

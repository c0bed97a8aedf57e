/** The response to what is not HTTP enough to have a request object, or does not come to its end. Written by hand. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { RefusalKind } from '../../model/errors.js';
import { type Guards, guardLines } from './guards.js';
import { latestResponse } from './pipelining.js';
import { type RequestIds, requestIdHeader } from './request-ids.js';

interface Reason {
  readonly kind: RefusalKind;
  readonly status: string;
  readonly error: string;
  readonly code: string;
}

const reasons: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: {
    kind: 'headers_too_large',
    status: '431 Request Header Fields Too Large',
    error: 'The request headers are too large',
    code: 'headers_too_large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    kind: 'request_timeout',
    status: '408 Request Timeout',
    error: 'The request came too slowly',
    code: 'request_timeout',
  },
};
const notHttp: Reason = {
  kind: 'invalid',
  status: '400 Bad Request',
  error: 'The request is not valid HTTP',
  code: 'malformed_request',
};

/** For `clientError`. */
export type BrokenRequestListener = (error: NodeJS.ErrnoException, socket: Socket) => void;

const answeredHere = new WeakSet<IncomingMessage>();

/** Whether a request whose body broke off has had its response here: what its handler still says reaches nobody. */
export const isAnsweredAsBroken = (request: IncomingMessage): boolean => answeredHere.has(request);

export interface BrokenRequestOptions {
  readonly guards: Guards;
  readonly ids: RequestIds;
  /** Called for each response that is made here. `request` null: its head never came whole. */
  readonly onRejected?: (request: IncomingMessage | null, kind: RefusalKind) => void;
  /** Further headers of the response to a request, as lines. */
  readonly linesFor?: (request: IncomingMessage) => string;
}

/**
 * Whole requests that came before it get their responses first: a submission that is being stored at that moment would
 * else be told that it was none.
 */
export function createBrokenRequestListener(options: BrokenRequestOptions): BrokenRequestListener {
  const { ids } = options;
  const lines = guardLines(options.guards);
  /** Connections whose last words will be that what came was not HTTP. */
  const condemned = new WeakSet<Socket>();

  /** What the client may still be sending is waited for a little, see connections.ts. */
  const sayBroken = (error: NodeJS.ErrnoException, socket: Socket, request: IncomingMessage | null): void => {
    const { kind, status, ...problem } = reasons[error.code ?? ''] ?? notHttp;
    const body = JSON.stringify(problem);
    const id = request === null ? ids.next() : ids.of(request);
    const more = request === null ? '' : (options.linesFor?.(request) ?? '');
    if (request !== null) answeredHere.add(request);
    options.onRejected?.(request, kind);
    socket.end(
      `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\n${lines}` +
        `${more}${requestIdHeader}: ${id}\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  };

  const listen: BrokenRequestListener = (error, socket) => {
    const before = latestResponse(socket);
    const isUnderWay = before?.req.complete === true && !before.writableFinished && !before.destroyed;
    if (error.code === 'ECONNRESET' || !socket.writable || (isUnderWay && socket.readableEnded)) {
      socket.destroy();
    } else if (before?.req.complete === false && before.headersSent) {
      // Its response has begun: a second one would be read as a part of it.
      socket.destroySoon();
    } else if (!isUnderWay) {
      // Either the body of the last request broke off, or what came after it was none.
      sayBroken(error, socket, before?.req.complete === false ? before.req : null);
    } else if (!condemned.has(socket)) {
      condemned.add(socket);
      before.once('close', () => listen(error, socket));
    }
  };
  return listen;
}

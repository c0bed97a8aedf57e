/** The response to what is not HTTP enough to have a request object, or does not come to its end. Written by hand. */
import type { Socket } from 'node:net';
import { type Guards, guardLines } from './guards.js';
import { latestResponse } from './pipelining.js';

interface Reason {
  readonly status: string;
  readonly error: string;
  readonly code: string;
}

const reasons: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    error: 'The request headers are too large',
    code: 'headers_too_large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    error: 'The request came too slowly',
    code: 'request_timeout',
  },
};
const notHttp: Reason = {
  status: '400 Bad Request',
  error: 'The request is not valid HTTP',
  code: 'malformed_request',
};

/** For `clientError`. */
export type BrokenRequestListener = (error: NodeJS.ErrnoException, socket: Socket) => void;

/**
 * Whole requests that came before it get their responses first: a submission that is being stored at that moment would
 * else be told that it was none.
 */
export function createBrokenRequestListener(guards: Guards): BrokenRequestListener {
  const lines = guardLines(guards);
  /** Connections whose last words will be that what came was not HTTP. */
  const condemned = new WeakSet<Socket>();

  /** What the client may still be sending is waited for a little, see connections.ts. */
  const sayBroken: BrokenRequestListener = (error, socket) => {
    const { status, ...problem } = reasons[error.code ?? ''] ?? notHttp;
    const body = JSON.stringify(problem);
    socket.end(
      `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\n${lines}` +
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
      sayBroken(error, socket);
    } else if (!condemned.has(socket)) {
      condemned.add(socket);
      before.once('close', () => listen(error, socket));
    }
  };
  return listen;
}

/** The response to what is not HTTP enough to have a request object, or does not come to its end. Written by hand. */
import type { Socket } from 'node:net';
import { type Guards, guardLines } from './guards.js';
import { latestResponse } from './pipelining.js';

const reasons: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request came too slowly'],
};
const notHttp = ['400 Bad Request', 'The request is not valid HTTP'] as const;

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
    const [status, text] = reasons[error.code ?? ''] ?? notHttp;
    const body = JSON.stringify({ error: text });
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

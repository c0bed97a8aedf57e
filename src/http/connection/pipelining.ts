/** One request of a connection at a time, and the response that a connection is waiting for. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that one connection may send ahead of its responses. */
const maxAhead = 16;

/** The latest response of a connection, and how many requests came ahead of it. */
const latest = Symbol('latest response');
type Connection = Socket & { [latest]?: { readonly response: ServerResponse; readonly ahead: number } };

/** The response to the latest request of this connection; undefined before the first one. */
export const latestResponse = (socket: Connection): ServerResponse | undefined => socket[latest]?.response;

/**
 * Node starts pipelined requests at once; the responses of all but the first wait without a socket and never learn that the
 * client left, so each would keep its open file for good (measured: 60 kB of requests and a disconnect leaked 1,000
 * descriptors).
 *
 * Kept on the socket itself: a WeakMap of sockets cost 5 µs a request, most of it in the collector.
 */
export function oneAtATime(
  handle: RequestListener,
): (request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }) => void {
  return (request, response) => {
    const socket: Connection = request.socket;
    const before = socket[latest];
    if (!before || before.response.writableFinished) {
      socket[latest] = { response, ahead: 0 };
      handle(request, response);
      return;
    }
    const ahead = before.ahead + 1;
    socket[latest] = { response, ahead };
    if (ahead > maxAhead) {
      socket.destroy();
      return;
    }
    before.response.once('close', () => {
      // A moment later: only then is it known whether that response was the last one, behind which nothing is read.
      process.nextTick(() => socket.writable && handle(request, response));
    });
  };
}

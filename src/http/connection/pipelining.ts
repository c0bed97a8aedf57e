/** Handles one request of a connection at a time, and tracks the latest response of each connection. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that one connection may send ahead of its responses. */
const maxAhead = 16;

/** The latest response of a connection, and how many of its requests wait for an earlier one. */
const latest = Symbol('latest response');
const waiting = Symbol('waiting requests');
type Connection = Socket & { [latest]?: ServerResponse; [waiting]?: number };

/** The response to the latest request of this connection; undefined before the first one. */
export const latestResponse = (socket: Connection): ServerResponse | undefined => socket[latest];

/**
 * Node starts pipelined requests at once. The responses of all but the first wait without a socket and never learn that the client
 * disconnected, so each would keep its file open for good (measured: 60 kB of requests and a disconnect leaked 1,000 descriptors).
 *
 * Stored on the socket itself: a WeakMap of sockets cost 5 µs a request, most of it in garbage collection.
 */
export function oneAtATime(
  handle: RequestListener,
): (request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }) => void {
  return (request, response) => {
    const socket: Connection = request.socket;
    const before = socket[latest];
    socket[latest] = response;
    if (!before || before.writableFinished) {
      handle(request, response);
      return;
    }
    const ahead = (socket[waiting] ?? 0) + 1;
    socket[waiting] = ahead;
    if (ahead > maxAhead) {
      socket.destroy();
      return;
    }
    before.once('close', () => {
      socket[waiting] = (socket[waiting] ?? 1) - 1;
      // On the next tick: only then is it known whether that response was the last one, after which nothing is read.
      process.nextTick(() => socket.writable && handle(request, response));
    });
  };
}

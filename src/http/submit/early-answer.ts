/**
 * Responds to a request whose body has not arrived completely.
 *
 * Closing while bytes still arrive makes the kernel reset the connection, and the client never reads why: half of the rejections to a
 * client that was still sending 40 MB were lost. So the whole response is sent first, then the rest of the body is read and dropped.
 * Time, size and number of connections are limited.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** If the whole body is no larger than this, its rest is dropped and the connection stays in use. */
const smallRestBytes = 64 * 1024;
const lingerBytes = 64 * 1024 * 1024;
/** A small chunk costs as much as a larger one. */
const leastCounted = 1024;
const lingerMs = 10_000;
const lingerIdleMs = 5_000;
/** Connections that are read only so that the client gets its response. Beyond this many they are closed at once. */
const maxLingering = 64;

let lingering = 0;

function restIsSmall({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= smallRestBytes;
}

export function answerEarly(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string,
): void {
  // A client that gets a 408 has shown that it does not send: there is nothing to wait for.
  const isWorthWaiting = status !== 408;
  if (isWorthWaiting && headers.connection !== 'close' && restIsSmall(request)) {
    response.writeHead(status, headers).end(body);
    dropRest(request);
    return;
  }
  response.writeHead(status, { ...headers, connection: 'close' });
  if (!isWorthWaiting || lingering >= maxLingering) {
    response.end(body, () => request.destroy());
    return;
  }
  response.write(body);
  linger(request, response);
}

/** Drops the rest of the body, after the response was sent. If it does not arrive soon, the connection is closed. */
export function dropRest(request: IncomingMessage): void {
  if (request.complete) return;
  // A reader that began and stopped left it paused. Unread, the rest would block the next request of the connection.
  request.resume();
  const { socket } = request;
  const timer = setTimeout(() => request.complete || socket.destroy(), lingerIdleMs);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}

function linger(request: IncomingMessage, response: ServerResponse): void {
  lingering += 1;
  let dropped = 0;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    lingering -= 1;
    clearTimeout(whole);
    clearTimeout(idle);
    request.off('data', drop);
    response.end(() => request.destroy());
  };
  const drop = (chunk: Buffer): void => {
    idle.refresh();
    dropped += Math.max(chunk.length, leastCounted);
    if (dropped > lingerBytes) end();
  };
  const whole = setTimeout(end, lingerMs);
  const idle = setTimeout(end, lingerIdleMs);
  request.on('data', drop).once('end', end).once('error', end).once('close', end).resume();
}

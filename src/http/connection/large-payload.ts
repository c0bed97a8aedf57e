/**
 * Sends a large payload in pieces. Passed to the socket whole, its progress could not be seen until all of it had been read: a slow
 * client would look like one that does not read, and be cut off (connections.ts).
 */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { onSendHookHandler } from 'fastify';

const largeBytes = 256 * 1024;
const pieceBytes = 64 * 1024;

/** One piece per iteration of the event loop: a socket that takes them all at once must not block other requests. */
async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) await setImmediate();
    yield bytes.subarray(at, at + pieceBytes);
  }
}

export const sendInPieces: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
  if (!isWhole || payload.length < largeBytes || request.method === 'HEAD') {
    done(null, payload);
    return;
  }
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  reply.header('content-length', bytes.length);
  done(null, Readable.from(piecesOf(bytes), { objectMode: false, highWaterMark: pieceBytes }));
};

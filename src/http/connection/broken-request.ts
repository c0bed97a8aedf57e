/** Responds to input that is not valid enough for a request object, and to requests that break off. Written by hand. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Refusal, refuse } from '../../model/errors.js';
import { problemBody, statusOf } from '../problem.js';
import { type Guards, guardLines } from './guards.js';
import { latestResponse } from './pipelining.js';
import { type RequestIds, requestIdHeader } from './request-ids.js';

const refusals: Readonly<Record<string, () => Refusal>> = {
  HPE_HEADER_OVERFLOW: refuse.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: refuse.requestTooSlow,
};

/** For `clientError`. */
export type BrokenRequestListener = (error: NodeJS.ErrnoException, socket: Socket) => void;

const answeredHere = new WeakSet<IncomingMessage>();

/** Whether a request whose body broke off already got its response here. What its handler still writes is never sent. */
export const isAnsweredAsBroken = (request: IncomingMessage): boolean => answeredHere.has(request);

export interface BrokenRequestOptions {
  readonly guards: Guards;
  readonly ids: RequestIds;
  /** Called for each response that is sent here. `request` is null when its head never arrived completely. */
  readonly onRejected?: (request: IncomingMessage | null, refusal: Refusal) => void;
  /** Additional headers of the response to a request, as lines. */
  readonly linesFor?: (request: IncomingMessage) => string;
}

/**
 * Complete requests that came before it get their responses first. Otherwise a submission that is being stored at that moment would
 * get an error about invalid HTTP.
 */
export function createBrokenRequestListener(options: BrokenRequestOptions): BrokenRequestListener {
  const { ids } = options;
  const lines = guardLines(options.guards);
  /** Connections that get the error for invalid HTTP once the response before it is done. */
  const condemned = new WeakSet<Socket>();

  /** Leaves the client some time for what it may still be sending, see connections.ts. */
  const sayBroken = (error: NodeJS.ErrnoException, socket: Socket, request: IncomingMessage | null): void => {
    const refusal = (refusals[error.code ?? ''] ?? refuse.notHttp)();
    const status = statusOf(refusal);
    const body = JSON.stringify(problemBody(refusal));
    const id = request === null ? ids.next() : ids.of(request);
    const more = request === null ? '' : (options.linesFor?.(request) ?? '');
    if (request !== null) answeredHere.add(request);
    options.onRejected?.(request, refusal);
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n${lines}` +
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
      // Its response has begun: a second one would be read as part of it.
      socket.destroySoon();
    } else if (!isUnderWay) {
      // Either the body of the last request broke off, or what came after it is not a request.
      sayBroken(error, socket, before?.req.complete === false ? before.req : null);
    } else if (!condemned.has(socket)) {
      condemned.add(socket);
      before.once('close', () => listen(error, socket));
    }
  };
  return listen;
}

/**
 * The first look at every request: what is malformed beyond doubt is refused, submissions go their own way, the rest
 * goes to the framework.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal, refuse } from '../model/errors.js';
import { refusalOf } from './problem.js';
import { dropRest } from './submit/early-answer.js';
import type { SubmitHandler } from './submit/handler.js';
import type { Answers } from './submit/respond.js';

export interface FrontDoorOptions {
  readonly submit: SubmitHandler;
  readonly answers: Answers;
  /** A fault of ours, and the path on which it showed. */
  readonly onFault: (error: unknown, path: string) => void;
}

const maxHeaders = 100;

/**
 * What two programs on the way might read as two different requests: two hosts or none, a transfer coding besides
 * plain chunks. And crowds of headers: Node would drop those beyond a limit in silence, a proxy's among them.
 */
function judgeHead(request: IncomingMessage): Refusal | null {
  const { rawHeaders, headers } = request;
  if (rawHeaders.length > 2 * maxHeaders) return refuse.tooManyHeaders(maxHeaders);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return refuse.malformedRequest();
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  const isOne = hosts === 1 || (hosts === 0 && request.httpVersion === '1.0');
  return isOne ? null : refuse.malformedRequest();
}

/** A request target may name the whole address (RFC 9112, 3.2.2); only its path counts. */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Requests that one connection may send ahead of its answers. */
const maxAhead = 16;

/** The answer that a connection is waiting for, and how many requests came ahead of it. */
const lastOf = Symbol('last answer');
type Connection = Socket & { [lastOf]?: { readonly response: ServerResponse; readonly ahead: number } };

/**
 * One request of a connection at a time. Node starts pipelined requests at once; the answers of all but the first wait
 * without a socket and never learn that the client left, so each would keep its open file for good (measured: 60 kB of
 * requests and a disconnect leaked 1,000 descriptors).
 *
 * Kept on the socket itself: a WeakMap of sockets cost 5 µs a request, most of it in the collector.
 */
function oneAtATime(handle: (request: IncomingMessage, response: ServerResponse) => void): typeof handle {
  return (request, response) => {
    const socket: Connection = request.socket;
    const before = socket[lastOf];
    if (!before || before.response.writableFinished) {
      socket[lastOf] = { response, ahead: 0 };
      handle(request, response);
      return;
    }
    const ahead = before.ahead + 1;
    socket[lastOf] = { response, ahead };
    if (ahead > maxAhead) {
      socket.destroy();
      return;
    }
    before.response.once('close', () => {
      if (!socket.destroyed) handle(request, response);
    });
  };
}

export function createFrontDoor(framework: RequestListener, options: FrontDoorOptions): Server {
  const { sendRefusal, sendSurprise } = options.answers;
  const enter = oneAtATime((request, response) => {
    const refusal = judgeHead(request);
    if (refusal) {
      sendRefusal(request, response, {}, refusal, null);
      return;
    }
    const url = pathOf(request.url ?? '/');
    if (!url.startsWith('/f/')) {
      request.url = url;
      if (hasBody(request)) response.once('finish', () => dropRest(request));
      if (request.headers.expect !== undefined) response.writeContinue();
      framework(request, response);
      return;
    }
    const query = url.indexOf('?', 3);
    const path = query === -1 ? url.slice(3) : url.slice(3, query);
    const slash = path.indexOf('/');
    const publicId = slash === -1 ? path : path.slice(0, slash);
    options
      .submit(request, response, publicId, slash === -1 ? '' : path.slice(slash))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) options.onFault(error, path);
        const expected = refusalOf(error);
        if (response.headersSent) response.destroy();
        else if (expected) sendRefusal(request, response, {}, expected, null);
        else sendSurprise(request, response, {});
      });
  });

  const server = createServer(
    {
      // Without the short interval the other limits fire up to 30 s late (measured).
      connectionsCheckingInterval: 2_000,
      headersTimeout: 10_000,
      requestTimeout: 15 * 60_000,
      keepAliveTimeout: 75_000,
      maxHeaderSize: 16 * 1024,
      // Judged above, so that the answer has our form.
      requireHostHeader: false,
    },
    enter,
  );
  server.maxHeadersCount = 0;
  // An invitation to send the body is given by whoever wants to read it, after the checks that need no body.
  server.on('checkContinue', enter);
  server.on('checkExpectation', (request, response) =>
    sendRefusal(request, response, {}, refuse.unknownExpectation(), null),
  );
  return server;
}

const brokenRequests: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request came too slowly'],
};

/** Connections whose last words will be that what came was not HTTP. */
const condemned = new WeakSet<Socket>();

/**
 * Not HTTP enough to have a request object. Whole requests that came before it get their answers first: a submission that
 * is being stored at that moment would else be told that it was none.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const before = (socket as Connection)[lastOf]?.response;
  const isUnderWay = before?.req.complete === true && !before.writableFinished && !before.destroyed;
  if (error.code === 'ECONNRESET' || !socket.writable || (isUnderWay && socket.readableEnded)) {
    socket.destroy();
  } else if (!isUnderWay) {
    sayBroken(error, socket);
  } else if (!condemned.has(socket)) {
    condemned.add(socket);
    before.once('close', () => answerBrokenRequest(error, socket));
  }
}

/** Written by hand. */
function sayBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  const [status, text] = brokenRequests[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request is not valid HTTP',
  ];
  const body = JSON.stringify({ error: text });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

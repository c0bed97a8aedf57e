/**
 * The first check of every request: clearly malformed ones are rejected, submissions take their own path, and the rest goes to the
 * framework.
 */
import type {
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestListener,
  Server,
  ServerResponse,
} from 'node:http';
import { Refusal, refuse } from '../model/errors.js';
import { createNodeServer, type NodeServerOptions } from './connection/node-server.js';
import { oneAtATime } from './connection/pipelining.js';
import { refusalOf } from './problem.js';
import { addCors } from './submit/cors.js';
import { type Way, wayOf } from './submit/dialects/recognise.js';
import { dropRest } from './submit/early-answer.js';
import type { SubmitHandler } from './submit/handler.js';
import type { Answers } from './submit/respond.js';

export interface FrontDoorOptions extends Omit<NodeServerOptions, 'requestMs'> {
  readonly submit: SubmitHandler;
  readonly answers: Answers;
  /** Called for each internal error, with the path of the request. */
  readonly onFault: (error: unknown, path: string, request: IncomingMessage) => void;
  /** Called for each request that is rejected here, before any route. */
  readonly onRejected: (request: IncomingMessage, refusal: Refusal) => void;
}

const maxHeaders = 100;

/**
 * Rejects what two programs on the way could read as two different requests: several hosts or none, a transfer coding other than
 * plain chunks, chunks in a version without them, an unsupported version. Also rejects too many headers: Node would silently drop
 * those beyond a limit, including those of a proxy.
 */
function checkFraming(request: IncomingMessage): Refusal | null {
  const { rawHeaders, headers } = request;
  if (rawHeaders.length > 2 * maxHeaders) return refuse.tooManyHeaders(maxHeaders);
  const coding = headers['transfer-encoding'];
  const isOld = request.httpVersion === '1.0';
  if (!isOld && request.httpVersion !== '1.1') return refuse.malformedRequest();
  // RFC 9112, 6.1: an old proxy on the way would not know where the request ends.
  if (coding !== undefined && (isOld || coding.toLowerCase() !== 'chunked')) return refuse.malformedRequest();
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  const isOne = hosts === 1 || (hosts === 0 && isOld);
  return isOne ? null : refuse.malformedRequest();
}

/** A request target may be an absolute URL (RFC 9112, 3.2.2). Only its path counts. */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

function withoutQuery(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** For log lines, which never contain queries. */
export const pathIn = ({ url }: IncomingMessage): string => withoutQuery(pathOf(url ?? '/'));

/** By method and path only. The form is not looked up. */
function certainWay(request: IncomingMessage): Way | null {
  const way = wayOf(request.method, pathIn(request));
  return way?.isShared ? null : way;
}

export function isSubmission(request: IncomingMessage): boolean {
  const way = request.method === 'POST' ? certainWay(request) : null;
  return way !== null && (way.rest === '' || way.rest === '/');
}

/** A request that was rejected before its form was looked up reveals nothing about it: any page may read the response. */
export function readableHeaders(request: IncomingMessage): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  if (certainWay(request) !== null) addCors(headers, '*');
  return headers;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

export function createFrontDoor(framework: RequestListener, options: FrontDoorOptions): Server {
  const { sendRefusal, sendInternalError } = options.answers;
  const reject = (
    request: IncomingMessage,
    response: ServerResponse,
    refusal: Refusal,
    headers: OutgoingHttpHeaders = {},
  ): void => {
    options.onRejected(request, refusal);
    sendRefusal(request, response, { ...readableHeaders(request), ...headers }, refusal, null);
  };
  const enter: RequestListener = (request, response) => {
    const refusal = checkFraming(request);
    // It is unclear where the request ends, so nothing after it is read.
    if (refusal) return reject(request, response, refusal, { connection: 'close' });
    const url = pathOf(request.url ?? '/');
    const passOn = (): void => {
      request.url = url;
      if (hasBody(request)) response.once('finish', () => dropRest(request));
      framework(request, response);
    };
    const path = withoutQuery(url);
    const way = wayOf(request.method, path);
    if (way === null) return passOn();
    options.submit(request, response, way, passOn).catch((error: unknown) => {
      if (!(error instanceof Refusal)) options.onFault(error, path, request);
      const expected = refusalOf(error);
      if (response.headersSent) response.destroy();
      else if (expected) sendRefusal(request, response, readableHeaders(request), expected, null);
      else sendInternalError(request, response, readableHeaders(request));
    });
  };

  const server = createNodeServer(enter, { ...options, requestMs: 15 * 60_000 });
  server.on(
    'checkExpectation',
    oneAtATime((request, response) => reject(request, response, refuse.unknownExpectation())),
  );
  return server;
}

/** A node:http server as we want it: limits on every connection, guarded responses, one request of a connection at a time. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Connections } from './connections.js';
import { type Guards, guardedResponse } from './guards.js';
import { awaitInvitation } from './invitation.js';
import { oneAtATime } from './pipelining.js';
import type { RequestIds } from './request-ids.js';

export interface NodeServerOptions {
  readonly connections: Connections;
  readonly guards: Guards;
  readonly ids: RequestIds;
  /** A request with its body, however it comes. */
  readonly requestMs: number;
}

export function createNodeServer(handle: RequestListener, options: NodeServerOptions): Server {
  const { limits } = options.connections;
  const enter = oneAtATime(handle);
  const server = createServer(
    {
      ServerResponse: guardedResponse(options.guards, options.ids, options.connections),
      // Without the short interval the other limits fire up to 30 s late (measured).
      connectionsCheckingInterval: limits.lookEveryMs,
      headersTimeout: limits.headMs,
      requestTimeout: options.requestMs,
      keepAliveTimeout: limits.idleMs,
      maxHeaderSize: 16 * 1024,
      // Judged by the front door, so that the response has our form.
      requireHostHeader: false,
    },
    enter,
  );
  server.maxHeadersCount = 0;
  server.on('checkContinue', (request: IncomingMessage, response) => {
    awaitInvitation(request, response);
    enter(request, response);
  });
  options.connections.watch(server);
  return server;
}

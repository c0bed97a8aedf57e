/** A node:http server with limits on every connection, guarded responses, and one request of a connection at a time. */
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
  /** The time limit of a request with its body, at any pace. */
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
      // Checked by the front door, so that the error has our format.
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

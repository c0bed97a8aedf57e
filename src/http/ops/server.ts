/** The port for monitoring: OPS_PORT, and PORT of a process that is only a worker. It serves nothing else. */
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyReply,
  LogController,
} from 'fastify';
import type { Logger } from '../../kernel/log.js';
import { refuse } from '../../model/errors.js';
import { createBrokenRequestListener } from '../connection/broken-request.js';
import { Connections, connectionLimits } from '../connection/connections.js';
import { guardsFor } from '../connection/guards.js';
import { createNodeServer } from '../connection/node-server.js';
import { createRequestIds } from '../connection/request-ids.js';
import { frameworkRefusal, refusalOf, sendProblem } from '../problem.js';
import type { HttpServer } from '../server.js';
import { type OpsDeps, opsRoutes } from './routes.js';

/** Monitoring clients. There are few. */
const maxWatchers = 32;

export async function createOpsServer(options: OpsDeps & { readonly log: Logger }): Promise<HttpServer> {
  const connections = new Connections(connectionLimits, maxWatchers);
  const guards = guardsFor({ isHttps: false });
  const ids = createRequestIds(null);
  const app = Fastify({
    loggerInstance: options.log.child({}, { level: 'warn' }) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Requests have no body here.
    bodyLimit: 1024,
    serverFactory: (handle) => createNodeServer(handle, { connections, guards, ids, requestMs: 10_000 }),
    clientErrorHandler: createBrokenRequestListener({ guards, ids }),
    forceCloseConnections: true,
    frameworkErrors: (_error, _request, reply) => sendProblem(reply as FastifyReply, refuse.pathNotFound()),
  });
  opsRoutes(app, options);
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, refuse.pathNotFound()));
  app.setErrorHandler((error: FastifyError, _request, reply) =>
    sendProblem(reply, refusalOf(error) ?? frameworkRefusal(error) ?? refuse.internal()),
  );
  await app.ready();
  return {
    async listen(host, port) {
      await app.listen({ host, port });
      const address = app.server.address();
      return typeof address === 'object' && address ? address.port : port;
    },
    close: () => app.close(),
  };
}

/** What a process that only works answers: that it lives, that it is ready, and its numbers. */
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import type { Logger } from '../kernel/log.js';
import { refuse } from '../model/errors.js';
import type { Metrics, Standing } from './metrics.js';
import { opsRoutes, type Readiness } from './ops.js';
import { problemBody, statusOf } from './problem.js';
import type { HttpServer } from './server.js';

export async function createOpsServer(options: {
  readonly metrics: Metrics;
  readonly readiness: readonly Readiness[];
  readonly queueAgeMs: () => Promise<number>;
  readonly storage: () => Promise<Standing['storage']>;
  readonly log: Logger;
}): Promise<HttpServer> {
  let stopping = false;
  const app = Fastify({
    loggerInstance: options.log.child({}, { level: 'warn' }) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Nobody sends anything here.
    bodyLimit: 1024,
    requestTimeout: 10_000,
    forceCloseConnections: true,
  });
  opsRoutes(app, { ...options, isStopping: () => stopping });
  app.setNotFoundHandler((_request, reply) => {
    const refusal = refuse.pathNotFound();
    return reply.status(statusOf(refusal)).send(problemBody(refusal));
  });
  await app.ready();
  return {
    async listen(host, port) {
      await app.listen({ host, port });
      const address = app.server.address();
      return typeof address === 'object' && address ? address.port : port;
    },
    async close() {
      stopping = true;
      await app.close();
    },
  };
}

/** /healthz, /readyz, /metrics: for monitoring. */
import type { FastifyInstance } from 'fastify';
import { refuse } from '../../model/errors.js';
import { sendProblem } from '../problem.js';
import { type OpsAccess, seesEverything } from './access.js';
import type { Metrics } from './metrics.js';
import type { Readiness } from './readiness.js';

export interface OpsDeps {
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly access: OpsAccess;
}

export function opsRoutes(app: FastifyInstance, { metrics, readiness, access }: OpsDeps): void {
  app.get('/healthz', async () => ({ status: 'ok' }));

  app.get('/readyz', async (request, reply) => {
    const standing = await readiness.standing();
    const isServing = readiness.isServing(standing);
    const status = isServing ? 'ok' : 'unavailable';
    reply.status(isServing ? 200 : 503);
    // Load balancers look at the status. Which part fails is for the operator.
    if (!seesEverything(access, request)) return reply.send({ status });
    return reply.send({
      status,
      checks: Object.fromEntries(
        Object.entries(standing.parts).map(([name, works]) => [
          name,
          works ? 'ok' : standing.full.includes(name) ? 'full' : 'failing',
        ]),
      ),
      ...(Object.keys(standing.reasons).length > 0 ? { reasons: standing.reasons } : {}),
      // Only reported: a destination that is down must not take this service out of the load balancer.
      queue_age_seconds: standing.queueAgeSeconds,
    });
  });

  app.get('/metrics', async (request, reply) => {
    if (!seesEverything(access, request)) {
      if (access.withoutToken === 'not_found') return sendProblem(reply, refuse.pathNotFound());
      return sendProblem(reply.header('www-authenticate', 'Bearer'), refuse.invalidOpsToken());
    }
    const { contentType, text } = await metrics.render();
    return reply.header('content-type', contentType).send(text);
  });
}

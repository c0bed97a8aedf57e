/** /healthz, /readyz, /metrics: for the machines that watch over this one; and where a person who opens / goes. */
import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.js';

export interface Readiness {
  readonly name: string;
  /** Resolves when this part can do its work now. */
  check(): Promise<void>;
}

const maxCheckMs = 2_000;

const inTime = (work: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), maxCheckMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

export function opsRoutes(
  app: FastifyInstance,
  deps: {
    metrics: Metrics;
    readiness: readonly Readiness[];
    /** How long the delivery that is due longest has waited. */
    queueAgeMs: () => Promise<number>;
    isStopping: () => boolean;
  },
): void {
  const hidden = { schema: { hide: true } };

  app.get('/', hidden, async (_request, reply) => reply.redirect('/docs', 302));

  app.get('/healthz', hidden, async () => ({ status: 'ok' }));

  app.get('/readyz', hidden, async (request, reply) => {
    const checks: Record<string, string> = {};
    const queue = deps.queueAgeMs().catch(() => null);
    await Promise.all(
      deps.readiness.map(async ({ name, check }) => {
        try {
          await inTime(check());
          checks[name] = 'ok';
        } catch (error) {
          // The cause is for the log; a stranger learns only which part fails.
          request.log.warn({ err: error, part: name }, 'not ready');
          checks[name] = 'failing';
        }
      }),
    );
    const ready = !deps.isStopping() && Object.values(checks).every((state) => state === 'ok');
    // Reported, not judged: a receiver that is down must not take this service out of the load balancer.
    const age = await queue;
    const queueAge = { queue_age_seconds: age === null ? null : Math.round(age / 1000) };
    return reply
      .status(ready ? 200 : 503)
      .send({ status: ready ? 'ok' : 'unavailable', checks, ...queueAge });
  });

  app.get('/metrics', hidden, async (_request, reply) => {
    const { contentType, text } = await deps.metrics.render();
    return reply.header('content-type', contentType).send(text);
  });
}
